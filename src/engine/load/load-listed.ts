import type {
  Arguments,
  CollectionRead,
  CollectionSnapshot,
  JointLists,
  ListPart,
} from '../../contract/entity-source.ts';
import { rowsBetween } from '../../contract/rows.ts';
import type { ListOperation, PagedListOperation } from '../../model/operation.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import type { CollectionResource } from '../resource/resource.ts';

interface ListOperations {
  readonly list: ListOperation;
  readonly page: PagedListOperation | undefined;
}

/** What a list is asked for by. */
interface ListArguments {
  readonly args: Arguments;
  readonly lists: JointLists | undefined;
}

/** All entities of a list, or the part of it that the query wants. */
export async function loadListed(
  loading: Loading,
  collection: CollectionResource,
  { list, page }: ListOperations,
  { args, lists }: ListArguments,
  { properties, dynamic, pushed, part = pushed?.part }: Wanted,
): Promise<CollectionSnapshot> {
  const { resource, entityType } = collection;
  const filtered = pushed?.arguments ?? {};
  const isWhole = part === undefined && Object.keys(filtered).length === 0;
  const operation = page === undefined || (list.id !== page.id && isWhole) ? list : page;
  const read = (wanted: ListPart | undefined): Promise<CollectionSnapshot> => {
    const asked: CollectionRead = {
      resource,
      entityType,
      operation,
      arguments: { ...args, ...(operation === page && filtered) },
      lists,
      properties,
      dynamic,
      part: wanted,
    };
    return loading.service.source.readCollection(asked, loading.context);
  };
  const found = await read(part);
  const isCounted = pushed?.isCounted === true;
  if (part === undefined) return isCounted ? { ...found, total: found.data.length } : found;
  if (!isCounted || part.mayBeShort || found.total !== undefined) return found;
  // Its document says that the upstream tells how many there are, and it does not: all of them are counted.
  const whole = await read(undefined);
  return partOf({ ...whole, total: whole.data.length }, part);
}

function partOf(
  whole: CollectionSnapshot,
  { skip, top = Number.POSITIVE_INFINITY }: ListPart,
): CollectionSnapshot {
  return { ...whole, data: rowsBetween(whole.data, skip, skip + top) };
}
