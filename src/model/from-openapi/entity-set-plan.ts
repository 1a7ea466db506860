import type { Derivation } from './derivation.ts';
import { type DocumentNode, member } from './document-node.ts';
import {
  type DocumentOperation,
  type Method,
  type PathSegment,
  pathParameters,
} from './document-operation.ts';
import {
  componentName,
  isArraySchema,
  isObjectSchema,
  keyword,
  type Schema,
  schemaProperties,
  setting,
} from './schema.ts';

/** A GET that answers with a list: bare, or as one property of an object. */
export interface ListAnswer {
  readonly operation: DocumentOperation;
  /** The schema of the items. */
  readonly item: Schema;
  /** The upstream's name of the property that holds the list; undefined for a bare list. */
  readonly wrappedIn: string | undefined;
}

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

/** The schema that an operation answers with. */
export function answerSchema({ read }: Derivation, operation: DocumentOperation): Schema | undefined {
  return operation.answer === undefined ? undefined : read(operation.answer);
}

/** The list that a GET answers with, or undefined where it answers with something else. */
export function listAnswer(derivation: Derivation, operation: DocumentOperation): ListAnswer | undefined {
  const schema = answerSchema(derivation, operation);
  if (schema === undefined) return undefined;
  const bare = itemSchema(derivation, schema);
  if (bare !== undefined) return { operation, item: bare, wrappedIn: undefined };
  if (!isObjectSchema(schema)) return undefined;
  const lists = [...schemaProperties(schema)].flatMap(([name, node]) => {
    const property = derivation.read(node);
    const item = property === undefined ? undefined : itemSchema(derivation, property);
    return item !== undefined && isObjectSchema(item) ? [{ operation, item, wrappedIn: name }] : [];
  });
  return lists.length === 1 ? lists[0] : undefined;
}

function itemSchema({ read }: Derivation, schema: Schema): Schema | undefined {
  const item = isArraySchema(schema) ? keyword(schema, 'items') : undefined;
  return item === undefined ? undefined : read(item);
}

/** GETs whose path ends with parameters, by the path before these. */
export function itemReads(
  operations: readonly DocumentOperation[],
): ReadonlyMap<string, readonly DocumentOperation[]> {
  const reads = operations.filter(
    ({ method, segments }) => method === 'get' && segments.at(-1)?.kind === 'parameter',
  );
  return Map.groupBy(reads, ({ segments }) => {
    const last = segments.findLastIndex(({ kind }) => kind === 'literal');
    return segments
      .slice(0, last + 1)
      .map(writtenSegment)
      .join('');
  });
}

function writtenSegment(segment: PathSegment): string {
  return segment.kind === 'literal' ? `/${segment.text}` : `/{${segment.name}}`;
}

/**
 * The entity sets of the document (design, section 3): a GET without path parameters that returns a
 * list of X, with a GET on the path below it that returns X by path parameters.
 */
export function planEntitySets(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  index: OperationIndex,
  items: ReadonlyMap<string, readonly DocumentOperation[]>,
): readonly EntitySetPlan[] {
  return operations.flatMap((operation) => {
    const isList =
      operation.method === 'get' && pathParameters(operation).length === 0 && isCallable(operation);
    const list = isList && !isPageOf(operation) ? listAnswer(derivation, operation) : undefined;
    if (list === undefined || list.item.hidden || !isEntitySchema(derivation, list.item)) return [];
    const read = (items.get(pathKey(operation)) ?? []).find(
      (item) => isCallable(item) && answerSchema(derivation, item)?.identity === list.item.identity,
    );
    if (read === undefined && setting(list.item, 'entitySet') === undefined) return [];
    if (componentName(list.item) === undefined) return reportNameless(derivation, operation);
    return [planOf(derivation, index, list, read)];
  });
}

function isPageOf({ node }: DocumentOperation): boolean {
  return member(member(node, 'x-odata'), 'pageOf') !== undefined;
}

function isEntitySchema({ inheritance }: Derivation, schema: Schema): boolean {
  return isObjectSchema(schema) || inheritance.isUnion(schema);
}

function reportNameless({ source }: Derivation, operation: DocumentOperation): readonly EntitySetPlan[] {
  const message = 'The entities have no name: their schema stands for itself, not among the components';
  source.report('warning', operation.node.pointer, message);
  return [];
}

function planOf(
  derivation: Derivation,
  index: OperationIndex,
  list: ListAnswer,
  read: DocumentOperation | undefined,
): EntitySetPlan {
  const onList = index.get(pathKey(list.operation));
  const onItem = read === undefined ? undefined : index.get(pathKey(read));
  const insert = insertOperation(derivation, onList?.get('post'), list.item);
  const [put, patch, remove] = [onItem?.get('put'), onItem?.get('patch'), onItem?.get('delete')];
  const operations = [list.operation, read, insert, put, patch, remove];
  return {
    schema: list.item,
    list,
    read,
    insert,
    update: patch ?? put,
    delete: remove,
    operations: operations.filter((operation) => operation !== undefined),
    at: (read ?? list.operation).node,
  };
}

/** A POST on the list's path, if it answers with the entity that it made. */
export function insertOperation(
  derivation: Derivation,
  operation: DocumentOperation | undefined,
  schema: Schema,
): DocumentOperation | undefined {
  if (operation === undefined || answerSchema(derivation, operation)?.identity === schema.identity)
    return operation;
  const message = `It does not answer with ${componentName(schema)}, so that it is not a create`;
  derivation.source.report('warning', operation.node.pointer, message);
  return undefined;
}

/** Whether nothing but the path must be given: a required query parameter or header has no place in a read. */
export function isCallable({ parameters }: DocumentOperation): boolean {
  return !parameters.some(({ in: place, required, schema }) => {
    return required && place !== 'path' && member(schema, 'default') === undefined;
  });
}
