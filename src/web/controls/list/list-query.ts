import {
  type EntitySet,
  isComparable,
  type Property,
  type PropertyType,
  propertyOf,
} from '../../service/metadata.ts';

/** The query of a list, stored in the page's URL. */
export interface ListQuery {
  readonly search: string;
  readonly sort: Sort | undefined;
  readonly filters: readonly Filter[];
}

export interface Sort {
  readonly property: string;
  readonly descending: boolean;
}

/** Reads the query from the page's parameters, without unknown properties. */
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

/** The query options for one page. */
export function writeOptions(query: ListQuery, entitySet: EntitySet, skip: number, top: number): string {
  const page: readonly Option[] = [
    ['$count', 'true'],
    ['$top', String(top)],
    ...(skip > 0 ? [['$skip', String(skip)] as const] : []),
  ];
  return written([...page, ...optionsOf(query, entitySet)]);
}

/** The query options for a file with all entities. */
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

/** Quotes every word, so that none is an operator (OData 4.01 Part 2, 5.1.8). */
function writeSearch(text: string): string {
  return text
    .split(/[\s"\\]+/)
    .filter((word) => word !== '')
    .map((word) => `"${word}"`)
    .join(' ');
}

export interface Filter {
  readonly property: string;
  readonly operator: Operator;
  /** Empty for operators without a value. */
  readonly value: string;
}

export type Operator = 'has' | 'starts' | 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge' | 'empty' | 'filled';

export const OPERATOR_LABELS: Readonly<Record<Operator, string>> = {
  has: 'contains',
  starts: 'starts with',
  eq: 'is',
  ne: 'is not',
  lt: 'is less than',
  le: 'is at most',
  gt: 'is more than',
  ge: 'is at least',
  empty: 'is empty',
  filled: 'is not empty',
};

const ORDER: readonly Operator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

/** The operators for the property, the most useful first. */
export function operatorsOf({ type, nullable }: Property): readonly Operator[] {
  const nullness: readonly Operator[] = nullable ? ['empty', 'filled'] : [];
  if (type.kind === 'primitive' && type.name === 'Edm.String') {
    return ['has', 'starts', 'eq', 'ne', ...nullness];
  }
  const equality: readonly Operator[] = ['eq', 'ne'];
  const hasOrder = type.kind === 'primitive' && type.name !== 'Edm.Boolean' && type.name !== 'Edm.Guid';
  return [...(hasOrder ? ORDER : equality), ...nullness];
}

export function takesValue(operator: Operator): boolean {
  return operator !== 'empty' && operator !== 'filled';
}

/** Parses `Title.has.some text`; undefined if the entity set does not support the filter. */
function readFilter(text: string, entitySet: EntitySet): Filter | undefined {
  const [, name = '', operator = '', value = ''] = /^(\w+)\.(\w+)(?:\.(.*))?$/su.exec(text) ?? [];
  const property = propertyOf(entitySet, name);
  if (property === undefined || !isComparable(property)) return undefined;
  const known = operatorsOf(property).find((one) => one === operator);
  return known && { property: name, operator: known, value };
}

export function writeFilter({ property, operator, value }: Filter): string {
  return takesValue(operator) ? `${property}.${operator}.${value}` : `${property}.${operator}`;
}

/** The filter as a $filter expression. Searches for parts of texts ignore case. */
function writeFilterOption({ property, operator, value }: Filter, entitySet: EntitySet): string {
  const type = propertyOf(entitySet, property)?.type;
  if (type === undefined) return 'false';
  switch (operator) {
    case 'has':
      return `contains(tolower(${property}),${quote(value.toLowerCase())})`;
    case 'starts':
      return `startswith(tolower(${property}),${quote(value.toLowerCase())})`;
    case 'empty':
      return `${property} eq null`;
    case 'filled':
      return `${property} ne null`;
    default:
      return `${property} ${operator} ${writeLiteral(type, value)}`;
  }
}

/** A literal of the type (OData 4.01 Part 2, 5.1.1.14.1). */
function writeLiteral(type: PropertyType, text: string): string {
  if (type.kind === 'enum') return `${type.name}${quote(text)}`;
  switch (type.name) {
    case 'Edm.String':
      return quote(text);
    case 'Edm.Duration':
      return `duration${quote(text)}`;
    default:
      return text;
  }
}

/** A string literal (OData 4.01 Part 2, 5.1.1.14.1). */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
