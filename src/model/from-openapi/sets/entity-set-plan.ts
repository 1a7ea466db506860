import { firstSendable, mediaInsert } from '../callables/sent-body.ts';
import type { Derivation } from '../derivation.ts';
import { type DocumentNode, member, members } from '../document/document-node.ts';
import {
  type DocumentOperation,
  type Method,
  type PathSegment,
  pathParameters,
} from '../document/document-operation.ts';
import {
  componentName,
  isMediaSchema,
  isObjectSchema,
  ownSetting,
  type Schema,
  schemaProperties,
} from '../schemas/schema.ts';
import { entityAnswer } from './entity-answer.ts';
import {
  answerSchema,
  isCallable,
  isCalledByName,
  isListWrapper,
  type ListAnswer,
  listAnswer,
} from './list-answer.ts';

/** The operations of the document that make an entity set. */
export interface EntitySetPlan {
  readonly schema: Schema;
  readonly list: ListAnswer | undefined;
  readonly read: DocumentOperation | undefined;
  readonly insert: DocumentOperation | undefined;
  readonly update: DocumentOperation | undefined;
  readonly delete: DocumentOperation | undefined;
  /** All of the operations, also those that another one of them makes needless. */
  readonly operations: readonly DocumentOperation[];
  /** Where to report what is wrong with it. */
  readonly at: DocumentNode;
}

/** Operations by path and method. */
export type OperationIndex = ReadonlyMap<string, ReadonlyMap<Method, DocumentOperation>>;

export function indexOperations(operations: readonly DocumentOperation[]): OperationIndex {
  const index = new Map<string, Map<Method, DocumentOperation>>();
  for (const operation of operations) {
    const path = pathKey(operation);
    const methods = index.get(path) ?? new Map<Method, DocumentOperation>();
    index.set(path, methods.set(operation.method, operation));
  }
  return index;
}

/** The path without a slash at its end: `/posts` and `/posts/` are one list. */
export function pathKey({ path }: DocumentOperation): string {
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

/** The path whatever its parameters are called, without a slash at its end. */
export function templateOf(segments: readonly PathSegment[]): string {
  return segments
    .map((segment) => (segment.kind === 'literal' ? `/${segment.text}` : '/{}'))
    .join('')
    .replace(/(?<=.)\/$/, '');
}

/** GETs whose path ends with parameters, by the template of the path before these. */
type ItemReads = ReadonlyMap<string, readonly DocumentOperation[]>;

export function itemReads(operations: readonly DocumentOperation[]): ItemReads {
  const reads = operations.filter(
    ({ method, segments }) => method === 'get' && segments.at(-1)?.kind === 'parameter',
  );
  return Map.groupBy(reads, collectionPath);
}

/**
 * The entity sets of the document (design, section 3): a GET without path parameters that returns a
 * list of X, with a GET on the path below it that returns X by path parameters.
 *
 * Beyond that: a list alone, where `x-odata.entitySet` asks for it; and entities that cannot be listed,
 * but are read by key and created, changed or deleted at the same paths.
 */
export function planEntitySets(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  index: OperationIndex,
  items: ItemReads,
): readonly EntitySetPlan[] {
  const listed = operations.flatMap((operation) => listedPlan(derivation, index, items, operation) ?? []);
  const readable = new Set(
    listed.flatMap(({ schema, read }) => (read === undefined ? [] : [schema.identity])),
  );
  const sets = listed.filter(({ read, schema }) => read !== undefined || !readable.has(schema.identity));
  const listedReads = new Set(sets.map(({ read }) => read));
  const planned = new Set(sets.map(({ schema }) => schema.identity));
  const unlisted = [...items.values()]
    .flatMap((reads) => reads.filter((read) => !listedReads.has(read)))
    .flatMap((read) => unlistedPlan(derivation, index, read) ?? [])
    .filter(({ schema }) => !planned.has(schema.identity));
  const plans = [...sets, ...withoutDoubles(unlisted)];
  reportKeyless(derivation, operations, new Set(plans.map(({ schema }) => schema.identity)));
  return plans;
}

function withoutDoubles(plans: readonly EntitySetPlan[]): readonly EntitySetPlan[] {
  const first = new Map(plans.toReversed().map((plan) => [plan.schema.identity, plan]));
  return plans.filter((plan) => first.get(plan.schema.identity) === plan);
}

function listedPlan(
  derivation: Derivation,
  index: OperationIndex,
  items: ItemReads,
  operation: DocumentOperation,
): EntitySetPlan | undefined {
  const list = isRootList(operation) ? listAnswer(derivation, operation) : undefined;
  if (list === undefined || list.item.hidden || !isEntitySchema(derivation, list.item)) return undefined;
  const read = (items.get(templateOf(operation.segments)) ?? []).find(
    (item) => isCallable(item) && entityAnswer(derivation, item, list.item) !== undefined,
  );
  if (read === undefined && ownSetting(list.item, 'entitySet') === undefined) return undefined;
  if (componentName(list.item) === undefined) return reportNameless(derivation, operation);
  return planOf(derivation, index, list.item, pathKey(operation), list, read);
}

/** Entities that are read by key and written, but in no list. */
function unlistedPlan(
  derivation: Derivation,
  index: OperationIndex,
  read: DocumentOperation,
): EntitySetPlan | undefined {
  const schema = isByKey(read) && isCallable(read) ? answerSchema(derivation, read) : undefined;
  if (schema === undefined || schema.hidden || !isEntitySchema(derivation, schema)) return undefined;
  if (componentName(schema) === undefined) return undefined;
  const path = collectionPath(read);
  const create = index.get(path)?.get('post');
  const isCreated = create !== undefined && answerSchema(derivation, create)?.identity === schema.identity;
  const methods = index.get(pathKey(read));
  const isChanged = methods !== undefined && methods.size > 1;
  if (!isCreated && !isChanged && ownSetting(schema, 'entitySet') === undefined) return undefined;
  return planOf(derivation, index, schema, path, undefined, read);
}

/** Whether the path ends with parameters, and has no others before them. */
function isByKey({ segments }: DocumentOperation): boolean {
  const first = segments.findIndex(({ kind }) => kind === 'parameter');
  return first > 0 && segments.slice(first).every(({ kind }) => kind === 'parameter');
}

function collectionPath({ segments }: DocumentOperation): string {
  const last = segments.findLastIndex(({ kind }) => kind === 'literal');
  return templateOf(segments.slice(0, last + 1));
}

function isEntitySchema({ inheritance }: Derivation, schema: Schema): boolean {
  return isObjectSchema(schema) || inheritance.isUnion(schema);
}

/** Says which lists of objects become functions, because who expects an entity set may want to know why. */
function reportKeyless(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  planned: ReadonlySet<string>,
): void {
  for (const operation of operations) {
    const list =
      isRootList(operation) && !isCalledByName(operation) ? listAnswer(derivation, operation) : undefined;
    const name = list && componentName(list.item);
    if (list === undefined || name === undefined || planned.has(list.item.identity)) continue;
    if (!isObjectSchema(list.item) || (list.wrappedIn !== undefined && !isListWrapper(derivation, list)))
      continue;
    const message = `It is a function, not an entity set: no path below it answers with one ${name} by key`;
    const hint = 'x-odata.entitySet and x-odata.key on the schema make it a set';
    derivation.source.report('info', operation.node.pointer, `${message}; ${hint}`);
  }
}

function isRootList(operation: DocumentOperation): boolean {
  return operation.method === 'get' && pathParameters(operation).length === 0 && isCallable(operation);
}

function reportNameless({ source }: Derivation, operation: DocumentOperation): undefined {
  const message = 'The entities have no name: their schema stands for itself, not among the components';
  source.report('warning', operation.node.pointer, message);
}

function planOf(
  derivation: Derivation,
  index: OperationIndex,
  schema: Schema,
  path: string,
  list: ListAnswer | undefined,
  read: DocumentOperation | undefined,
): EntitySetPlan | undefined {
  const onItem = read === undefined ? undefined : index.get(pathKey(read));
  const insert = insertOperation(derivation, index.get(path)?.get('post'), schema);
  const [put, patch, remove] = [onItem?.get('put'), onItem?.get('patch'), onItem?.get('delete')];
  const at = (read ?? list?.operation)?.node;
  if (at === undefined) return undefined;
  const changes = [put, patch].filter((operation) => firstSendable(derivation, [operation]) !== undefined);
  const operations = [list?.operation, read, insert, ...changes, remove];
  return {
    schema,
    list,
    read,
    insert,
    update: firstSendable(derivation, [patch, put]),
    delete: remove,
    operations: operations.filter((operation) => operation !== undefined),
    at,
  };
}

/** Its body can be written, or it is the stream of a media entity. */
function isInsertable(derivation: Derivation, operation: DocumentOperation, schema: Schema): boolean {
  if (firstSendable(derivation, [operation]) !== undefined) return true;
  return isMediaSchema(schema) && mediaInsert(derivation, operation) !== undefined;
}

/** A POST on the list's path, if it answers with the entity that it made, or with its URL alone. */
export function insertOperation(
  derivation: Derivation,
  operation: DocumentOperation | undefined,
  schema: Schema,
): DocumentOperation | undefined {
  if (operation === undefined || !isInsertable(derivation, operation, schema)) return undefined;
  const isAnswered = entityAnswer(derivation, operation, schema) !== undefined;
  if (isAnswered || isAnsweredByUrl(derivation, operation, schema)) return operation;
  const message = `It does not answer with ${componentName(schema)}, so that it is not a create`;
  derivation.source.report('warning', operation.node.pointer, message);
  return undefined;
}

/** Whether it says that something is there now (RFC 9110, 15.3.2), and takes nothing but what the entity has. */
function isAnsweredByUrl({ read }: Derivation, operation: DocumentOperation, schema: Schema): boolean {
  const { answer, node, response, requestBody } = operation;
  const headers = members(member(response, 'headers')).map(([name]) => name.toLowerCase());
  const isCreated = member(member(node, 'responses'), '201') !== undefined || headers.includes('location');
  const body = requestBody && read(requestBody);
  if (answer !== undefined || !isCreated || body === undefined || !isObjectSchema(body)) return false;
  const names = [...schemaProperties(body).keys()];
  return names.length > 0 && names.every((name) => schemaProperties(schema).has(name));
}
