import type { EntitySet } from '../../service/metadata.ts';
import { propertyOf } from '../../service/metadata.ts';
import { type Filter, readFilter, writeFilter, writeFilterOption } from './filter.ts';

/** What a list is asked for; it lives in the page's URL. */
export interface ListQuery {
  readonly search: string;
  readonly sort: Sort | undefined;
  readonly filters: readonly Filter[];
}

export interface Sort {
  readonly property: string;
  readonly descending: boolean;
}

/** Reads the query from the page's parameters; what the entity set does not have is left out. */
export function readListQuery(parameters: URLSearchParams, entitySet: EntitySet): ListQuery {
  return {
    search: parameters.get('search') ?? '',
    sort: readSort(parameters.get('sort') ?? '', entitySet),
    filters: parameters.getAll('filter').flatMap((text) => readFilter(text, entitySet) ?? []),
  };
}

export function writeListQuery({ search, sort, filters }: ListQuery): URLSearchParams {
  const parameters = new URLSearchParams();
  if (search !== '') parameters.set('search', search);
  if (sort !== undefined) parameters.set('sort', writeSort(sort));
  for (const filter of filters) parameters.append('filter', writeFilter(filter));
  return parameters;
}

/** `Title` or `Title desc`, as in $orderby. */
export function writeSort({ property, descending }: Sort): string {
  return descending ? `${property} desc` : property;
}

export function readSort(text: string, entitySet: EntitySet): Sort | undefined {
  const [property = '', direction] = text.split(' ');
  return propertyOf(entitySet, property) && { property, descending: direction === 'desc' };
}

/** The system query options of the query, for one page of it. */
export function writeOptions(query: ListQuery, entitySet: EntitySet, skip: number, top: number): string {
  const options: [string, string][] = [
    ['$count', 'true'],
    ['$top', String(top)],
  ];
  const filter = query.filters.map((one) => writeFilterOption(one, entitySet)).join(' and ');
  const search = writeSearch(query.search);
  if (skip > 0) options.push(['$skip', String(skip)]);
  if (search !== '') options.push(['$search', search]);
  if (filter !== '') options.push(['$filter', filter]);
  if (query.sort !== undefined) options.push(['$orderby', writeSort(query.sort)]);
  return options.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/** Every word as a phrase of its own, so that none is an operator (OData 4.01 Part 2, 5.1.8). */
function writeSearch(text: string): string {
  return text
    .split(/[\s"\\]+/)
    .filter((word) => word !== '')
    .map((word) => `"${word}"`)
    .join(' ');
}
