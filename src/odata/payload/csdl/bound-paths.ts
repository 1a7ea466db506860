import type { StructuredType } from '../../../model/edm.ts';

/** A navigation property, behind the complex properties that lead to it, and the set that its entities are in. */
type BoundPath = readonly [path: string, target: string];

/** Which set related entities are in, by the paths to them (CSDL 4.01, 13.4). */
export function boundPaths(type: StructuredType): readonly BoundPath[] {
  return pathsBelow(type, [], new Set());
}

/** A complex type is gone through once on each path: values may hold others of their own type. */
function pathsBelow(
  { navigationProperties, structuralProperties }: StructuredType,
  before: readonly string[],
  above: ReadonlySet<StructuredType>,
): readonly BoundPath[] {
  const own = [...navigationProperties.values()].flatMap(({ name, target }): readonly BoundPath[] =>
    target === undefined ? [] : [[[...before, name].join('/'), target.name]],
  );
  const inner = [...structuralProperties.values()].flatMap(({ name, type }) => {
    if (type.kind !== 'complex' || above.has(type)) return [];
    return pathsBelow(type, [...before, name], new Set([...above, type]));
  });
  return [...own, ...inner];
}
