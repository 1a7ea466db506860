import type { Effort } from './effort.ts';

/** Whether two values in JSON are equal: lists by their order, objects by their names (RFC 9535, section 2.3.5.2.2). */
export function isEqual(one: unknown, other: unknown, effort: Effort): boolean {
  effort.spend(1);
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every(
      (name) =>
        Object.hasOwn(other, name) && isEqual(Reflect.get(one, name), Reflect.get(other, name), effort),
    )
  );
}
