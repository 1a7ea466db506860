import {
  type GraphQLFieldConfig,
  type GraphQLFieldResolver,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql';
import { type Row, TYPE } from '../../contract/row.ts';
import { entityTag } from '../../engine/load/entity-state.ts';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import {
  type EntitySet,
  type EntityType,
  etagProperty,
  type StructuralProperty,
  type TypeUse,
  typeNamed,
} from '../../model/edm.ts';
import { madeOnce } from '../../model/maps.ts';
import type { Model } from '../../model/model.ts';
import type { GraphQLContext, Input } from '../context/graphql-context.ts';
import {
  type FunctionMember,
  type Member,
  type RelatedMember,
  type StreamMember,
  standingFor,
} from '../context/members.ts';
import { hasDerived, type ShownModel } from '../context/schema-names.ts';
import { connectionOf, connectionOrder, PAGE, relationKey } from '../query/connection-options.ts';
import { ENTITY_SET, setsWithNodes, writeNodeId } from '../query/node-id.ts';
import type { CollectionArguments } from './collection-arguments.ts';
import type { ConnectionTypes, NodeTypes } from './connection-types.ts';
import { deprecation, describedValue, several, valueReader } from './field-parts.ts';
import { ID, isFlags, JSON_VALUE, type ScalarFor } from './scalars.ts';

type Field = GraphQLFieldConfig<Row, GraphQLContext>;
type Resolve = GraphQLFieldResolver<Row, GraphQLContext>;

export interface ObjectTypes extends NodeTypes {
  /** The type for values of a property, parameter or result. */
  use(use: TypeUse, isKey?: boolean): GraphQLOutputType;
  /** The object types of the model, including those that only interfaces refer to. */
  all(): readonly GraphQLObjectType[];
  readonly connections: ConnectionTypes;
  /** The object type of entities of the type itself. */
  readonly objectOf: (type: EntityType) => GraphQLObjectType;
  /** The interface of entities with a global identifier. */
  readonly node: GraphQLInterfaceType;
}

interface ObjectTypeParts {
  readonly shown: ShownModel;
  readonly scalarFor: ScalarFor;
  readonly collections: CollectionArguments;
  /** A function as a field of its entities. */
  readonly boundFunction: (type: ModelType, member: FunctionMember) => Field | undefined;
  /** Passed as a function, because connections and objects refer to each other. */
  readonly connections: (objects: NodeTypes) => ConnectionTypes;
}

const MEDIA_STREAM = new GraphQLObjectType({
  name: 'MediaStream',
  description: 'A stream of an entity, which is read at its URL.',
  fields: {
    url: { type: new GraphQLNonNull(GraphQLString) },
    type: { type: GraphQLString, description: 'The media type.' },
    etag: { type: GraphQLString },
  },
});

/** GraphQL requires at least one field, and objects have all fields of their interfaces. */
const NO_FIELDS = { additionalProperties: { type: JSON_VALUE } };

/** The types of fields, with the parts that they are made of. */
interface MadeTypes extends Omit<ObjectTypeParts, 'connections'>, NodeTypes {
  readonly connections: ConnectionTypes;
}

/** Object types and interfaces, each created on first use. */
export function objectTypes({ connections, ...parts }: ObjectTypeParts): ObjectTypes {
  const { model, names } = parts.shown;
  const objects = new Map<ModelType, GraphQLObjectType>();
  const interfaces = new Map<ModelType, GraphQLInterfaceType>();
  const of = (type: ModelType) => (hasDerived(type) ? interfaceOf(type) : objectOf(type));
  const made: MadeTypes = { ...parts, of, connections: connections({ of }) };
  const node = new GraphQLInterfaceType({
    name: names.node.type,
    description: 'An entity with an identifier that no other entity of this service has.',
    fields: {
      [names.node.field]: { type: new GraphQLNonNull(ID), description: 'The global identifier.' },
    },
    resolveType: (row: Row) => names.objectOf(row[TYPE] ?? ''),
  });

  function interfaceOf(type: ModelType): GraphQLInterfaceType {
    return madeOnce(interfaces, type, () => {
      const resolveType = (row: Row) => names.objectOf(row[TYPE] ?? type.name);
      return new GraphQLInterfaceType({
        ...partsOf(type, false),
        name: names.typeOf(type.name),
        resolveType,
      });
    });
  }

  function objectOf(type: ModelType): GraphQLObjectType {
    const name = names.objectOf(type.name);
    return madeOnce(objects, type, () => new GraphQLObjectType({ ...partsOf(type, true), name }));
  }

  function partsOf(type: ModelType, isObject: boolean) {
    const bases = lineage(type).filter((base) => isObject || base !== type);
    return {
      description: type.description,
      interfaces: () => [...bases.map(interfaceOf), ...(nodeSetsOf(model, type).length > 0 ? [node] : [])],
      fields: () => fieldsOf(made, type),
    };
  }

  return {
    of,
    use: (value, isKey) => useOf(made, value, isKey),
    all: () =>
      [...model.entityTypes.values(), ...model.complexTypes.values()]
        .filter((type) => type.base !== undefined || hasDerived(type))
        .map(objectOf),
    connections: made.connections,
    objectOf,
    node,
  };
}

/** The type and its base types, as far as they have interfaces. */
function lineage(type: ModelType): readonly ModelType[] {
  const bases = type.base === undefined ? [] : lineage(type.base);
  return hasDerived(type) ? [type, ...bases] : bases;
}

function fieldsOf(made: MadeTypes, type: ModelType): Record<string, Field> {
  const fields = declaredFields(made, type);
  const isBare = fields.length === 0 || lineage(type).some((base) => declaredFields(made, base).length === 0);
  return {
    ...nodeIdField(made, type),
    ...(isBare && NO_FIELDS),
    ...Object.fromEntries(fields),
    ...etagField(made, type),
  };
}

function etagField({ shown: { names } }: MadeTypes, type: ModelType): Record<string, Field> {
  const name = names.etagOf(type);
  if (name === undefined || type.kind !== 'entity') return {};
  const property = etagProperty(type);
  return {
    [name]: {
      type: GraphQLString,
      description: 'The entity tag of this state, for `ifMatch`.',
      resolve: (row) => entityTag(row, property) ?? null,
      extensions: standingFor({ kind: 'etag', declaredIn: type.name }),
    },
  };
}

function nodeSetsOf(model: Model, type: ModelType): readonly EntitySet[] {
  return type.kind === 'entity' ? setsWithNodes(model, type) : [];
}

function nodeIdField({ shown: { model, names } }: MadeTypes, type: ModelType): Record<string, Field> {
  const sets = nodeSetsOf(model, type);
  const [first] = sets;
  if (first === undefined) return {};
  const setOf = (row: Row) => sets.find(({ name }) => name === row[ENTITY_SET]) ?? first;
  return {
    [names.node.field]: {
      type: new GraphQLNonNull(ID),
      resolve: (row) => writeNodeId(setOf(row), row),
      extensions: standingFor({ kind: 'nodeId', declaredIn: type.name }),
    },
  };
}

function declaredFields(
  made: MadeTypes,
  type: ModelType,
): readonly (readonly [name: string, field: Field])[] {
  return [...made.shown.names.membersOf(type)].flatMap(([name, member]) => {
    const field = fieldOf(made, type, member);
    return field === undefined ? [] : [[name, { ...field, extensions: standingFor(member) }] as const];
  });
}

function fieldOf(made: MadeTypes, type: ModelType, member: Member): Field | undefined {
  switch (member.kind) {
    case 'property':
      return propertyField(made, type, member.property);
    case 'related':
      return relatedField(made, member);
    case 'connection':
      return connectionField(made, member);
    case 'stream':
      return { type: MEDIA_STREAM, resolve: streamOf(type, member) };
    case 'function':
      return made.boundFunction(type, member);
    case 'dynamic':
      return {
        type: JSON_VALUE,
        description: 'The properties that no type declares, in an object.',
        resolve: (row) => undeclared(row, type),
      };
  }
}

function propertyField(made: MadeTypes, type: ModelType, property: StructuralProperty): Field {
  const { name, deprecated, sometimesNull = false } = property;
  const isKey = type.kind === 'entity' && type.key.includes(name);
  return {
    type: useOf(made, { ...property, nullable: property.nullable || sometimesNull }, isKey),
    description: describedValue(property),
    ...deprecation(deprecated),
    resolve: valueReader(property),
  };
}

function relatedField(made: MadeTypes, member: RelatedMember): Field {
  const { entityType, collection, description } = member.navigation;
  const related = made.of(entityType);
  const resolve: Resolve = (row, args) => row[relationKey(member, args)] ?? (collection ? [] : null);
  if (!collection) return { type: related, description, resolve };
  return { type: listOf(related, false), description, args: made.collections.list(entityType), resolve };
}

function connectionField(made: MadeTypes, member: RelatedMember): Field {
  const { entityType, description } = member.navigation;
  return {
    type: new GraphQLNonNull(made.connections.of(entityType)),
    description,
    args: made.collections.connection(entityType),
    resolve(row, args: Input, { dependencies }, info) {
      const answer = (part: string) => (row[relationKey(member, args, part)] ?? []) as readonly Row[];
      return connectionOf(connectionOrder(dependencies(info), entityType, args), args, answer(PAGE), answer);
    },
  };
}

function useOf(
  { of, scalarFor }: Pick<MadeTypes, 'of' | 'scalarFor'>,
  value: TypeUse,
  isKey = false,
): GraphQLOutputType {
  const { type, collection, nullable } = value;
  const item = type.kind === 'complex' || type.kind === 'entity' ? of(type) : scalarFor(type, isKey);
  const single = isFlags(type) ? several(item) : item;
  if (collection) return listOf(single, nullable);
  return nullable ? single : new GraphQLNonNull(single);
}

function listOf(item: GraphQLOutputType, nullable: boolean): GraphQLOutputType {
  const items = nullable || item instanceof GraphQLNonNull ? item : new GraphQLNonNull(item);
  return new GraphQLNonNull(new GraphQLList(items));
}

function streamOf(type: ModelType, member: StreamMember): Resolve {
  const { contentType, etag } = member.operations;
  return (row, _, { streamUrl }) => {
    if (type.kind !== 'entity') return null;
    return {
      url: streamUrl(type, row, member.name),
      type: contentType === undefined ? null : row[contentType],
      etag: etag === undefined ? null : row[etag],
    };
  };
}

/** The undeclared members of a row. */
function undeclared(row: Row, declared: ModelType): Record<string, unknown> {
  const type = typeNamed(declared, row[TYPE] ?? declared.name) ?? declared;
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name]) =>
        !type.structuralProperties.has(name) && !type.navigationProperties.has(name) && !name.includes(' '),
    ),
  );
}
