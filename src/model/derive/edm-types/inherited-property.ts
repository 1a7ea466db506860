/**
 * The types with the properties of their bases as the bases declare them: a derived type inherits a
 * property as it is, and does not declare it again (CSDL 4.01, 6.2 and 9.2).
 */
export function withInherited<Type extends DescribedStructuredType>(
  types: ReadonlyMap<string, Type>,
): ReadonlyMap<string, Type> {
  return new Map(
    [...types].map(([name, type]) => {
      const bases = basesOf(types, type);
      const properties = [...type.structuralProperties.values()].map((property) => declared(bases, property));
      return [
        name,
        { ...type, structuralProperties: new Map(properties.map((property) => [property.name, property])) },
      ];
    }),
  );
}

/** The types that a type is derived from, the nearest first. */
function basesOf<Type extends DescribedStructuredType>(
  types: ReadonlyMap<string, Type>,
  { baseType }: DescribedStructuredType,
): readonly Type[] {
  const base = baseType === undefined ? undefined : types.get(baseType);
  return base === undefined ? [] : [base, ...basesOf(types, base)];
}

function declared(
  bases: readonly DescribedStructuredType[],
  property: DescribedStructuralProperty,
): DescribedStructuralProperty {
  const inherited = bases.flatMap(
    ({ structuralProperties }) => structuralProperties.get(property.name) ?? [],
  );
  return inherited.findLast(({ upstreamName }) => upstreamName === property.upstreamName) ?? property;
}

import type { DescribedStructuralProperty, DescribedStructuredType } from '../../description.ts';
