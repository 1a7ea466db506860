import type { CollectionSnapshot, ListPart, Row } from '../../../contract/entity-source.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import { demandCollection } from '../change/demand-owner.ts';
import type { Loading } from '../load/loading.ts';
import type { PreparedCollection } from '../prepare-query.ts';
import type { CollectionResource } from '../resource/resource.ts';
import type { Service } from '../service.ts';
import { type CutPage, type PageOfAnswer, unknownSkipToken } from './paging.ts';

/** What an answer is made of, and what is shown of the rows that the options leave. */
interface LoadedPage {
  readonly snapshot: CollectionSnapshot;
  readonly cut: (rows: readonly Row[]) => CutPage<Row>;
}

type PageOptions = Pick<QueryOptions, 'top' | 'skip'>;

/**
 * Loads the page of an answer. Where no option needs all of a list that comes in pages, it is a page of the upstream's,
 * and the URL of the rest leads on from there; else it is a part of all that there is.
 */
export async function loadPage(
  { paging }: Pick<Service, 'paging'>,
  loading: Loading,
  collection: CollectionResource,
  { wanted }: Pick<PreparedCollection, 'wanted'>,
  options: PageOptions,
  page: PageOfAnswer,
  target: string,
): Promise<LoadedPage> {
  const part = partOf(wanted.pushed?.goesOn === true, options, page);
  const begun = part && (await demandCollection(loading, collection, { ...wanted, part }));
  if (begun !== undefined && (wanted.pushed?.isCounted !== true || begun.total !== undefined)) {
    const taken = page.offset + begun.data.length;
    const isLast = begun.next === undefined || taken >= (options.top ?? Number.POSITIVE_INFINITY);
    const nextTarget = isLast
      ? undefined
      : paging.onward(target, { offset: taken, size: page.size, from: begun.next });
    if (isLast || nextTarget !== undefined) return { snapshot: begun, cut: (rows) => ({ rows, nextTarget }) };
  }
  const snapshot = await demandCollection(loading, collection, wanted);
  return { snapshot, cut: (rows) => paging.cut(rows, page, target) };
}

/** A client that says how many it wants is given them at once, unless it or the model wants pages. */
function partOf(
  goesOn: boolean,
  { top, skip = 0 }: PageOptions,
  { offset, size, from, tracked }: PageOfAnswer,
): ListPart | undefined {
  if (from !== undefined && !goesOn) throw unknownSkipToken();
  const isPaged = from !== undefined || (offset === 0 && (top === undefined || size !== undefined));
  if (!goesOn || tracked !== undefined || !isPaged) return undefined;
  const most = Math.min(size ?? Number.POSITIVE_INFINITY, (top ?? Number.POSITIVE_INFINITY) - offset);
  return {
    from,
    skip: from === undefined ? skip : 0,
    top: Number.isFinite(most) ? most : undefined,
    mayBeShort: true,
  };
}
