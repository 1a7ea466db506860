import type { Value } from '../../../../contract/row.ts';
import { loadValue } from '../../../../engine/load/load-value.ts';
import type { Loading } from '../../../../engine/resource/loading.ts';
import type { PropertyResource } from '../../../../engine/resource/resource.ts';

/**
 * Whether a property is to be set to null, or to be empty, that is so already because it is within a complex value that
 * is null (Part 2, 5.1.1.15). To set it would make that value one of nulls.
 */
export async function isWithinUnsetComplex(
  loading: Loading,
  value: PropertyResource,
  given: Value,
): Promise<boolean> {
  const { origin } = value;
  const isNothing = given === null || (Array.isArray(given) && given.length === 0);
  const within = origin.path.slice(0, -1);
  if (!isNothing || within.length === 0 || !origin.readable) return false;
  const { data } = await loadValue(loading, { ...value, origin: { ...origin, path: within } }, true);
  return data === null;
}
