import type { ComplexType, EntityType, StructuralProperty, StructuredType } from '../../edm.ts';

interface KeyedTypes {
  readonly entityTypes: readonly EntityType[];
  readonly complexTypes: readonly ComplexType[];
}

/**
 * The types with no property nullable on the way to a part of a key, such as `Owner` and its `Id` for `Owner/Id`
 * (CSDL 4.01, 6.5). Where the document lets it be null, a complex type may still be so outside the key.
 */
export function withKeyPaths({ entityTypes, complexTypes }: KeyedTypes): KeyedTypes {
  const types = new Map<string, StructuredType>(
    [...complexTypes, ...entityTypes].map((type) => [type.name, type]),
  );
  const onTheWay = new Set(entityTypes.flatMap((type) => keyPathProperties(types, type)));
  const settled = <Type extends StructuredType>(type: Type) => withoutNulls(type, onTheWay);
  return { entityTypes: entityTypes.map(settled), complexTypes: complexTypes.map(settled) };
}

/** The properties that the paths of an entity type's key go through. */
function keyPathProperties(
  types: ReadonlyMap<string, StructuredType>,
  { key, structuralProperties }: EntityType,
): readonly StructuralProperty[] {
  return key.flatMap((part) => {
    const found: StructuralProperty[] = [];
    let holder: Pick<StructuredType, 'structuralProperties'> | undefined = { structuralProperties };
    for (const name of structuralProperties.get(part)?.aliasOf ?? []) {
      const property: StructuralProperty | undefined = holder?.structuralProperties.get(name);
      if (property === undefined) break;
      found.push(property);
      holder = types.get(property.type.name);
    }
    return found;
  });
}

function withoutNulls<Type extends StructuredType>(
  type: Type,
  onTheWay: ReadonlySet<StructuralProperty>,
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
