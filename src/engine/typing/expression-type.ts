import {
  type ComplexType,
  type EntitySet,
  type EntityType,
  type EnumerationType,
  type NavigationProperty,
  type PrimitiveTypeName,
  type StructuralProperty,
  type TypeUse,
  type ValueType,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { readableProperties } from '../../model/plain-property.ts';

/** The qualified name of a type, of the model or built in. */
type QualifiedName = PrimitiveTypeName | `${string}.${string}`;

/** What a single value is: `null` is the type of the literal, which fits everywhere. */
type SingleType = QualifiedName | 'null';

/** What an expression is. Edm.Untyped is what only the single value can tell. */
export type ExpressionType = SingleType | `Collection(${SingleType})`;

/** From narrowest to widest: OData 4.01 Part 2, 5.1.1.18. */
const NUMERIC: readonly ExpressionType[] = [
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

export function isNumeric(type: ExpressionType): type is PrimitiveTypeName {
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

export function isCollection(type: ExpressionType): boolean {
  return type.startsWith('Collection(');
}

export function isUntyped(type: ExpressionType): boolean {
  return type === 'Edm.Untyped';
}

export function isGeography(type: ExpressionType): boolean {
  return type.startsWith('Edm.Geography');
}

/** The type of a collection's items. */
export function itemType(type: ExpressionType): SingleType {
  return (isCollection(type) ? type.slice('Collection('.length, -1) : type) as SingleType;
}

export function collectionOf(type: ExpressionType): ExpressionType {
  return `Collection(${itemType(type)})`;
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
 * The model with a type for the combinations of sets. Where the entities stand in the combinations' own rows,
 * `origin` says so; else what options read of them is noted by their names.
 */
export function withCombinations<Set extends EntitySet>(
  model: Model,
  sets: readonly Set[],
  origin: (set: Set) => NavigationProperty['origin'],
): { readonly model: Model; readonly type: CombinationType } {
  const names = sets.map(({ name }) => name);
  const type: CombinationType = {
    kind: 'entity',
    namespace: 'Edm',
    // No name of a model has a sign in it.
    name: `$crossjoin(${names.join(',')})`,
    description: undefined,
    key: [],
    structuralProperties: new Map(),
    navigationProperties: new Map(sets.map((set) => [set.name, entityOfSet(set, origin(set))])),
    base: undefined,
    derived: [],
    abstract: false,
    open: false,
    discriminator: undefined,
    combines: names,
  };
  return { model: { ...model, entityTypes: new Map([...model.entityTypes, [type.name, type]]) }, type };
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
  return find(model.entityTypes, name) ?? find(model.complexTypes, name);
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
  const single = type.kind === 'primitive' ? type.name : qualifiedName(type);
  return collection ? collectionOf(single) : single;
}

/** What a value of an expression's type is; the null literal counts as a string. */
export function useOfType(type: ExpressionType, model: Model): Pick<TypeUse, 'type' | 'collection'> {
  return { type: valueTypeOf(itemType(type), model), collection: isCollection(type) };
}

function valueTypeOf(name: ExpressionType, model: Model): ValueType {
  return (
    structuredType(model, name) ??
    enumerationType(model, name) ?? {
      kind: 'primitive',
      name: name === 'null' ? 'Edm.String' : (name as PrimitiveTypeName),
    }
  );
}

/** All properties that reads have of values of the type: its own, then those of derived types. */
export function propertiesOf(type: ModelType): ReadonlyMap<string, StructuralProperty> {
  return new Map(withDerivedTypes(type).flatMap((each) => [...readableProperties(each)]));
}

/** The type as one of entities without a key: values that are none are queried as if they were. */
export function asEntityType(type: ModelType): EntityType {
  return type.kind === 'entity' ? type : { ...type, kind: 'entity', key: [], base: undefined, derived: [] };
}
