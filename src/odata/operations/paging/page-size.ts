import type { CollectionResource } from '../../../engine/resource/resource.ts';
import type { Preferences } from '../../payload/negotiation/preference.ts';
import type { PageOfAnswer } from '../tokens/paging.ts';

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
