import type { Preferences } from '../../payload/negotiation/preference.ts';
import type { CollectionResource } from '../resource/resource.ts';

/** The client may want smaller pages than the model, but not larger ones; undefined where neither wants any. */
export function pageSize(
  { entitySet }: CollectionResource,
  { maxPageSize = Number.POSITIVE_INFINITY }: Preferences,
): number | undefined {
  const size = Math.min(maxPageSize, entitySet?.pageSize ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(size) ? size : undefined;
}
