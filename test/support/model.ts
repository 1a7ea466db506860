import type { CollectionRead, EntityInsert, EntityRead } from '../../src/contract/entity-source.ts';
import type { Value } from '../../src/contract/row.ts';
import type {
  DescribedEntityType,
  DescribedModel,
  DescribedStructuralProperty,
} from '../../src/model/description.ts';
import {
  type EntitySet,
  type EntityType,
  plainProperty,
  type StructuralProperty,
} from '../../src/model/edm.ts';
import type { Model } from '../../src/model/model.ts';
import type { PrimitiveTypeName } from '../../src/model/type-use.ts';

/** A property of one primitive value, which may be null. */
export function primitiveProperty(
  name: string,
  type: PrimitiveTypeName,
  upstreamName: string = name,
): StructuralProperty & DescribedStructuralProperty {
  return {
    ...plainProperty(name, { type: { kind: 'primitive', name: type } as const, collection: false }),
    upstreamName,
  };
}

/** An entity type with the key `Id`. */
export function entityTypeOf(
  namespace: string,
  name: string,
  properties: readonly StructuralProperty[],
): EntityType {
  return {
    kind: 'entity',
    namespace,
    name,
    description: undefined,
    key: ['Id'],
    boundCallables: [],
    structuralProperties: new Map(properties.map((property) => [property.name, property])),
    navigationProperties: new Map(),
    base: undefined,
    derived: [],
    abstract: false,
    open: false,
    discriminator: undefined,
  };
}

/** The description of an entity type with the key `Id`, whose properties may be of types of the model. */
export function describedType(
  namespace: string,
  name: string,
  properties: readonly DescribedStructuralProperty[],
): DescribedEntityType {
  const {
    kind: _kind,
    base: _base,
    derived: _derived,
    boundCallables: _bound,
    ...type
  } = entityTypeOf(namespace, name, []);
  return {
    ...type,
    structuralProperties: new Map(properties.map((property) => [property.name, property])),
    navigationProperties: new Map(),
    baseType: undefined,
  };
}

/** A model of entity sets and their types, which are of primitive types alone, and of nothing else. */
export function modelOf(namespace: string, entitySets: readonly EntitySet[]): Model {
  const whole = {
    ...describedModel(namespace),
    entityTypes: new Map(entitySets.map(({ entityType }) => [entityType.name, entityType])),
    entitySets: new Map(entitySets.map((set) => [set.name, set])),
    singletons: new Map(),
    complexTypes: new Map(),
    callables: [],
    imports: new Map(),
  };
  const described = entitySets.map((set) => ({ ...set, entityType: describe(set.entityType) }));
  const description: DescribedModel = {
    ...describedModel(namespace),
    entityTypes: new Map(described.map(({ entityType }) => [entityType.name, entityType])),
    entitySets: new Map(described.map((set) => [set.name, set])),
  };
  return { ...whole, description };
}

function describe({ structuralProperties, ...type }: EntityType): DescribedEntityType {
  return {
    ...type,
    baseType: undefined,
    structuralProperties: structuralProperties as DescribedEntityType['structuralProperties'],
    navigationProperties: new Map(),
  };
}

/** The description of a model without any parts. */
export function describedModel(namespace: string): DescribedModel {
  return {
    namespace,
    container: 'Container',
    entityTypes: new Map(),
    entitySets: new Map(),
    complexTypes: new Map(),
    enumerationTypes: new Map(),
    typeDefinitions: new Map(),
    singletons: new Map(),
    callables: [],
    imports: new Map(),
  };
}

/** Reads of all entities of a set. */
export function listOf(entitySet: EntitySet, properties: readonly string[]): CollectionRead {
  return { ...subject(entitySet, properties), operation: offered(entitySet.list), arguments: {} };
}

/** A read of one entity of a set whose key has one property. */
export function readOf(entitySet: EntitySet, properties: readonly string[], key: Value): EntityRead {
  const operation = offered(entitySet.read);
  const args = Object.fromEntries(operation.parameters.map(({ name }) => [name, key]));
  return { ...subject(entitySet, properties), operation, arguments: args };
}

export function insertOf(
  entitySet: EntitySet,
  properties: readonly string[],
  body: string | Uint8Array,
): EntityInsert {
  const operation = offered(entitySet.insert);
  const content = operation.verbatim
    ? ({ kind: 'verbatim', body: Buffer.from(body) } as const)
    : ({ kind: 'values', values: JSON.parse(String(body)) } as const);
  return { ...subject(entitySet, properties), operation, arguments: {}, content };
}

function subject({ name, entityType }: EntitySet, properties: readonly string[]) {
  return { resource: name, entityType, properties };
}

function offered<Operation>(operation: Operation | undefined): Operation {
  if (operation === undefined) throw new Error('The set has no such operation');
  return operation;
}
