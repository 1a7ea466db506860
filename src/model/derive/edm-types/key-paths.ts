interface KeyedTypes {
  readonly entityTypes: readonly DescribedEntityType[];
  readonly complexTypes: readonly DescribedComplexType[];
}

/**
 * The types with no property nullable on the way to a part of a key, such as `Owner` and its `Id` for `Owner/Id`
 * (CSDL 4.01, 6.5). Where the document lets it be null, a complex type may still be so outside the key.
 */
export function withKeyPaths({ entityTypes, complexTypes }: KeyedTypes): KeyedTypes {
  const types = new Map<string, DescribedStructuredType>(
    [...complexTypes, ...entityTypes].map((type) => [type.name, type]),
  );
  const onTheWay = new Set(entityTypes.flatMap((type) => keyPathProperties(types, type)));
  const settled = <Type extends DescribedStructuredType>(type: Type) => withoutNulls(type, onTheWay);
  return { entityTypes: entityTypes.map(settled), complexTypes: complexTypes.map(settled) };
}

/** The properties that the paths of an entity type's key go through. */
function keyPathProperties(
  types: ReadonlyMap<string, DescribedStructuredType>,
  { key, structuralProperties }: DescribedEntityType,
): readonly DescribedStructuralProperty[] {
  return key.flatMap((part) => {
    const found: DescribedStructuralProperty[] = [];
    let holder: Pick<DescribedStructuredType, 'structuralProperties'> | undefined = { structuralProperties };
    for (const name of structuralProperties.get(part)?.aliasOf ?? []) {
      const property: DescribedStructuralProperty | undefined = holder?.structuralProperties.get(name);
      if (property === undefined) break;
      found.push(property);
      holder = types.get(property.type.name);
    }
    return found;
  });
}

function withoutNulls<Type extends DescribedStructuredType>(
  type: Type,
  onTheWay: ReadonlySet<DescribedStructuralProperty>,
): Type {
  if (![...type.structuralProperties.values()].some((property) => onTheWay.has(property))) return type;
  const properties = [...type.structuralProperties].map(
    ([name, property]) =>
      [
        name,
        onTheWay.has(property) && property.nullable
          ? { ...property, nullable: false, sometimesNull: true as const }
          : property,
      ] as const,
  );
  return { ...type, structuralProperties: new Map(properties) };
}

import type {
  DescribedComplexType,
  DescribedEntityType,
  DescribedStructuralProperty,
  DescribedStructuredType,
} from '../../description.ts';
