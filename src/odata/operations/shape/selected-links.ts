import type { SystemQueryOptions } from '../../../engine/tree/options-tree.ts';
import type { EntityContent } from '../../payload/json/entity-content.ts';

/**
 * The links and operations that `$select` leaves of what full metadata has of entities (Part 2, 5.1.4), with the links
 * of what is expanded; without `$select`, all of them.
 */
export function selectedLinks(
  { select }: Pick<SystemQueryOptions, 'select'>,
  expanded: Iterable<string>,
): Pick<EntityContent, 'links' | 'operations'> {
  if (select === undefined) return {};
  const last = select.flatMap(({ path }) => path.at(-1) ?? []);
  return { links: [...last, ...expanded], operations: last.filter((name) => name.includes('.')) };
}
