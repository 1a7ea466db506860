import {
  type ComplexType,
  type EntitySet,
  type EntityType,
  type EnumerationType,
  isReadable,
  type NavigationProperty,
  type PrimitiveTypeName,
  readableProperties,
  type StructuralProperty,
  type TypeUse,
  type ValueType,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { OpaqueTypeName } from '../../model/type-use.ts';

/** A built-in type by its name. */
type BuiltInType = PrimitiveTypeName | OpaqueTypeName;

/** The type of a single value: `null` is that of the literal, which fits everywhere. */
export type SingleType = BuiltInType | 'null' | ModelType | EnumerationType;

interface CollectionType {
  readonly kind: 'collection';
  readonly item: SingleType;
}

/**
 * The type of an expression. Each type is one value, so that types are the same where they are identical: those of the
 * model are its own. Edm.Untyped is what only the single value can tell.
 */
export type ExpressionType = SingleType | CollectionType;

type NumericTypeName = Extract<
  PrimitiveTypeName,
  `Edm.${'SByte' | 'Byte' | 'Int16' | 'Int32' | 'Int64' | 'Decimal' | 'Single' | 'Double'}`
>;

/** The numeric types from narrowest to widest: OData 4.01 Part 2, 5.1.1.18. */
const NUMERIC: readonly NumericTypeName[] = [
  'Edm.SByte',
  'Edm.Byte',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Decimal',
  'Edm.Single',
  'Edm.Double',
];
const RANK: ReadonlyMap<ExpressionType, number> = new Map(NUMERIC.map((type, rank) => [type, rank]));
const DECIMAL_RANK = NUMERIC.indexOf('Edm.Decimal');

export function isNumeric(type: ExpressionType): type is NumericTypeName {
  return RANK.has(type);
}

export function isInteger(type: ExpressionType): boolean {
  return (RANK.get(type) ?? DECIMAL_RANK) < DECIMAL_RANK;
}

export function isFloating(type: ExpressionType): boolean {
  return type === 'Edm.Single' || type === 'Edm.Double';
}

/** Every value of the type is a JavaScript number: no bigint, no decimal string. */
export function isPlainNumber(type: ExpressionType): boolean {
  return isNumeric(type) && type !== 'Edm.Int64' && type !== 'Edm.Decimal';
}

export function isCollection(type: ExpressionType): type is CollectionType {
  return typeof type === 'object' && type.kind === 'collection';
}

export function isUntyped(type: ExpressionType): type is 'Edm.Untyped' {
  return type === 'Edm.Untyped';
}

export function isGeography(type: ExpressionType): boolean {
  return typeof type === 'string' && type.startsWith('Edm.Geography');
}

/** Whether single values of the type have properties. */
export function isStructured(type: ExpressionType): type is ModelType {
  return typeof type === 'object' && (type.kind === 'entity' || type.kind === 'complex');
}

/** The entity or complex type that a single value is of; undefined for others. */
export function structuredOf(type: ExpressionType): ModelType | undefined {
  return isStructured(type) ? type : undefined;
}

export function isEnumeration(type: ExpressionType): type is EnumerationType {
  return typeof type === 'object' && type.kind === 'enumeration';
}

/** The enumeration that a single value is of; undefined for others. */
export function enumerationOf(type: ExpressionType): EnumerationType | undefined {
  return isEnumeration(type) ? type : undefined;
}

/** The type of a collection's items. */
export function itemType(type: ExpressionType): SingleType {
  return isCollection(type) ? type.item : type;
}

const COLLECTIONS = new Map<SingleType, CollectionType>();
const COLLECTIONS_OF_MODELS = new WeakMap<object, CollectionType>();

export function collectionOf(type: ExpressionType): CollectionType {
  const item = itemType(type);
  const known = typeof item === 'string' ? COLLECTIONS.get(item) : COLLECTIONS_OF_MODELS.get(item);
  if (known !== undefined) return known;
  const collection: CollectionType = { kind: 'collection', item };
  if (typeof item === 'string') COLLECTIONS.set(item, collection);
  else COLLECTIONS_OF_MODELS.set(item, collection);
  return collection;
}

/** The name of a type in messages and in URLs. */
export function typeName(type: ExpressionType): string {
  if (typeof type === 'string') return type;
  return isCollection(type) ? `Collection(${typeName(type.item)})` : qualifiedName(type);
}

/** The type that two numeric operands are promoted to. */
export function widerType(left: ExpressionType, right: ExpressionType): ExpressionType {
  return (RANK.get(left) ?? 0) < (RANK.get(right) ?? 0) ? right : left;
}

/** The type of a cross join's combinations: it has a navigation property for the entity of each set. */
interface CombinationType extends EntityType {
  readonly combines: readonly string[];
}

export function isCombination<Type extends ModelType>(type: Type): type is Type & CombinationType {
  return 'combines' in type;
}

/**
 * The type of the combinations of sets. Where the entities stand in the combinations' own rows,
 * `origin` says so; else what options read of them is noted by their names.
 */
export function combinationType<Set extends EntitySet>(
  sets: readonly Set[],
  origin: (set: Set) => NavigationProperty['origin'],
): CombinationType {
  const names = sets.map(({ name }) => name);
  return {
    kind: 'entity',
    namespace: 'Edm',
    // No name of a model has a sign in it.
    name: `$crossjoin(${names.join(',')})`,
    description: undefined,
    key: [],
    boundCallables: [],
    structuralProperties: new Map(),
    navigationProperties: new Map(sets.map((set) => [set.name, entityOfSet(set, origin(set))])),
    base: undefined,
    derived: [],
    abstract: false,
    open: false,
    discriminator: undefined,
    combines: names,
  };
}

function entityOfSet(set: EntitySet, origin: NavigationProperty['origin']): NavigationProperty {
  return {
    name: set.name,
    description: undefined,
    entityType: set.entityType,
    collection: false,
    nullable: false,
    containsTarget: false,
    target: set,
    partner: undefined,
    constraints: [],
    origin,
    addReference: undefined,
    removeReference: undefined,
  };
}

export type ModelType = EntityType | ComplexType;

interface Named {
  readonly namespace: string;
  readonly name: string;
}

export function qualifiedName({ namespace, name }: Named): `${string}.${string}` {
  return `${namespace}.${name}`;
}

/** The entity or complex type of that qualified name. */
export function structuredType(model: Model, name: string): ModelType | undefined {
  return findEntityType(model, name) ?? find(model.complexTypes, name);
}

/** The entity type of that qualified name. */
export function findEntityType(model: Model, name: string): EntityType | undefined {
  return find(model.entityTypes, name);
}

export function enumerationType(model: Model, name: string): EnumerationType | undefined {
  return find(model.enumerationTypes, name);
}

function find<Type extends Named>(types: ReadonlyMap<string, Type>, name: string): Type | undefined {
  const type = types.get(name.slice(name.lastIndexOf('.') + 1));
  return type !== undefined && qualifiedName(type) === name ? type : undefined;
}

/** The expression type of what a property holds. */
export function typeOfUse({ type, collection }: Pick<TypeUse, 'type' | 'collection'>): ExpressionType {
  const single = type.kind === 'primitive' ? type.name : type;
  return collection ? collectionOf(single) : single;
}

/** The type of instances that a transformation has made (Data Aggregation 4.0, 3.1): it has what is left. */
export type ResultType = (EntityType | (ComplexType & Pick<EntityType, 'key'>)) & ResultParts;

interface ResultParts {
  /** The type of the model that the instances were of before. */
  readonly origin: ModelType;
  readonly dynamic: ReadonlySet<string>;
  /** The members that some instances lack. */
  readonly sparse: ReadonlySet<string>;
  /** True if the rows are not readable entities; otherwise they are entities with added members. */
  readonly transient: boolean;
}

/** Whether instances of the type are what a transformation has made. */
export function isResult<Type extends ModelType>(type: Type): type is Type & ResultType {
  return 'origin' in type;
}

/** The type of an expression's values; the null literal counts as a string. */
export function useOfType(type: ExpressionType): Pick<TypeUse, 'type' | 'collection'> {
  const item = itemType(type);
  const single: ValueType =
    typeof item === 'object' ? item : { kind: 'primitive', name: item === 'null' ? 'Edm.String' : item };
  return { type: single, collection: isCollection(type) };
}

/** All properties that reads have of values of the type: its own, then those of derived types. */
export function propertiesOf(type: ModelType): ReadonlyMap<string, StructuralProperty> {
  return new Map(withDerivedTypes(type).flatMap((each) => [...readableProperties(each)]));
}

/** An entity type without a key, so that complex values can be queried like entities. */
export function asEntityType(type: ModelType): EntityType {
  if (type.kind === 'entity') return type;
  const stand: StandIn = {
    ...type,
    kind: 'entity',
    key: [],
    boundCallables: [],
    base: undefined,
    derived: [],
    standsFor: type,
  };
  return stand;
}

/** An entity type that a complex type is taken for. */
interface StandIn extends EntityType {
  readonly standsFor: ComplexType;
}

/** The type of the values themselves, where {@link asEntityType} has made entities of them. */
export function asValueType(type: EntityType | StandIn): ModelType {
  return 'standsFor' in type ? type.standsFor : type;
}

/** The type of a name: a readable structural property, or related entities. */
export function declaredType(type: ModelType, name: string): ExpressionType | undefined {
  const property = type.structuralProperties.get(name);
  if (property !== undefined) return isReadable(property) ? typeOfUse(property) : undefined;
  const navigation = type.navigationProperties.get(name);
  if (navigation === undefined) return undefined;
  const { entityType, collection } = navigation;
  return typeOfUse({ type: entityType, collection });
}

/** Values of an open type may have any property that the type does not declare (CSDL 4.01, 6.3). */
export function isDynamic({ open, structuralProperties, navigationProperties }: ModelType, name: string) {
  return open && !structuralProperties.has(name) && !navigationProperties.has(name);
}

/** The declaration of a value with control information. */
export type DeclaredType = Pick<TypeUse, 'type' | 'collection'> & Pick<Partial<TypeUse>, 'definition'>;

/** Whether a member of an object is the control information of its type, in 4.0 or in 4.01 (JSON Format, 4.6.3). */
export function isTypeControl(member: string): boolean {
  return member === '@odata.type' || member === '@type';
}

/** The member that a type annotation refers to: `Age` for `Age@odata.type`. Undefined for other members. */
export function memberOfTypeControl(member: string): string | undefined {
  const at = member.indexOf('@');
  return at > 0 && isTypeControl(member.slice(at)) ? member.slice(0, at) : undefined;
}

/**
 * Whether a value of the declared type may have the type that control information names: `#Int32`,
 * `#Collection(String)`, `#Ns.Type`, after the URL of the metadata document or not, with `Edm.` or not. What has no
 * type of its own may have any.
 */
export function mayBeNamed(declared: DeclaredType, reference: unknown): boolean {
  if (declared.type.name === 'Edm.Untyped') return true;
  if (typeof reference !== 'string') return false;
  const fragment = reference.slice(reference.lastIndexOf('#') + 1);
  const item = /^Collection\((.*)\)$/s.exec(fragment)?.[1];
  if ((item !== undefined) !== declared.collection) return false;
  const name = item ?? fragment;
  const qualified = name.includes('.') ? name : `Edm.${name}`;
  return namesOf(declared).includes(qualified) || isNarrower(qualified, declared.type.name);
}

/** The types that a value may have, for a message. */
export function describeDeclared(declared: DeclaredType): string {
  const [name = ''] = namesOf(declared);
  const { kind } = declared.type;
  const expected = declared.collection ? `Collection(${name})` : name;
  return kind === 'complex' || kind === 'entity' ? `${expected} or a type derived from it` : expected;
}

/** The qualified names of the types that a value may have, the declared one first. */
function namesOf({ type, definition }: DeclaredType): readonly string[] {
  const defined = definition === undefined ? [] : [qualifiedName(definition)];
  switch (type.kind) {
    case 'primitive':
      return [...defined, type.name];
    case 'enumeration':
      return [qualifiedName(type)];
    case 'complex':
    case 'entity':
      return withDerivedTypes(type).map(qualifiedName);
  }
}

/** Numbers of a narrower type are values of the wider one (URL Conventions, 5.1.1.2). */
function isNarrower(name: string, declared: string): boolean {
  const [narrow, wide] = [name as ExpressionType, declared as ExpressionType];
  return isNumeric(narrow) && isNumeric(wide) && widerType(narrow, wide) === wide;
}
