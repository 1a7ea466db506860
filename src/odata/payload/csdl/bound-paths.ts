import type { StructuredType } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';

/** A navigation property, behind the complex properties that lead to it, and the set that its entities are in. */
type BoundPath = readonly [path: string, target: string];

/** Which set related entities are in, by the paths to them (CSDL 4.01, 13.4). */
export function boundPaths(model: Model, type: StructuredType): readonly BoundPath[] {
  return pathsBelow(model, type, [], new Set());
}

/** A complex type is gone through once on each path: values may hold others of their own type. */
function pathsBelow(
  model: Model,
  { navigationProperties, structuralProperties }: StructuredType,
  before: readonly string[],
  above: ReadonlySet<string>,
): readonly BoundPath[] {
  const own = [...navigationProperties.values()].flatMap(({ name, target }): readonly BoundPath[] =>
    target === undefined ? [] : [[[...before, name].join('/'), target]],
  );
  const inner = [...structuralProperties.values()].flatMap(({ name, type }) => {
    const complex = type.kind === 'complex' ? model.complexTypes.get(type.name) : undefined;
    if (complex === undefined || above.has(complex.name)) return [];
    return pathsBelow(model, complex, [...before, name], new Set([...above, complex.name]));
  });
  return [...own, ...inner];
}
