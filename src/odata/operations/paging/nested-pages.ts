import type { CompiledRelated, NestedPages } from '../../../engine/expand/expander.ts';
import type { Preferences } from '../../payload/negotiation/preference.ts';
import type { Service } from '../service/service.ts';
import { carriedOptions, nameOf, type WrittenQuery } from './carried-options.ts';
import { type NestedQueryOf, nestedQuery } from './nested-query.ts';
import { pageSize } from './page-size.ts';

/**
 * Server-driven paging of the collections within an answer (Part 1, 8.2.8.5 and 11.2.6.7): those that no URL asks
 * for stay whole. `target` is that of the answer: what it says beside what is asked for, the next links say, too.
 */
export function nestedPages(
  { paging, root }: Pick<Service, 'paging' | 'root'>,
  target: string,
  preferences: Pick<Preferences, 'maxPageSize'>,
): NestedPages {
  const queries = new Map<CompiledRelated, NestedQueryOf | undefined>();
  return {
    cut(rows, entitySet, expanded, owner) {
      const size = pageSize({ entitySet }, preferences);
      if (size === undefined || rows.length <= size) return { rows, nextLink: undefined };
      const queryOf = queries.get(expanded) ?? nestedQuery(expanded);
      queries.set(expanded, queryOf);
      const query = queryOf?.(owner);
      if (query === undefined) return { rows, nextLink: undefined };
      const nested = targetOf(query, carriedOptions(target));
      const { rows: shown, nextTarget } = paging.cut(rows, { offset: 0, size }, nested);
      return { rows: shown, nextLink: nextTarget && root + nextTarget };
    },
  };
}

/** A nested alias hides that of the whole query. */
function targetOf({ path, options }: WrittenQuery, carried: readonly string[]): string {
  const own = new Set(options.map(nameOf));
  const all = [...options, ...carried.filter((option) => !own.has(nameOf(option)))];
  return all.length === 0 ? path : `${path}?${all.join('&')}`;
}
