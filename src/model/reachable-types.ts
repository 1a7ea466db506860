/** The part without types that no served resource refers to. */
export function reachableOnly(part: ModelPart): ModelPart {
  const reached = new Set<string>();
  const queue = rootNames(part);
  const links = typeLinks(part);
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    queue.push(...(links.get(next) ?? []));
  }
  return {
    ...part,
    entityTypes: part.entityTypes.filter(({ name }) => reached.has(name)),
    complexTypes: part.complexTypes.filter(({ name }) => reached.has(name)),
    typeDefinitions: part.typeDefinitions.filter(({ name }) => reached.has(name)),
    enumerationTypes: part.enumerationTypes.filter(({ name }) => reached.has(name)),
  };
}

function rootNames({ entitySets, singletons, callables }: ModelPart): string[] {
  return [
    ...[...entitySets, ...singletons].map(({ entityType }) => entityType.name),
    ...callables.flatMap(({ parameters, returns, binding }) => [
      ...[...parameters, ...(returns === undefined ? [] : [returns])].flatMap(usedName),
      ...(binding === undefined ? [] : [binding.entityType]),
    ]),
  ];
}

/** The types that each type refers to: its base, its derived types, and the types of its properties. */
function typeLinks({ entityTypes, complexTypes }: ModelPart): ReadonlyMap<string, readonly string[]> {
  const structured = [...entityTypes, ...complexTypes];
  const derived = Map.groupBy(structured, ({ baseType }) => baseType);
  return new Map(
    structured.map((type) => [
      type.name,
      [
        ...(type.baseType === undefined ? [] : [type.baseType]),
        ...(derived.get(type.name) ?? []).map(({ name }) => name),
        ...[...type.structuralProperties.values()].flatMap(usedName),
        ...[...type.navigationProperties.values()].map(({ entityType }) => entityType),
      ],
    ]),
  );
}

function usedName({ type, definition }: DescribedTypeUse): readonly string[] {
  if (type.kind !== 'primitive') return [type.name];
  return definition === undefined ? [] : [definition];
}

import type { DescribedTypeUse, ModelPart } from './description.ts';
