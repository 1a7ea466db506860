import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isLeafType,
  isNullableType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { AnswerMemory, GatewayResponse, WholeResponse } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { RequestBudget } from '../../contract/request-budget.ts';
import type { Row } from '../../contract/row.ts';
import { concatenated } from '../../core/concatenated.ts';
import type { Work } from '../../core/work.ts';
import { loadCollection, requireEntity } from '../../engine/load/load.ts';
import { answerVersion } from '../../engine/read/prepare-query.ts';
import type { LoadContext } from '../../engine/resource/load-context.ts';
import { collectionOf, entityByKey as entityWith } from '../../engine/resource/navigation-source.ts';
import {
  type GraphQLContext,
  type GraphQLPlugin,
  type Input,
  permit,
  type QueryService,
  type SelectionDependencies,
} from '../context/graphql-context.ts';
import { memberOf } from '../context/members.ts';
import type { RequestedText } from '../plugins/persisted-documents.ts';
import { keyOf } from '../query/key.ts';
import { listOptions, prepareList, prepareOne, rowsOf, shownOptions } from '../query/read.ts';
import type { RequestedField } from '../query/selection.ts';
import { type RootRead, rootReadOf } from '../schema/query-fields.ts';

/** A request that can be executed without an executor. */
interface PlainRequest {
  readonly read: PlainRead;
  readonly variables: Input;
  readonly headers: GatewayResponse['headers'];
}

/** The outcome: a response, or a request that the executor has to handle. */
type PlainOutcome =
  | { readonly kind: 'answered'; readonly answer: GatewayResponse }
  | { readonly kind: 'failed'; readonly error: GatewayError }
  | { readonly kind: 'unplain' };

/** The plain reads among earlier documents, which are valid and within all limits. */
interface PlainAnswers {
  /** Caches documents when they are executed. */
  readonly plugin: GraphQLPlugin;
  /** Caches the response header for an `Accept`. */
  noteHeaders(accept: string | undefined, response: GatewayResponse): void;
  find(requested: RequestedText, accept: string | undefined): PlainRequest | undefined;
  answer(request: PlainRequest, context: GraphQLContext): Promise<PlainOutcome>;
}

/** Maximum size of the cache in characters. */
const MOST_TEXT = 4 * 1024 * 1024;
const MOST_DOCUMENTS = 1000;
const MOST_ACCEPTS = 50;

export function createPlainAnswers(site: Omit<PlainSite, 'schema'>): PlainAnswers {
  const reads = new LRUCache<string, { readonly read: PlainRead | undefined }>({
    max: MOST_DOCUMENTS,
    maxSize: MOST_TEXT,
    sizeCalculation: (_, text) => text.length + 1,
  });
  const headersOf = new LRUCache<string, GatewayResponse['headers']>({ max: MOST_ACCEPTS });
  return {
    plugin: {
      onExecute({ args: { document, contextValue, schema } }) {
        const text = contextValue.params?.query;
        if (typeof text !== 'string' || reads.has(text)) return;
        reads.set(text, { read: plainRead({ ...site, schema }, document, text) });
      },
    },
    noteHeaders(accept = '', response) {
      if (response.status === 200) headersOf.set(accept, response.headers);
    },
    find({ query, operationName, variables }, accept = '') {
      const read = reads.get(query)?.read;
      const headers = headersOf.get(accept);
      if (read === undefined || headers === undefined) return undefined;
      const isOther = operationName !== undefined && operationName !== read.operationName;
      return isOther ? undefined : { read, variables, headers };
    },
    async answer({ read, variables, headers }, context) {
      try {
        return { kind: 'answered', answer: { ...(await read.answer(context, variables)), headers } };
      } catch (error) {
        return error instanceof GatewayError ? { kind: 'failed', error } : { kind: 'unplain' };
      }
    },
  };
}

/** The context of plain reads. */
interface PlainSite {
  readonly schema: GraphQLSchema;
  readonly service: QueryService;
  readonly dependencies: Omit<SelectionDependencies, 'requested'>;
  /** Caches responses while the data is unchanged. */
  readonly answers: AnswerMemory;
}

/**
 * A query for values of the entities of one set, or of one entity, and nothing else. It is one query of the
 * engine, and its response is written directly from the rows.
 */
interface PlainRead {
  readonly operationName: string | undefined;
  /**
   * The JSON response. Throws errors of the read, and {@link Unplain} if the executor has to report an error.
   */
  answer(context: GraphQLContext, variables: Input): Promise<WholeResponse>;
}

/** The plain read for a valid document; undefined for other documents. */
function plainRead(site: PlainSite, document: DocumentNode, text: string): PlainRead | undefined {
  const operation = onlyQuery(document);
  const root = operation && onlyField(operation.selectionSet.selections);
  const field = root && site.schema.getQueryType()?.getFields()[root.name.value];
  const read = field && rootReadOf(field);
  if (operation === undefined || root === undefined || field === undefined || read === undefined)
    return undefined;
  const selection = plainSelection(field, root);
  if (selection === undefined) return undefined;
  const answerOf = read.kind === 'list' ? listAnswer : oneAnswer;
  const parts: PlainParts = { site, read, root, field, ...selection };
  let constant: Answer | undefined;
  const isConstant = (operation.variableDefinitions ?? []).length === 0;
  return {
    operationName: operation.name?.value,
    async answer(context, variables) {
      permit(context, read.set.name, 'View');
      const ask = constant ?? answerOf(parts, coerced(site.schema, operation, variables));
      if (isConstant) constant = ask;
      const { version, write } = await ask({ service: context.service, context: context.call });
      const key = isConstant ? text : `${text}\n${JSON.stringify(variables)}`;
      return site.answers.answer(version, key, async () => ({
        status: 200,
        headers: {},
        body: await write(),
      }));
    },
  };
}

type Answer = (loading: LoadContext) => Promise<LoadedAnswer>;

interface LoadedAnswer {
  /** The version of the data, if the response depends on nothing else. */
  readonly version: number | undefined;
  readonly write: () => Promise<Uint8Array>;
}

interface PlainParts {
  readonly site: PlainSite;
  readonly read: RootRead;
  readonly root: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  /** The fields that are properties. */
  readonly requested: readonly RequestedField[];
  /** In the order of the selection (GraphQL, 6.3). */
  readonly fields: readonly PlainField[];
}

function listAnswer(parts: PlainParts, variables: Input): Answer {
  const { site, read, requested, fields } = parts;
  const collection = collectionOf(read.set);
  const args = argumentsOf(parts, variables);
  const options = listOptions(questionsOf(site, variables), collection.entityType, args, requested);
  const name = responseName(parts.root);
  const query = prepareList(site.service, collection, options);
  return async (loading) => {
    const loaded = await loadCollection(loading, collection, query.wanted);
    return {
      version: answerVersion(query, loaded),
      async write() {
        const { budget } = loading.context;
        return budget.run(writeRows(name, fields, await rowsOf(loading, query, loaded), budget));
      },
    };
  };
}

function oneAnswer(parts: PlainParts, variables: Input): Answer {
  const { site, read, requested, fields } = parts;
  const { entityType } = read.set;
  const { shown } = site.dependencies;
  const entity = entityWith(collectionOf(read.set), keyOf(shown, entityType, argumentsOf(parts, variables)));
  const options = shownOptions(questionsOf(site, variables), entityType, requested);
  const name = responseName(parts.root);
  const query = prepareOne(site.service, entity, options);
  return async (loading) => {
    const loaded = await requireEntity(loading, entity, query.wanted);
    const write = async () =>
      answerWith(name, JSON.stringify(shownRow(fields, await query.run(loading, loaded.data))));
    return { version: answerVersion(query, loaded), write };
  };
}

function questionsOf({ schema, dependencies }: PlainSite, variableValues: Input): SelectionDependencies {
  return { ...dependencies, requested: { schema, fragments: {}, variableValues } };
}

function argumentsOf({ field, root }: PlainParts, variables: Input): Input {
  return getArgumentValues(field, root, variables);
}

function coerced(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: Input): Input {
  const { coerced: values } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (values === undefined) throw new Unplain();
  return values;
}

function onlyQuery({ definitions }: DocumentNode): OperationDefinitionNode | undefined {
  const [operation] = definitions;
  if (definitions.length !== 1 || operation?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const isQuery = operation.operation === 'query' && isBare(operation);
  return isQuery ? operation : undefined;
}

function onlyField(selections: readonly SelectionNode[]): FieldNode | undefined {
  const [root] = selections;
  return selections.length === 1 && root?.kind === Kind.FIELD && isBare(root) ? root : undefined;
}

/** The fields below the root; undefined if one is not a plain value or occurs twice. */
function plainSelection(
  { type }: GraphQLField<unknown, unknown>,
  { selectionSet }: FieldNode,
): Pick<PlainParts, 'requested' | 'fields'> | undefined {
  const object = getNamedType(type);
  if (!isObjectType(object)) return undefined;
  const requested: RequestedField[] = [];
  const fields: PlainField[] = [];
  for (const node of selectionSet?.selections ?? []) {
    if (node.kind !== Kind.FIELD || !isBare(node)) return undefined;
    const field = object.getFields()[node.name.value];
    const plain = node.name.value === '__typename' ? typeName(object, node) : plainProperty(field, node);
    if (plain === undefined) return undefined;
    fields.push(plain);
    if (field !== undefined) requested.push({ field, node, args: {} });
  }
  const names = new Set(fields.map(({ responseName: name }) => name));
  // JavaScript objects cannot have `__proto__` as an ordinary member.
  return names.size === fields.length && !names.has('__proto__') ? { requested, fields } : undefined;
}

function typeName({ name }: GraphQLObjectType, node: FieldNode): PlainField {
  return { kind: 'typename', responseName: responseName(node), name };
}

function plainProperty(
  field: GraphQLField<unknown, unknown> | undefined,
  node: FieldNode,
): PlainField | undefined {
  const member = field && memberOf(field);
  if (field === undefined || member?.kind !== 'property') return undefined;
  const type = getNullableType(field.type);
  if (!isLeafType(type)) return undefined;
  const property = member.property.name;
  const nullable = isNullableType(field.type);
  return { kind: 'property', responseName: responseName(node), property, type, nullable };
}

function isBare({ directives = [] }: { readonly directives?: readonly unknown[] | undefined }): boolean {
  return directives.length === 0;
}

function responseName({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

/** A field of each row: its type name or a value. */
type PlainField = PlainTypeName | PlainProperty;

interface PlainTypeName {
  readonly kind: 'typename';
  readonly responseName: string;
  readonly name: string;
}

interface PlainProperty {
  readonly kind: 'property';
  readonly responseName: string;
  readonly property: string;
  readonly type: GraphQLLeafType;
  readonly nullable: boolean;
}

/** Thrown for a value that does not match its field's type, which the executor reports. */
class Unplain extends Error {}

/** Rows written together. */
const PART = 512;

/** The JSON response, as the executor would return it. */
function* writeRows(
  name: string,
  fields: readonly PlainField[],
  rows: readonly Row[],
  budget: RequestBudget,
): Work<Uint8Array> {
  if (rows.length <= PART) return answerWith(name, JSON.stringify(rows.map((row) => shownRow(fields, row))));
  const parts: Uint8Array[] = [];
  let charged = 0;
  try {
    for (let start = 0; start < rows.length; start += PART) {
      const items = JSON.stringify(rows.slice(start, start + PART).map((row) => shownRow(fields, row)));
      const before = start === 0 ? opening(name, '[') : ',';
      const part = Buffer.from(`${before}${items.slice(1, -1)}`);
      parts.push(part);
      charged += part.length;
      budget.chargeAnswer(part.length);
      yield;
    }
    const end = Buffer.from(']}}');
    return yield* concatenated([...parts, end], charged + end.length);
  } finally {
    budget.returnAnswer(charged);
  }
}

function answerWith(name: string, text: string): Uint8Array {
  return Buffer.from(`${opening(name, text)}}}`);
}

function opening(name: string, text: string): string {
  return `{"data":{${JSON.stringify(name)}:${text}`;
}

/** The values by response name. */
function shownRow(fields: readonly PlainField[], row: Row): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields)
    values[field.responseName] = field.kind === 'typename' ? field.name : valueFor(field, row);
  return values;
}

/** Types that accept any text. */
const ANY_TEXT: ReadonlySet<string> = new Set(['ID', 'String']);

function valueFor({ property, type, nullable }: PlainProperty, row: Row): unknown {
  const value = row[property] ?? null;
  if (value === null) {
    if (nullable) return null;
    throw new Unplain();
  }
  if (typeof value === 'string' && ANY_TEXT.has(type.name)) return value;
  const serialized = type.serialize(value);
  if (serialized === null || serialized === undefined) throw new Unplain();
  return serialized;
}
