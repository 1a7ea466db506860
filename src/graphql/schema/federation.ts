import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  parseConstValue,
  print,
  printSchema,
  type TypeNode,
} from 'graphql';
import { type Row, TYPE } from '../../contract/row.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import { isInputObject } from '../../engine/input/mistakes.ts';
import { type EntityType, withDerivedTypes } from '../../model/edm.ts';
import {
  assertFew,
  type GraphQLContext,
  givenUnder,
  type Input,
  withoutInherited,
} from '../context/graphql-context.ts';
import { FEDERATION, nodeSets, type ShownModel } from '../context/schema-names.ts';
import { keyNames, keyOf } from '../query/key.ts';
import { type NamedNode, setsWithNodes } from '../query/node-id.ts';
import { listOf } from './field-parts.ts';
import { updatedName } from './mutation-fields.ts';
import { readNamed } from './node-fields.ts';
import type { NamedField, SchemaParts } from './query-fields.ts';

/** The fields of a subgraph (Apollo Federation 2, subgraph specification). */
export function federationFields(parts: SchemaParts): readonly NamedField[] {
  const { shown, objects } = parts;
  const types = entityTypes(shown);
  const service = new GraphQLObjectType<unknown, GraphQLContext>({
    name: FEDERATION.service,
    fields: {
      sdl: {
        type: new GraphQLNonNull(GraphQLString),
        description: 'The part of the schema that the caller may see.',
        resolve: (_, __, { schemaText }) => schemaText(),
      },
    },
  });
  const serviceField: NamedField = ['_service', { type: new GraphQLNonNull(service), resolve: () => ({}) }];
  if (types.size === 0) return [serviceField];
  const entity = new GraphQLUnionType({
    name: FEDERATION.entity,
    types: [...types.values()].map(objects.objectOf),
    resolveType: (row: Row) => shown.names.objectOf(row[TYPE] ?? ''),
  });
  const any = new GraphQLScalarType({ name: FEDERATION.any });
  return [
    serviceField,
    [
      '_entities',
      {
        type: new GraphQLNonNull(new GraphQLList(entity)),
        description: 'The entities with these types and keys; null for one that is not there.',
        args: {
          representations: { type: listOf(any), description: 'A type name and the values of its key.' },
        },
        async resolve(_, args, context, info) {
          const given = args['representations'] as readonly unknown[];
          assertFew(context, 'representations', given.length);
          const wanted = given.map((each) => {
            const input = isInputObject(each) ? (withoutInherited(each) as Input) : {};
            const name = givenUnder(input, '__typename');
            return { name: typeof name === 'string' ? name : '', input };
          });
          const names = wanted.map(({ name, input }) => namedBy(shown, types.get(name), input));
          const found = await readNamed(parts, context, info, names);
          return found.map((row, index) => {
            const isOther =
              row !== null &&
              !(row instanceof Error) &&
              shown.names.objectOf(row[TYPE] ?? '') !== wanted[index]?.name;
            return isOther ? null : row;
          });
        },
      },
    ],
  ];
}

/** The types of entities with a key, by the names of their object types. */
function entityTypes({ model, names }: ShownModel): ReadonlyMap<string, EntityType> {
  const types = [...nodeSets(model).values()].flatMap(({ entityType }) => withDerivedTypes(entityType));
  return new Map(types.map((type) => [names.objectOf(type.name), type]));
}

/** The entity of a representation; undefined for one of another type, or without a key. */
function namedBy(shown: ShownModel, type: EntityType | undefined, input: Input): NamedNode | undefined {
  const [set] = type === undefined ? [] : setsWithNodes(shown.model, type);
  if (set === undefined) return undefined;
  const isWhole = keyNames(shown, set.entityType).every(([name]) => isKeyValue(givenUnder(input, name)));
  if (!isWhole) return undefined;
  try {
    return { set, key: keyOf(shown, set.entityType, input) };
  } catch {
    return undefined;
  }
}

function isKeyValue(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value) || value instanceof ExactNumber;
}

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@inaccessible"])`;

/** The schema in GraphQL's schema language; that of a subgraph with the directives of Apollo Federation. */
export function writtenSchema(shown: ShownModel, schema: GraphQLSchema): string {
  const text = printSchema(schema);
  return shown.form.federation ? `${LINK}\n\n${print(withDirectives(shown, parse(text)))}\n` : `${text}\n`;
}

/** Gateways add these types and fields themselves. */
const OF_GATEWAY: ReadonlySet<string> = new Set([...Object.values(FEDERATION), '_service', '_entities']);

function withDirectives(shown: ShownModel, document: DocumentNode): DocumentNode {
  const types = entityTypes(shown);
  // Several subgraphs have these.
  const shared = new Set(['PageInfo', 'MediaStream', updatedName(shown)]);
  const definitions = document.definitions.flatMap((definition) => {
    if (!('name' in definition) || definition.name === undefined) return [definition];
    const name = definition.name.value;
    if (OF_GATEWAY.has(name)) return [];
    // Composition does not know @oneOf; the subgraph checks these inputs.
    if (definition.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) return [{ ...definition, directives: [] }];
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) return [definition];
    if (name === 'Query') return [withHiddenNodes(shown, definition)];
    if (shared.has(name)) return [{ ...definition, directives: [directive('shareable')] }];
    const type = types.get(name);
    const [set] = type === undefined ? [] : setsWithNodes(shown.model, type);
    if (set === undefined) return [definition];
    const fields = keyNames(shown, set.entityType).map(([field]) => field);
    return [{ ...definition, directives: [directive('key', { fields: fields.join(' ') })] }];
  });
  return { ...document, definitions };
}

/** Hides the fields whose identifiers only this subgraph knows. */
function withHiddenNodes({ names }: ShownModel, query: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const fields = (query.fields ?? [])
    .filter(({ name }) => !OF_GATEWAY.has(name.value))
    .map((field): FieldDefinitionNode => {
      return namedTypeOf(field.type) === names.node.type
        ? { ...field, directives: [directive('inaccessible')] }
        : field;
    });
  return { ...query, fields };
}

function namedTypeOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : namedTypeOf(type.type);
}

function directive(name: string, args: Readonly<Record<string, string>> = {}): ConstDirectiveNode {
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: name },
    arguments: Object.entries(args).map(([argument, value]) => ({
      kind: Kind.ARGUMENT,
      name: { kind: Kind.NAME, value: argument },
      value: parseConstValue(JSON.stringify(value)),
    })),
  };
}
