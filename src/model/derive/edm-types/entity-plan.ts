import type { DocumentNode } from '../../../openapi/document/document-node.ts';
import { componentName, ownSchema, type Schema } from '../../../openapi/schemas/schema.ts';
import { pascalCase, pointerName } from '../../names.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { entityKey, type KeyedPath, type KeyPart } from './entity-key.ts';
import { type NamedProperty, namedProperties } from './structural-property.ts';

/** An entity type to be: its schema, its name in the model, its key. */
export interface EntityPlan {
  readonly schema: Schema;
  readonly name: string;
  readonly properties: readonly NamedProperty[];
  /** Empty for a type that inherits its key, and for a singleton's that has none. */
  readonly key: readonly KeyPart[];
}

/** The entity types of a document by the identity of their schemas. */
export type EntityPlans = ReadonlyMap<string, EntityPlan>;

/** Entity types as they are found; each schema becomes one type. */
export interface EntityPlanner {
  readonly plans: EntityPlans;
  /**
   * The type of a schema that is read by the parameters of that path, or undefined (and a finding) where they
   * are no key. A type that is read in several places has the same key in all of them; where nothing is read by
   * key, the one that it has elsewhere.
   */
  readonly keyed: (schema: Schema, path: EntityPath, at: DocumentNode) => EntityPlan | undefined;
  /** A type by itself for entities that another type's schema describes, with that key and the first free name. */
  readonly variant: (
    schema: Schema,
    properties: readonly NamedProperty[],
    key: readonly KeyPart[],
    names: NameChoice,
  ) => EntityPlan;
  /** The type of a schema whose entity stands alone. */
  readonly single: (schema: Schema) => EntityPlan | undefined;
}

/** Where entities are, and what they are called there, should their schema have no name. */
export interface EntityPath extends KeyedPath {
  readonly typeName: string | undefined;
}

export function entityPlanner(derivation: Derivation): EntityPlanner {
  const plans = new Map<string, EntityPlan>();
  const add = (plan: Omit<EntityPlan, 'name'>, ...names: NameChoice): EntityPlan => {
    const name = derivation.claimTypeName(namesOf(plan.schema, names), plan.schema.identity);
    const added = { ...plan, name };
    plans.set(plan.schema.identity, added);
    addRelatives(derivation, plans, added);
    return added;
  };
  return {
    plans,
    keyed: (used, path, at) => {
      const schema = ownSchema(used);
      const known = plans.get(schema.identity);
      if (known !== undefined && known.key.length > 0 && path.parameters.length === 0) return known;
      const properties = known?.properties ?? namedProperties(derivation, schema);
      const key = entityKey(derivation, schema, properties, path, at);
      const name = typeName(schema) ?? path.typeName;
      if (key === undefined || name === undefined) return undefined;
      if (known === undefined) return add({ schema, properties, key }, name);
      if (known.key.length > 0 && !sameKey(known.key, key)) return reportOtherKey(derivation, known, at);
      const keyed = { ...known, key };
      if (known.key.length > 0) return keyed;
      plans.set(schema.identity, keyed);
      addRelatives(derivation, plans, keyed);
      return keyed;
    },
    variant: (schema, properties, key, names) => add({ schema, properties, key }, ...names),
    single: (used) => {
      const schema = ownSchema(used);
      const known = plans.get(schema.identity);
      const name = typeName(schema);
      if (known !== undefined || name === undefined) return known;
      const properties = namedProperties(derivation, schema);
      return add({ schema, properties, key: [] }, name);
    },
  };
}

function namesOf({ identity }: Schema, [wanted, ...others]: NameChoice): NameChoice {
  return [wanted, ...others, pointerName(identity) ?? wanted];
}

function typeName(schema: Schema): string | undefined {
  return pascalCase(componentName(schema) ?? '');
}

function sameKey(a: readonly KeyPart[], b: readonly KeyPart[]): boolean {
  const names = (key: readonly KeyPart[]) => key.map(({ property }) => property.name).join();
  return names(a) === names(b);
}

function reportOtherKey({ source }: Derivation, { name, key }: EntityPlan, at: DocumentNode): undefined {
  const names = key.map(({ property }) => property.name).join(', ');
  source.report(
    'warning',
    at.pointer,
    `Elsewhere the key of ${name} is ${names || 'none'}: it cannot be another one here`,
  );
}

/**
 * What an entity type is derived from, and what is derived from it, are entity types too; they have its key
 * where they have the properties of it and no other key is known.
 */
function addRelatives(derivation: Derivation, plans: Map<string, EntityPlan>, plan: EntityPlan): void {
  const { baseOf, derivedFrom } = derivation.inheritance;
  const base = baseOf(plan.schema);
  for (const schema of [...(base === undefined ? [] : [base]), ...derivedFrom(plan.schema)]) {
    const known = plans.get(schema.identity);
    const relative = known ?? keylessPlan(derivation, schema);
    if (relative === undefined || relative.key.length > 0) continue;
    const key = sharedKey(relative, plan.key);
    if (known !== undefined && key.length === 0) continue;
    const added = { ...relative, key };
    plans.set(schema.identity, added);
    addRelatives(derivation, plans, added);
  }
}

function keylessPlan(derivation: Derivation, schema: Schema): EntityPlan | undefined {
  const wanted = pascalCase(componentName(schema) ?? '');
  if (wanted === undefined) return undefined;
  const name = derivation.claimTypeName(namesOf(schema, [wanted]), schema.identity);
  return { schema, name, properties: namedProperties(derivation, schema), key: [] };
}

function sharedKey({ properties }: EntityPlan, key: readonly KeyPart[]): readonly KeyPart[] {
  const parts = key.flatMap(({ property: { upstreamName, within, ...named }, parameter }) => {
    // A part of a key within another property is one where that is.
    const own = within?.[0] ?? upstreamName;
    const property = properties.find((each) => each.upstreamName === own);
    if (property === undefined) return [];
    const isAlias = named.aliasOf !== undefined;
    return [{ property: isAlias ? { ...named, upstreamName, within: within ?? [] } : property, parameter }];
  });
  return parts.length === key.length ? parts : [];
}
