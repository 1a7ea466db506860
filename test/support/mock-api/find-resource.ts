import type { Operation, Parameter } from './api-document.ts';
import { type PagedList, pagedListOf } from './paging.ts';
import { type RowKey, rowKeyOf } from './row-key.ts';
import type { Viewer } from './schema-view.ts';

/** What an operation answers with. */
export type MockResource =
  | { readonly kind: 'list'; readonly list: PagedList; readonly key: RowKey | undefined }
  | ItemResource
  | { readonly kind: 'other' };

/** One row, by the last parameter of its path. */
export interface ItemResource {
  readonly kind: 'item';
  readonly parameter: Parameter;
  /** Where the answer has the key. */
  readonly key: RowKey | undefined;
  /** The list on the path above. */
  readonly of: ListResource | undefined;
}

export type ListResource = Extract<MockResource, { kind: 'list' }>;

/** Tells what an operation answers with; each is found once. */
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
  const key = itemKey(view, operation, parameter);
  return { kind: 'item', parameter, key, of: resource?.kind === 'list' ? resource : undefined };
}

/** The key of the one object that an answer is, or is about. */
function itemKey(view: Viewer, { answer, path }: Operation, parameter: Parameter): RowKey | undefined {
  if (answer === undefined) return undefined;
  const own = rowKeyOf(view, answer, parameter, path);
  if (own !== undefined) return own;
  for (const [name, schema] of view(answer).properties) {
    const found = view(schema).kind === 'object' ? rowKeyOf(view, schema, parameter, path) : undefined;
    if (found !== undefined) return { ...found, place: [name, ...found.place] };
  }
  return undefined;
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
