import type { CollectionSnapshot, ListPart } from '../../contract/entity-source.ts';
import { rowsBetween } from '../../contract/row.ts';
import { requireCollection } from '../load/load.ts';
import type { Loading } from '../resource/loading.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { QueryOptions } from '../tree/query-tree.ts';
import type { PreparedCollection } from './prepare-query.ts';

/** Which part of what a query leaves of a collection is wanted. */
export interface PageRange {
  /** How many entities are on the pages before it. */
  readonly offset: number;
  /** The most that it may have; undefined where nobody wants pages. */
  readonly size: number | undefined;
  /** Where the upstream's list goes on with it. */
  readonly from?: string | undefined;
}

/** A page that is one of the upstream's, too. */
export interface UpstreamPage {
  readonly snapshot: CollectionSnapshot;
  /** Where the page behind it begins; undefined behind the last one. */
  readonly next: PageRange | undefined;
  /** The upstream has given all that the query leaves at once: the page is a part of that. */
  readonly isWhole: boolean;
}

/**
 * Loads a page as a part of the upstream's list, where no option needs all of a list that comes in pages; undefined
 * where all of the collection is to be loaded. A client that says how many it wants is given them at once, unless
 * it or the model wants pages.
 */
export async function loadUpstreamPage(
  loading: Loading,
  collection: CollectionResource,
  { wanted }: Pick<PreparedCollection, 'wanted'>,
  options: Pick<QueryOptions, 'top' | 'skip'>,
  page: PageRange,
): Promise<UpstreamPage | undefined> {
  const part = wanted.pushed?.goesOn === true ? partOf(options, page) : undefined;
  if (part === undefined) return undefined;
  const load = (each: ListPart) => requireCollection(loading, collection, { ...wanted, part: each });
  const whole = await wholeAtOnce(wanted, options, part, load);
  if (whole !== undefined) return { snapshot: whole, next: undefined, isWhole: true };
  const snapshot = await load(part);
  if (wanted.pushed?.isCounted === true && snapshot.total === undefined) return undefined;
  const taken = page.offset + snapshot.data.length;
  const isLast = snapshot.next === undefined || taken >= (options.top ?? Number.POSITIVE_INFINITY);
  const next = isLast ? undefined : { offset: taken, size: page.size, from: snapshot.next };
  return { snapshot, next, isWhole: false };
}

/** What the query leaves of a list whose document says nothing of pages; undefined where it comes in pages all the same. */
async function wholeAtOnce(
  { pushed }: PreparedCollection['wanted'],
  { top = Number.POSITIVE_INFINITY, skip = 0 }: Pick<QueryOptions, 'top' | 'skip'>,
  part: ListPart,
  load: (part: ListPart) => Promise<CollectionSnapshot>,
): Promise<CollectionSnapshot | undefined> {
  if (pushed?.tellsPages !== false || part.from !== undefined || part.top === undefined) return undefined;
  const first = await load({ ...part, skip: 0, top: undefined });
  if (first.next !== undefined) return undefined;
  return { ...first, data: rowsBetween(first.data, skip, skip + top) };
}

function partOf(
  { top, skip = 0 }: Pick<QueryOptions, 'top' | 'skip'>,
  { offset, size, from }: PageRange,
): ListPart | undefined {
  const isPaged = from !== undefined || (offset === 0 && (top === undefined || size !== undefined));
  if (!isPaged) return undefined;
  const most = Math.min(size ?? Number.POSITIVE_INFINITY, (top ?? Number.POSITIVE_INFINITY) - offset);
  return {
    from,
    skip: from === undefined ? skip : 0,
    top: Number.isFinite(most) ? most : undefined,
    mayBeShort: true,
  };
}
