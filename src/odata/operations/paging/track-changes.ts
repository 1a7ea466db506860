import type { CallContext } from '../../../contract/exchange.ts';
import type { CollectionResource } from '../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import type { ChangesOperation } from '../../../model/operation.ts';
import type { Preferences } from '../../payload/negotiation/preference.ts';
import type { Service } from '../service/service.ts';
import type { PageOfAnswer } from '../tokens/paging.ts';

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
