import type { EntityType } from '../../edm.ts';
import type { StructuralProperty } from '../../structured-type.ts';
import type { Derivation } from '../derivation.ts';
import { text } from '../document/document-node.ts';
import { ownKeyword } from '../schemas/schema.ts';
import type { TypeNames } from '../schemas/schema-use.ts';
import type { EntityPlan } from '../sets/entity-plan.ts';
import { structure } from './structured.ts';

/** The entity type of a plan, with the navigation properties that its own JSON has. */
export function entityType(derivation: Derivation, types: TypeNames, plan: EntityPlan): EntityType {
  const { schema, name } = plan;
  for (const derived of derivation.inheritance.derivedFrom(schema)) types.entity(derived);
  const base = derivation.inheritance.baseOf(schema);
  const aliases = plan.key.map(({ property }) => property).filter(({ aliasOf }) => aliasOf !== undefined);
  const body = structure(derivation, types, schema, name, [...plan.properties, ...aliases]);
  const key = plan.key.map(({ property }) => property.name);
  const structural = [...body.structuralProperties.values()].map((property) => withoutNull(property, key));
  return {
    namespace: derivation.namespace,
    name,
    description: text(ownKeyword(schema, 'description')),
    key,
    ...body,
    structuralProperties: new Map(structural.map((property) => [property.name, property])),
    baseType: base && types.entity(base),
  };
}

function withoutNull(property: StructuralProperty, key: readonly string[]): StructuralProperty {
  return key.includes(property.name) ? { ...property, nullable: false } : property;
}
