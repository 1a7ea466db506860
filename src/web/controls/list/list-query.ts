import { type EntitySet, propertyOf } from '../../service/metadata.ts';
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
  const page: readonly Option[] = [
    ['$count', 'true'],
    ['$top', String(top)],
    ...(skip > 0 ? [['$skip', String(skip)] as const] : []),
  ];
  return written([...page, ...optionsOf(query, entitySet)]);
}

/** The system query options for all of it, as a file. */
export function writeFileOptions(format: 'csv' | 'xlsx', query: ListQuery, entitySet: EntitySet): string {
  return written([['$format', format], ...optionsOf(query, entitySet)]);
}

type Option = readonly [name: string, value: string];

function optionsOf(query: ListQuery, entitySet: EntitySet): readonly Option[] {
  const filter = query.filters.map((one) => writeFilterOption(one, entitySet)).join(' and ');
  const options: readonly Option[] = [
    ['$search', writeSearch(query.search)],
    ['$filter', filter],
    ['$orderby', query.sort === undefined ? '' : writeSort(query.sort)],
  ];
  return options.filter(([, value]) => value !== '');
}

function written(options: readonly Option[]): string {
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
