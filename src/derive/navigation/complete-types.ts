import type {
  DescribedEntityType,
  DescribedNavigationProperty,
  DescribedStructuredType,
} from '../../model/description.ts';
import { freeChoice } from '../../model/names.ts';
import type { Grants } from '../../model/permission.ts';
import { setting } from '../../openapi/schemas/schema.ts';
import type { EntityPlan, EntityPlans } from '../edm-types/entity-plan.ts';
import { entitySettings, type NamedOperations, streamProperty } from '../sets/entity-set.ts';
import { schemaGrants } from '../sets/grants.ts';
import type { NamedNavigation, NavigationByOwner } from './navigation.ts';

/**
 * The entity types of the plans, by name, with what their own JSON does not tell: navigation by paths
 * and links, also that of the types they are derived from, streams, and the ETag.
 */
export function completeEntityTypes(
  named: NamedOperations,
  plans: EntityPlans,
  types: ReadonlyMap<string, DescribedEntityType>,
  navigation: NavigationByOwner,
  setOf: ReadonlyMap<string, string>,
): ReadonlyMap<string, DescribedEntityType> {
  const setOfType = setsOfTypes(plans, setOf);
  const complete = new Map(
    [...plans.values()].flatMap((plan) => {
      const type = types.get(plan.name);
      if (type === undefined) return [];
      const own = { ...placed(type, setOfType), ...entitySettings(named, plan) };
      const inherited = lineage(named, plans, plan).flatMap(
        ({ schema }) => navigation.get(schema.identity) ?? [],
      );
      return [[plan.name, withNavigation(named, plan, withStreams(own), inherited)] as const];
    }),
  );
  return withContained(named, plans, complete);
}

/**
 * Contained entities are a resource of their own where their schema says who may use them. The types that are
 * derived from the one that contains them have the same resource.
 */
function withContained(
  named: NamedOperations,
  plans: EntityPlans,
  types: ReadonlyMap<string, DescribedEntityType>,
): ReadonlyMap<string, DescribedEntityType> {
  const grantsOf = ownGrants(plans);
  return new Map(
    [...plans.values()].flatMap((plan) => {
      const type = types.get(plan.name);
      if (type === undefined) return [];
      const bases = lineage(named, plans, plan);
      const properties = [...type.navigationProperties].map(([name, property]) => {
        const grants = property.target === undefined ? grantsOf.get(property.entityType) : undefined;
        if (grants === undefined) return [name, property] as const;
        const owner = bases.find((base) => types.get(base.name)?.navigationProperties.has(name)) ?? plan;
        return [name, { ...property, contained: { name: `${owner.name}/${name}`, grants } }] as const;
      });
      return [[plan.name, { ...type, navigationProperties: new Map(properties) }] as const];
    }),
  );
}

/** The grants of the types whose schema has some. */
function ownGrants(plans: EntityPlans): ReadonlyMap<string, Grants> {
  const granting = [...plans.values()].filter(({ schema }) => setting(schema, 'grants') !== undefined);
  return new Map(granting.map(({ name, schema }) => [name, schemaGrants(schema)]));
}

/** The plan and those of the types that it is derived from, the farthest first. */
function lineage(named: NamedOperations, plans: EntityPlans, plan: EntityPlan): readonly EntityPlan[] {
  const base = named.derivation.inheritance.baseOf(plan.schema);
  const basePlan = base && plans.get(base.identity);
  return basePlan === undefined ? [plan] : [...lineage(named, plans, basePlan), plan];
}

/** The entity set of each entity type, if its schema has exactly one. */
export function setsOfTypes(
  plans: EntityPlans,
  setOf: ReadonlyMap<string, string>,
): ReadonlyMap<string, string | undefined> {
  return new Map([...plans.values()].map(({ name, schema }) => [name, setOf.get(schema.identity)]));
}

/** Embedded entities refer to their entity set if there is one, and are contained otherwise. */
export function placed<Type extends DescribedStructuredType>(
  type: Type,
  setOfType: ReadonlyMap<string, string | undefined>,
): Type {
  const properties = [...type.navigationProperties].map(([name, property]) => {
    const target = setOfType.get(property.entityType);
    return [name, { ...property, target, containsTarget: target === undefined }] as const;
  });
  return { ...type, navigationProperties: new Map(properties) };
}

function withStreams(type: DescribedEntityType): DescribedEntityType {
  const streams = [...(type.streams ?? [])].map(
    ([name, { delete: remove }]) => [name, streamProperty(name, remove !== undefined)] as const,
  );
  return { ...type, structuralProperties: new Map([...type.structuralProperties, ...streams]) };
}

function withNavigation(
  { derivation }: NamedOperations,
  plan: EntityPlan,
  type: DescribedEntityType,
  added: readonly NamedNavigation[],
): DescribedEntityType {
  const properties = new Map(type.navigationProperties);
  const taken = {
    has: (name: string) => properties.has(name) || type.structuralProperties.has(name) === true,
  };
  const aliases = added.flatMap(({ alias }) => alias ?? []);
  for (const { property, names } of added) {
    const known = properties.get(property.name);
    // An embedded object of the same name is a copy of the related entity.
    if (known?.entityType === property.entityType && known.collection === property.collection) {
      properties.delete(property.name);
    }
    const name = freeChoice(names, taken);
    if (name !== property.name) {
      const message = `A navigation property is named ${name}: another property is named ${property.name}`;
      derivation.source.report('info', plan.schema.identity, message, 'name-is-taken');
    }
    properties.set(name, { ...property, name, nullable: property.nullable && mayLeadToNone(type, property) });
  }
  const structural = [...type.structuralProperties.values(), ...aliases];
  return {
    ...type,
    structuralProperties: new Map(structural.map((property) => [property.name, property])),
    navigationProperties: properties,
  };
}

/** CSDL 4.01, 8.5: foreign keys of which none can be null lead to an entity. */
function mayLeadToNone(type: DescribedEntityType, { constraints }: DescribedNavigationProperty): boolean {
  if (constraints.length === 0) return true;
  return constraints.some(({ property }) => type.structuralProperties.get(property)?.nullable !== false);
}
