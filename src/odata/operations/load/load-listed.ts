import type { Arguments, CollectionRead, CollectionSnapshot, Row } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { arrayOf } from '../../../contract/rows.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { ListOperation, PagedListOperation } from '../../../model/operation.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { Loading, Wanted } from './loading.ts';

interface ListOperations {
  readonly list: ListOperation;
  readonly page: PagedListOperation | undefined;
}

/** From so many pages on, something is wrong with the upstream. */
const MOST_PAGES = 10_000;

/**
 * All entities of a list, or the page of them that the query wants and the upstream can give. A list that
 * comes in pages is followed to its end: never is the first page taken for all of it.
 */
export async function loadListed(
  loading: Loading,
  collection: CollectionResource,
  { list, page }: ListOperations,
  args: Arguments,
  { properties, dynamic, pushed }: Wanted,
): Promise<CollectionSnapshot> {
  const { resource, entityType } = collection;
  const read = (operation: ListOperation, more: Arguments, total?: string) => {
    const asked: CollectionRead = {
      resource,
      entityType,
      operation,
      arguments: { ...args, ...more },
      properties,
      dynamic,
      total,
    };
    return loading.service.source.readCollection(asked, loading.context);
  };
  if (page === undefined) return read(list, {});
  const filtered = pushed?.arguments ?? {};
  const isWhole = pushed?.page === undefined && Object.keys(filtered).length === 0;
  if (list.id !== page.id && isWhole) return read(list, {});
  const { skip = 0, top } = pushed?.page ?? {};
  return readPages(page, collection, { skip, top }, (part) =>
    read(page, { ...filtered, ...pageArguments(page, part) }, page.total),
  );
}

/** A part of a list: how many items are before it, and how many it has; undefined for all of the rest. */
interface Part {
  readonly skip: number;
  readonly top: number | undefined;
}

function pageArguments({ top, skip }: PagedListOperation, part: Part): Arguments {
  return {
    ...(top !== undefined && part.top !== undefined && { [top]: part.top }),
    ...(skip !== undefined && part.skip > 0 && { [skip]: part.skip }),
  };
}

/** The upstream may give less than it is asked for, because it has pages of its own, and more is left out. */
async function readPages(
  { skip: skipParameter }: PagedListOperation,
  { url, entityType }: CollectionResource,
  { skip, top }: Part,
  read: (part: Part) => Promise<CollectionSnapshot>,
): Promise<CollectionSnapshot> {
  const first = await read({ skip, top });
  if (skipParameter === undefined && top === undefined) return first;
  const rows = [...first.data];
  const isComplete = ({ data, total }: CollectionSnapshot): boolean =>
    data.length === 0 ||
    (top !== undefined && rows.length >= top) ||
    skip + rows.length >= (total ?? Infinity);
  if (skipParameter === undefined || isComplete(first)) return { ...first, data: atMost(top, rows) };
  const begun = new Set([keyOf(entityType, rows)]);
  for (let pages = 1; pages < MOST_PAGES; pages += 1) {
    const rest = top === undefined ? undefined : top - rows.length;
    const next = await read({ skip: skip + rows.length, top: rest });
    const more = arrayOf(next.data);
    if (more.length > 0 && isKnown(begun, keyOf(entityType, more))) break;
    for (const row of more) rows.push(row);
    if (isComplete(next)) return { data: atMost(top, rows), version: undefined, total: first.total };
  }
  throw new GatewayError('UpstreamBadResponse', 'The upstream did not answer as it should.', {
    cause: new Error(`${url}: the pages do not come to an end`),
  });
}

function atMost(top: number | undefined, rows: readonly Row[]): readonly Row[] {
  return top === undefined || rows.length <= top ? rows : rows.slice(0, top);
}

/** What the page begins with; undefined where nothing tells its items apart. */
function keyOf({ key }: EntityType, [first]: readonly Row[]): string | undefined {
  return key.length === 0 || first === undefined ? undefined : JSON.stringify(key.map((name) => first[name]));
}

/** Whether the upstream gives a page again, whatever it is asked for; remembers what it begins with. */
function isKnown(begun: Set<string | undefined>, key: string | undefined): boolean {
  if (key === undefined) return false;
  const known = begun.has(key);
  begun.add(key);
  return known;
}
