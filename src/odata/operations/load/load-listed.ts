import type { Arguments, CollectionRead, CollectionSnapshot, Row } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { ListOperation, PagedListOperation } from '../../../model/operation.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { Loading, Wanted } from './load.ts';

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

/** The upstream may give less than it is asked for: it has pages of its own. */
async function readPages(
  { skip: skipParameter }: PagedListOperation,
  { url, entityType }: CollectionResource,
  { skip, top }: Part,
  read: (part: Part) => Promise<CollectionSnapshot>,
): Promise<CollectionSnapshot> {
  const first = await read({ skip, top });
  const rows = [...first.data];
  const isComplete = ({ data, total }: CollectionSnapshot): boolean =>
    data.length === 0 ||
    (top !== undefined && rows.length >= top) ||
    skip + rows.length >= (total ?? Infinity);
  if (skipParameter === undefined || isComplete(first)) return first;
  for (let pages = 1; pages < MOST_PAGES; pages += 1) {
    const rest = top === undefined ? undefined : top - rows.length;
    const next = await read({ skip: skip + rows.length, top: rest });
    if (next.data.length > 0 && hasSameKey(entityType.key, rows[0], next.data[0])) break;
    rows.push(...next.data);
    if (isComplete(next)) return { data: rows, version: undefined, total: first.total };
  }
  throw new GatewayError('UpstreamBadResponse', 'The upstream did not answer as it should.', {
    cause: new Error(`${url}: the pages do not come to an end`),
  });
}

/** The upstream gives its first page again whatever it is asked for. */
function hasSameKey(key: readonly string[], left: Row | undefined, right: Row | undefined): boolean {
  return key.length > 0 && key.every((name) => left?.[name] === right?.[name]);
}
