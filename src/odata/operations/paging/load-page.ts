import type { CollectionSnapshot } from '../../../contract/entity-source.ts';
import type { CallContext } from '../../../contract/exchange.ts';
import type { Row } from '../../../contract/row.ts';
import { requireCollection } from '../../../engine/load/load.ts';
import { loadUpstreamPage } from '../../../engine/read/load-page.ts';
import type { PreparedCollection } from '../../../engine/read/prepare-query.ts';
import type { Loading } from '../../../engine/resource/loading.ts';
import type { CollectionResource } from '../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../engine/tree/query-tree.ts';
import type { ChangesOperation } from '../../../model/operation.ts';
import type { Preferences } from '../../payload/negotiation/preference.ts';
import type { Service } from '../service/service.ts';
import { type CutPage, type PageOfAnswer, unknownSkipToken } from '../tokens/paging.ts';

/** What an answer is made of, and what is shown of the rows that the options leave. */
interface LoadedPage {
  readonly snapshot: CollectionSnapshot;
  readonly cut: (rows: readonly Row[]) => CutPage<Row>;
}

/**
 * Loads the page of an answer; `list`: of all that there is, whatever pages it comes in. Where no option needs all of a list that comes in pages, it is a page of the upstream's,
 * and the URL of the rest leads on from there; else it is a part of all that there is.
 */
export async function loadPage(
  { paging }: Pick<Service, 'paging'>,
  loading: Loading,
  collection: CollectionResource,
  prepared: Pick<PreparedCollection, 'wanted'>,
  options: Pick<QueryOptions, 'top' | 'skip'>,
  page: PageOfAnswer,
  target: string,
  read: 'page' | 'list' = 'page',
): Promise<LoadedPage> {
  if (page.from !== undefined && prepared.wanted.pushed?.goesOn !== true) throw unknownSkipToken();
  const found =
    page.tracked === undefined && read === 'page'
      ? await loadUpstreamPage(loading, collection, prepared, options, page)
      : undefined;
  if (found !== undefined) {
    const { snapshot, next, isWhole } = found;
    if (isWhole) return { snapshot, cut: (rows) => paging.cut(rows, page, target) };
    const nextTarget = next && paging.onward(target, next);
    if (next === undefined || nextTarget !== undefined)
      return { snapshot, cut: (rows) => ({ rows, nextTarget }) };
  }
  const snapshot = await requireCollection(loading, collection, prepared.wanted);
  return { snapshot, cut: (rows) => paging.cut(rows, page, target) };
}

/** The client may want smaller pages than the model, but not larger ones; undefined where neither wants any. */
export function pageSize(
  { entitySet }: Pick<CollectionResource, 'entitySet'>,
  { maxPageSize = Number.POSITIVE_INFINITY }: Pick<Preferences, 'maxPageSize'>,
): number | undefined {
  const size = Math.min(maxPageSize, entitySet?.pageSize ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(size) ? size : undefined;
}

/** What the client wanted when it asked for the first page: its pages are not as large as the model has them. */
export function preferredSize(
  { entitySet }: Pick<CollectionResource, 'entitySet'>,
  { size }: PageOfAnswer,
): number | undefined {
  return size === entitySet?.pageSize ? undefined : size;
}

/**
 * The operation that tells what changes in what a query shows; undefined where there is none: for anything but a whole
 * set, and for queries whose answer hangs on more than each entity by itself.
 */
export function changesOf(
  { origin, isCast, entitySet, path }: CollectionResource,
  { top, skip, apply }: QueryOptions,
): ChangesOperation | undefined {
  const isWholeSet = origin.kind === 'operations' && origin.owner === undefined && path === entitySet?.name;
  const isOfEach = top === undefined && skip === undefined && apply === undefined;
  return isWholeSet && isOfEach && !isCast ? entitySet?.changes : undefined;
}

/**
 * The page with the state that its delta link will be about, where the client wants one (Part 1, 8.2.8.7). The upstream
 * is asked for it before the data is read: what changes in between is told twice rather than never.
 */
export async function trackedPage(
  { source }: Pick<Service, 'source'>,
  collection: CollectionResource,
  operation: ChangesOperation | undefined,
  page: PageOfAnswer,
  { trackChanges }: Preferences,
  context: CallContext,
): Promise<PageOfAnswer> {
  if (operation === undefined || !trackChanges || page.offset > 0) return page;
  const { resource, entityType } = collection;
  const { key: properties } = entityType;
  const read = { resource, entityType, properties, operation, arguments: {}, since: undefined };
  const { next } = await source.readChanges(read, context);
  return { ...page, tracked: next };
}
