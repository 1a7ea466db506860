import type { Model } from './model.ts';

const HIDING = new WeakMap<Model, WeakMap<Model, boolean>>();

/** Whether a part of a model lacks navigation properties of types that it has. */
export function hidesRelations(model: Model, part: Model): boolean {
  if (part === model) return false;
  const known = HIDING.get(model) ?? new WeakMap<Model, boolean>();
  HIDING.set(model, known);
  const hides =
    known.get(part) ??
    [...part.entityTypes.values()].some(({ name, navigationProperties }) => {
      const all = model.entityTypes.get(name)?.navigationProperties.size ?? 0;
      return navigationProperties.size < all;
    });
  known.set(part, hides);
  return hides;
}
