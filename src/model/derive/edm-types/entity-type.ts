import type { Schema } from '../../../openapi/schemas/schema.ts';
import type { DescribedEntityType, DescribedStructuralProperty } from '../../description.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { EntityPlan } from './entity-plan.ts';
import type { TypeNames } from './schema-use.ts';
import { mayBeNull } from './sent-type.ts';
import { structure } from './structured.ts';

/** The entity type of a plan, with the navigation properties that its own JSON has. */
export function entityType(derivation: Derivation, types: TypeNames, plan: EntityPlan): DescribedEntityType {
  const { schema, name } = plan;
  for (const derived of derivation.inheritance.derivedFrom(schema)) types.entity(derived);
  const base = derivation.inheritance.baseOf(schema);
  const aliases = plan.key.map(({ property }) => property).filter(({ aliasOf }) => aliasOf !== undefined);
  const body = structure(derivation, types, schema, name, [...plan.properties, ...aliases]);
  const key = new Map(plan.key.map(({ property }) => [property.name, property.schema]));
  const structural = [...body.structuralProperties.values()].map((property) =>
    keyProperty(derivation, property, key.get(property.name)),
  );
  return {
    key: [...key.keys()],
    ...body,
    structuralProperties: new Map(structural.map((property) => [property.name, property])),
    baseType: base && types.entity(base),
  };
}

/** Parts of a key are never null (CSDL 4.01, 6.5), whatever the document says of them. */
function keyProperty(
  derivation: Derivation,
  property: DescribedStructuralProperty,
  schema: Schema | undefined,
): DescribedStructuralProperty {
  if (schema === undefined) return property;
  return { ...property, nullable: false, ...(mayBeNull(derivation, schema) && { sometimesNull: true }) };
}
