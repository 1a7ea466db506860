import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  type GraphQLInterfaceType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql';
import type { Row } from '../../contract/row.ts';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import { comparableType, type EntityType } from '../../model/edm.ts';
import { madeOnce } from '../../model/maps.ts';
import { isNumeric } from '../../model/type-use.ts';
import type { GraphQLContext } from '../context/graphql-context.ts';
import { type Member, standingFor } from '../context/members.ts';
import { capitalized } from '../context/names.ts';
import type { ShownModel } from '../context/schema-names.ts';
import { aggregateName, COUNT, type Connection, partKey } from '../query/connection-options.ts';
import { listOf, several, valueReader } from './field-parts.ts';
import { INT, isFlags, type ScalarFor } from './scalars.ts';

/** The types of the nodes of connections. */
export interface NodeTypes {
  /** An interface for a type with derived types. */
  of(type: ModelType): GraphQLOutputType & (GraphQLObjectType | GraphQLInterfaceType);
}

/** The types of connections (Relay Cursor Connections), with aggregates. */
export interface ConnectionTypes {
  of(type: EntityType): GraphQLObjectType;
}

/** Relay's PageInfo, with the cursors of the first and last edge. */
const PAGE_INFO = new GraphQLObjectType<Connection, GraphQLContext>({
  name: 'PageInfo',
  fields: {
    hasNextPage: { type: new GraphQLNonNull(GraphQLBoolean) },
    hasPreviousPage: { type: new GraphQLNonNull(GraphQLBoolean) },
    startCursor: {
      type: GraphQLString,
      resolve: ({ nodes, ordering }, _, context, info) => cursor(context, info, ordering, nodes[0]),
    },
    endCursor: {
      type: GraphQLString,
      resolve: ({ nodes, ordering }, _, context, info) => cursor(context, info, ordering, nodes.at(-1)),
    },
  },
});

type Info = Parameters<GraphQLContext['dependencies']>[0];

function cursor(
  { dependencies }: GraphQLContext,
  info: Info,
  ordering: Connection['ordering'],
  row: Row | undefined,
): string | null {
  return row === undefined ? null : dependencies(info).cursors.write(ordering, row);
}

interface Edge {
  readonly ordering: Connection['ordering'];
  readonly node: Row;
}

type Property = Extract<Member, { kind: 'property' }>;
type NamedProperty = readonly [name: string, member: Property];

/** The result type of an aggregation method; undefined if it does not apply to the property. */
type Shown = (member: Property) => GraphQLOutputType | undefined;

interface ConnectionParts {
  readonly shown: ShownModel;
  readonly scalarFor: ScalarFor;
  readonly objects: NodeTypes;
}

export function connectionTypes(parts: ConnectionParts): ConnectionTypes {
  const made = new Map<EntityType, GraphQLObjectType>();
  return { of: (type) => madeOnce(made, type, () => connectionType(parts, type)) };
}

function generated({ shown: { names } }: ConnectionParts, { name }: EntityType, suffix: string): string {
  return names.generated(names.typeOf(name), suffix);
}

function connectionType(parts: ConnectionParts, type: EntityType): GraphQLObjectType {
  const node = parts.objects.of(type);
  const edge = new GraphQLObjectType<Edge, GraphQLContext>({
    name: generated(parts, type, 'Edge'),
    fields: {
      cursor: {
        type: new GraphQLNonNull(GraphQLString),
        resolve: (each, _, context, info) => cursor(context, info, each.ordering, each.node),
      },
      node: { type: new GraphQLNonNull(node) },
    },
  });
  return new GraphQLObjectType<Connection, GraphQLContext>({
    name: generated(parts, type, 'Connection'),
    fields: () => ({
      nodes: { type: listOf(node) },
      edges: {
        type: listOf(edge),
        resolve: ({ nodes, ordering }) => nodes.map((each): Edge => ({ ordering, node: each })),
      },
      pageInfo: { type: new GraphQLNonNull(PAGE_INFO), resolve: (connection) => connection },
      totalCount: {
        type: new GraphQLNonNull(INT),
        description: 'How many there are on all pages.',
        resolve: ({ answer }) => answer(COUNT)[0]?.['count'] ?? 0,
      },
      ...summaryFields(parts, type),
    }),
  });
}

function summaryFields(
  parts: ConnectionParts,
  type: EntityType,
): GraphQLFieldConfigMap<Connection, GraphQLContext> {
  const properties = groupable(parts, type);
  const results = summaries(parts, type, properties);
  const aggregate: GraphQLFieldConfig<Connection, GraphQLContext> = {
    type: new GraphQLNonNull(
      new GraphQLObjectType({ name: generated(parts, type, 'Aggregate'), fields: results }),
    ),
    description: 'What all of them come to.',
    resolve: ({ answer }) => answer(partKey('aggregate'))[0] ?? { count: 0 },
  };
  if (properties.length === 0) return { aggregate };
  return { groups: groupsField(parts, type, properties, results), aggregate };
}

function groupsField(
  parts: ConnectionParts,
  type: EntityType,
  properties: readonly NamedProperty[],
  results: GraphQLFieldConfigMap<Row, GraphQLContext>,
): GraphQLFieldConfig<Connection, GraphQLContext> {
  const field = new GraphQLEnumType({
    name: generated(parts, type, 'Field'),
    values: Object.fromEntries(properties.map(([name, { property }]) => [name, { value: property.name }])),
  });
  const key = new GraphQLObjectType<Row, GraphQLContext>({
    name: generated(parts, type, 'GroupKey'),
    description: 'What the entities of a group have in common; null for what they are not grouped by.',
    fields: Object.fromEntries(
      properties.map(([name, { property }]) => [
        name,
        {
          type: isFlags(property.type)
            ? several(parts.scalarFor(property.type))
            : parts.scalarFor(property.type),
          resolve: valueReader(property),
        },
      ]),
    ),
  });
  const group = new GraphQLObjectType<Row, GraphQLContext>({
    name: generated(parts, type, 'Group'),
    fields: { key: { type: new GraphQLNonNull(key), resolve: (row) => row }, ...results },
  });
  return {
    type: listOf(group),
    description: 'What they come to, for each combination of values.',
    args: { by: { type: listOf(field) } },
    resolve: ({ answer }, args) => answer(partKey('groups', args)),
  };
}

/** Single comparable properties; a type without any cannot be grouped. */
function groupable({ shown }: ConnectionParts, type: EntityType): readonly NamedProperty[] {
  return [...shown.names.membersOf(type)].flatMap(([name, member]): readonly NamedProperty[] => {
    if (member.kind !== 'property' || member.property.collection) return [];
    const { property } = member;
    const isGroupable = property.type.kind === 'enumeration' || comparableType(property) !== undefined;
    return isGroupable ? [[name, member]] : [];
  });
}

function summaries(
  parts: ConnectionParts,
  type: EntityType,
  properties: readonly NamedProperty[],
): GraphQLFieldConfigMap<Row, GraphQLContext> {
  const count = { type: new GraphQLNonNull(INT) };
  const methods: readonly (readonly [method: string, shown: Shown])[] = [
    ['sum', (member) => totalOf(parts, member)],
    ['average', (member) => totalOf(parts, member)],
    ['min', (member) => extremeOf(parts, member)],
    ['max', (member) => extremeOf(parts, member)],
    ['countDistinct', () => INT],
  ];
  const fields = methods.flatMap(([method, shown]) => {
    const values = properties.flatMap(([name, member]) => valueField(method, name, member, shown));
    if (values.length === 0) return [];
    const name = generated(parts, type, capitalized(method));
    const object = new GraphQLObjectType<Row, GraphQLContext>({ name, fields: Object.fromEntries(values) });
    return [[method, { type: new GraphQLNonNull(object), resolve: (row: Row) => row }] as const];
  });
  return { count, ...Object.fromEntries(fields) };
}

function valueField(method: string, name: string, member: Property, shown: Shown) {
  const type = shown(member);
  if (type === undefined) return [];
  const alias = aggregateName(method, member.property.name);
  return [[name, { type, resolve: (row: Row) => row[alias], extensions: standingFor(member) }] as const];
}

/** Sums may exceed the property's type, and averages of integers are fractions. */
function totalOf(
  { scalarFor }: ConnectionParts,
  { property: { type } }: Property,
): GraphQLOutputType | undefined {
  if (!isNumeric(type.name)) return undefined;
  const isBinary = type.name === 'Edm.Double' || type.name === 'Edm.Single';
  return isBinary ? scalarFor(type) : scalarFor({ kind: 'primitive', name: 'Edm.Decimal' });
}

function extremeOf(
  { scalarFor }: ConnectionParts,
  { property: { type } }: Property,
): GraphQLOutputType | undefined {
  const hasExtremes = type.kind === 'primitive' && type.name !== 'Edm.Boolean' && type.name !== 'Edm.Binary';
  return hasExtremes ? scalarFor(type) : undefined;
}
