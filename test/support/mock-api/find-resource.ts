import type { Operation, Parameter } from './api-document.ts';
import type { JsonObject } from './json.ts';
import { type PagedList, pagedListOf } from './paging.ts';
import { type RowKey, rowKeyOf } from './row-key.ts';
import type { Viewer } from './schema-view.ts';

/** The resource of an operation. */
export type MockResource =
  | { readonly kind: 'list'; readonly list: PagedList; readonly key: RowKey | undefined }
  | ItemResource
  | { readonly kind: 'other' };

/** One row, by the last parameter of its path. */
export interface ItemResource {
  readonly kind: 'item';
  readonly parameter: Parameter;
  /** The objects of the answer that have the key. */
  readonly keyed: readonly KeyedObject[];
  /** The list on the path above. */
  readonly of: ListResource | undefined;
}

/** The answer, or an object in it, that is the row or is about it. */
export interface KeyedObject {
  /** The property that has it; undefined for the answer itself. */
  readonly name: string | undefined;
  readonly schema: JsonObject;
  readonly key: RowKey;
}

export type ListResource = Extract<MockResource, { kind: 'list' }>;

/** Returns the resource of an operation; each is computed once. */
type Finder = (operation: Operation) => MockResource;

/** The operations that read, by their paths without what does not tell resources apart. */
type Reads = ReadonlyMap<string, Operation>;

export function createFinder(view: Viewer, operations: readonly Operation[]): Finder {
  const found = new Map<Operation, MockResource>();
  const reads: Reads = new Map(
    operations.filter(({ method }) => method === 'GET').map((read) => [barePath(read.path), read]),
  );
  const resourceOf: Finder = (operation) => {
    const known = found.get(operation) ?? findResource(view, reads, operation, resourceOf);
    found.set(operation, known);
    return known;
  };
  return resourceOf;
}

function findResource(view: Viewer, reads: Reads, operation: Operation, resourceOf: Finder): MockResource {
  if (operation.method !== 'GET') return { kind: 'other' };
  const list = pagedListOf(view, operation);
  if (list !== undefined) return { kind: 'list', list, key: listKey(view, reads, operation, list) };
  const parameter = itemParameter(operation);
  if (parameter === undefined) return { kind: 'other' };
  const parent = reads.get(barePath(operation.path).replace(/\/[^/]*$/, ''));
  const resource = parent && resourceOf(parent);
  const keyed = keyedObjects(view, operation, parameter);
  return { kind: 'item', parameter, keyed, of: resource?.kind === 'list' ? resource : undefined };
}

/** Names of properties that have the row beside what an answer says of itself, such as its key. */
const ROW_NAMES = /^(?:data|result|item|record)$/;

function keyedObjects(
  view: Viewer,
  { answer, path }: Operation,
  parameter: Parameter,
): readonly KeyedObject[] {
  if (answer === undefined) return [];
  const keyedAt = (name: string | undefined, schema: JsonObject): readonly KeyedObject[] => {
    const key = rowKeyOf(view, schema, parameter, path);
    return key === undefined ? [] : [{ name, schema, key }];
  };
  const own = keyedAt(undefined, answer);
  const within = [...view(answer).properties].flatMap(([name, schema]) =>
    view(schema).kind === 'object' ? keyedAt(name, schema) : [],
  );
  if (own.length === 0) return within.slice(0, 1);
  return [...own, ...within.filter(({ name }) => ROW_NAMES.test(name ?? ''))];
}

function listKey(view: Viewer, reads: Reads, { path }: Operation, list: PagedList): RowKey | undefined {
  const prefix = `${barePath(path)}/{`;
  const item = [...reads].find(
    ([template]) => template.startsWith(prefix) && !template.slice(prefix.length).includes('/'),
  );
  return rowKeyOf(view, list.answer.items, item && itemParameter(item[1]), path);
}

/** The parameter that the path ends with. */
function itemParameter({ path, parameters }: Operation): Parameter | undefined {
  const [, name] = /\{([^{}]+)\}(?:\.json)?\/?$/.exec(path) ?? [];
  return parameters.find((parameter) => parameter.in === 'path' && parameter.name === name);
}

/** A path without what does not tell resources apart. */
function barePath(path: string): string {
  return path.replace(/\/$/, '').replace(/\.json$/, '');
}
