import type {
  DescribedComplexType,
  DescribedEntityType,
  DescribedStructuralProperty,
  DescribedStructuredType,
} from '../../model/description.ts';
import { pascalCase, pointerName } from '../../model/names.ts';
import type { DocumentNode } from '../../openapi/document/document-node.ts';
import { componentName, ownSchema, type Schema, setting } from '../../openapi/schemas/schema.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { entityKey, type KeyedPath, type KeyPart } from './entity-key.ts';
import { entityProperties, type NamedProperty, namedProperties } from './structural-property.ts';

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
      const properties = known?.properties ?? entityProperties(derivation, schema);
      const key = entityKey(derivation, schema, properties, path, at);
      const name = typeName(schema) ?? (key && typeNameOf(path, key));
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
      return add({ schema, properties, key: keySaid(derivation, schema, properties) }, name);
    },
  };
}

/** The key that the document says of an entity which nothing reads by one (CSDL 4.01, 6.5). */
function keySaid(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
): readonly KeyPart[] {
  const said = setting(schema, 'key');
  return (said && entityKey(derivation, schema, properties, UNREAD, said)) ?? [];
}

const UNREAD: KeyedPath = { parameters: [], collection: undefined, above: [], changedBy: undefined };

function namesOf({ identity }: Schema, [wanted, ...others]: NameChoice): NameChoice {
  return [wanted, ...others, pointerName(identity) ?? wanted];
}

/** The name by the path, but for what is around an object that has this name itself. */
function typeNameOf({ typeName: name }: EntityPath, key: readonly KeyPart[]): string | undefined {
  const isAround = key.some(({ property }) => property.aliasOf?.[0] === name);
  return name !== undefined && isAround ? `${name}Entry` : name;
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
