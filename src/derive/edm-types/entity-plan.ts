import type {
  DescribedComplexType,
  DescribedEntityType,
  DescribedStructuralProperty,
  DescribedStructuredType,
} from '../../model/description.ts';
import { foldedName, pascalCase, pointerName } from '../../model/names.ts';
import { type DocumentNode, member, members } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { componentName, ownSchema, type Schema, setting } from '../../openapi/schemas/schema.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { type EntityKey, entityKey, type KeyPart } from './entity-key.ts';
import { isWeakKey } from './key-names.ts';
import type { KeyedPath } from './key-rules.ts';
import { entityProperties, type NamedProperty, namedProperties } from './structural-property.ts';

/** An entity type to be: its schema, its name in the model, its key. */
export interface EntityPlan {
  readonly schema: Schema;
  readonly name: string;
  readonly properties: readonly NamedProperty[];
  /** Empty for a type that inherits its key, and for a singleton's that has none. */
  readonly key: readonly KeyPart[];
  /** The convention that found the key; undefined for a type without one, or with that of another type. */
  readonly keyRule?: EntityKey['rule'];
}

/** The entity types of a document by the identity of their schemas. */
export type EntityPlans = ReadonlyMap<string, EntityPlan>;

/** Entity types as they are found; each schema becomes one type. */
export interface EntityPlanner {
  readonly plans: EntityPlans;
  /** The key that entities of a schema have at that path by themselves. */
  readonly keyAt: (schema: Schema, path: EntityPath, at: DocumentNode) => EntityKey | undefined;
  /**
   * The type of a schema with the parameters of the path as its key, or undefined (and a finding) if they are
   * no key. A type has one key (CSDL 4.01, 6.5), that of the first path; for reads by another key the schema
   * gets another type. Entities in lists only have the type and the key of the first path, unless that key is
   * a name and they have an identifier.
   */
  readonly keyed: (schema: Schema, path: EntityPath, at: DocumentNode) => EntityPlan | undefined;
  /**
   * A separate type for entities with the schema of another type, with the given key and the first free name.
   */
  readonly variant: (
    schema: Schema,
    properties: readonly NamedProperty[],
    key: Omit<EntityKey, 'isIdentity'>,
    names: NameChoice,
  ) => EntityPlan;
  /** The type of a schema whose entity stands alone. */
  readonly single: (schema: Schema) => EntityPlan | undefined;
}

/** The path of entities, and a type name for schemas without one. */
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
  const keyAt: EntityPlanner['keyAt'] = (used, path, at) => {
    const schema = ownSchema(used);
    const properties = plans.get(schema.identity)?.properties ?? entityProperties(derivation, schema);
    return entityKey(derivation, schema, properties, path, at);
  };
  const otherwiseKeyed = new Map<string, EntityPlan>();
  /** The type of entities whose schema has a type with another key. */
  const withOtherKey = (
    known: EntityPlan,
    key: EntityKey,
    path: EntityPath,
    at: DocumentNode,
  ): EntityPlan => {
    const names = key.parts.map(({ property }) => property.name);
    const of = `${known.schema.identity} ${path.typeName} ${names.join(' ')}`;
    const before = otherwiseKeyed.get(of);
    if (before !== undefined) return { ...before, key: key.parts, keyRule: key.rule };
    const schema: Schema = { ...known.schema, identity: at.pointer, variantOf: known.schema.identity };
    const { properties, name } = known;
    const plan = { schema, properties, key: key.parts, keyRule: key.rule };
    const byKey = pascalCase(`${name} by ${names.join(' ')}`) ?? name;
    const isOthers =
      path.typeName === undefined || componentNames(derivation.source).has(foldedName(path.typeName));
    const added = isOthers ? add(plan, byKey) : add(plan, path.typeName, byKey);
    otherwiseKeyed.set(of, added);
    reportOtherKey(derivation, known, added, at);
    return added;
  };
  return {
    plans,
    keyAt,
    keyed: (used, path, at) => {
      const schema = ownSchema(used);
      const known = plans.get(schema.identity);
      const isKeyed = known !== undefined && known.key.length > 0;
      if (isKeyed && path.parameters.length === 0 && !known.key.some(({ property }) => isWeakKey(property)))
        return known;
      const key = keyAt(used, path, at);
      if (isKeyed && path.parameters.length === 0) {
        return key === undefined || !key.isIdentity || sameKey(known.key, key.parts)
          ? known
          : withOtherKey(known, key, path, at);
      }
      const name = typeName(schema) ?? (key && typeNameOf(path, key.parts));
      if (key === undefined || name === undefined) return undefined;
      const { parts, rule } = key;
      if (known === undefined) {
        const properties = entityProperties(derivation, schema);
        return add({ schema, properties, key: parts, keyRule: rule }, name);
      }
      if (isKeyed && !sameKey(known.key, parts)) return withOtherKey(known, key, path, at);
      const keyed = { ...known, key: parts, keyRule: rule };
      if (isKeyed) return keyed;
      plans.set(schema.identity, keyed);
      addRelatives(derivation, plans, keyed);
      return keyed;
    },
    variant: (schema, properties, { parts, rule }, names) =>
      add({ schema, properties, key: parts, keyRule: rule }, ...names),
    single: (used) => {
      const schema = ownSchema(used);
      const known = plans.get(schema.identity);
      const name = typeName(schema);
      if (known !== undefined || name === undefined) return known;
      const properties = namedProperties(derivation, schema);
      return add({ schema, properties, key: declaredKey(derivation, schema, properties) }, name);
    },
  };
}

/** The key that the document declares for an entity without a read by key (CSDL 4.01, 6.5). */
function declaredKey(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
): readonly KeyPart[] {
  const declared = setting(schema, 'key');
  return (declared && entityKey(derivation, schema, properties, UNREAD, declared)?.parts) ?? [];
}

const UNREAD: KeyedPath = { parameters: [], collection: undefined, above: [], changedBy: undefined };

const COMPONENT_NAMES = new WeakMap<DocumentSource, ReadonlySet<string>>();

/** The names of the document's schemas, whatever their style. */
export function componentNames(source: DocumentSource): ReadonlySet<string> {
  const known = COMPONENT_NAMES.get(source);
  if (known !== undefined) return known;
  const components = members(member(member(source.root, 'components'), 'schemas'));
  const names = new Set(components.map(([name]) => foldedName(name)));
  COMPONENT_NAMES.set(source, names);
  return names;
}

function namesOf({ identity }: Schema, [wanted, ...others]: NameChoice): NameChoice {
  return [wanted, ...others, pointerName(identity) ?? wanted];
}

/** The name of the path, except for the wrapper of an object with this name. */
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

function reportOtherKey(
  { source }: Derivation,
  { name, key }: EntityPlan,
  other: EntityPlan,
  at: DocumentNode,
): void {
  const [names, others] = [key, other.key].map((parts) =>
    parts.map(({ property }) => property.name).join(', '),
  );
  const message = `Its entities are identified by ${others}, and elsewhere by ${names}: their type here is ${other.name}, not ${name}`;
  source.report('info', at.pointer, message, 'key-of-its-own');
}

/**
 * Base types and derived types of an entity type are entity types, too; they have its key if they have its
 * properties and no other key is known.
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
    // A part of a key within another property follows the name of the outer property.
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
 * The types with no nullable property on the path to a part of a key, such as `Owner` and `Id` for `Owner/Id`
 * (CSDL 4.01, 6.5). Outside of keys, complex types stay nullable as the document declares.
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
