import type { Row } from '../../../contract/entity-source.ts';
import type { EntitySet } from '../../../model/edm.ts';
import type { Preferences } from '../../payload/negotiation/preference.ts';
import type { Service } from '../service.ts';
import { carriedOptions, nameOf, type WrittenQuery } from './carried-options.ts';
import { pageSize } from './page-size.ts';

/** What is shown of a collection within an answer, and the URL of the rest. */
export interface NestedPage {
  readonly rows: readonly Row[];
  readonly nextLink: string | undefined;
}

/** Server-driven paging of the collections within an answer (Part 1, 8.2.8.5 and 11.2.6.7). */
export interface NestedPages {
  /** `queryOf` tells the URL of all of them; where they have none, they stay whole. */
  readonly cut: (
    rows: readonly Row[],
    entitySet: EntitySet | undefined,
    queryOf: () => WrittenQuery | undefined,
  ) => NestedPage;
}

/** `target` is that of the answer: what it says beside what is asked for, the next links say, too. */
export function nestedPages(
  { paging, root }: Pick<Service, 'paging' | 'root'>,
  target: string,
  preferences: Pick<Preferences, 'maxPageSize'>,
): NestedPages {
  return {
    cut(rows, entitySet, queryOf) {
      const size = pageSize({ entitySet }, preferences);
      const query = size === undefined || rows.length <= size ? undefined : queryOf();
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
