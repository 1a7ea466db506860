import type { Derivation } from './derivation.ts';
import { type DocumentNode, member } from './document-node.ts';
import {
  type DocumentOperation,
  type DocumentParameter,
  type Method,
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

/**
 * The entity sets of the document (design, section 3): a GET without path parameters that returns a
 * list of X, with a GET on the path below it that returns X by path parameters.
 */
export function planEntitySets(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
): readonly EntitySetPlan[] {
  const index = indexOperations(operations);
  const gets = operations.filter(({ method }) => method === 'get');
  const items = Map.groupBy(gets.filter(isByKey), collectionPath);
  return gets.flatMap((operation) => {
    const list =
      pathParameters(operation).length === 0 && canBeCalled(operation)
        ? listAnswer(derivation, operation)
        : undefined;
    if (list === undefined || list.item.hidden || !isObjectSchema(list.item)) return [];
    const read = (items.get(pathKey(operation)) ?? []).find(
      (item) => answerSchema(derivation, item)?.identity === list.item.identity,
    );
    if (read === undefined && setting(list.item, 'entitySet') === undefined) return [];
    return componentName(list.item) === undefined
      ? reportNameless(derivation, operation)
      : [planOf(derivation, index, list, read)];
  });
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
  return {
    schema: list.item,
    list,
    read,
    insert: insertOperation(derivation, onList?.get('post'), list.item),
    update: onItem?.get('patch') ?? onItem?.get('put'),
    delete: onItem?.get('delete'),
    at: (read ?? list.operation).node,
  };
}

/** A POST on the list's path, if it answers with the entity that it made. */
function insertOperation(
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

/** Whether the path ends with parameters, and has no others before them. */
function isByKey(operation: DocumentOperation): boolean {
  const { segments } = operation;
  const first = segments.findIndex(({ kind }) => kind === 'parameter');
  return (
    first > 0 && segments.slice(first).every(({ kind }) => kind === 'parameter') && canBeCalled(operation)
  );
}

function collectionPath({ segments }: DocumentOperation): string {
  const literals = segments.flatMap((segment) => (segment.kind === 'literal' ? [segment.text] : []));
  return `/${literals.join('/')}`;
}

/** Whether nothing but the path must be given: a required query parameter or header has no place in a read. */
function canBeCalled({ parameters }: DocumentOperation): boolean {
  return !parameters.some(isRequiredElsewhere);
}

function isRequiredElsewhere({ in: place, required, schema }: DocumentParameter): boolean {
  return required && place !== 'path' && (schema === undefined || member(schema, 'default') === undefined);
}
