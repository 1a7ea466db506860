import type { Arguments } from '../../contract/entity-source.ts';
import type { Value } from '../../contract/row.ts';
import { matchesPattern } from '../../core/safe-regexp.ts';
import type { EntityType, TypeUse } from '../../model/edm.ts';
import type { ListOperation, PagedListOperation } from '../../model/operation.ts';
import { allows } from '../../model/type-use.ts';
import type { ArgumentReader } from '../bind/argument-value.ts';
import type { PushDown } from '../resource/read-needs.ts';
import type { Expression, OrderByItem, SystemQueryOptions } from '../tree/query-tree.ts';
import { equality, literalValue, propertyName } from './conditions.ts';

type Options = Pick<
  SystemQueryOptions,
  'search' | 'orderBy' | 'top' | 'skip' | 'apply' | 'count' | 'compute'
>;

export interface ListOperations {
  readonly list?: ListOperation | undefined;
  /** Undefined where the document says of no list that it can do some of the work. */
  readonly page?: PagedListOperation | undefined;
}

/**
 * Finds what a list operation can do of a query over all entities of a type. `terms` are those of `$filter` that are left
 * to do.
 */
export function pushDown(
  reader: ArgumentReader,
  type: EntityType,
  { list, page }: ListOperations,
  options: Options,
  terms: readonly Expression[],
): PushDown | undefined {
  const operation = page ?? list;
  if (operation === undefined) return undefined;
  const { found, isWhole } = filterArguments(reader, type, page, terms);
  const order = orderArgument(type, page, options.orderBy);
  const isInOrder = options.orderBy === undefined || order !== undefined;
  const isOfList = isWhole && isInOrder && options.search === undefined && options.apply === undefined;
  const { top, skip = 0, count = false } = options;
  const { paging } = operation;
  // A list whose document says nothing of pages may come in pages all the same.
  const mayContinue = paging?.onward ?? true;
  const hasTotal = paging?.tells.total === true;
  const continues = isOfList && mayContinue && top !== 0 && (!count || hasTotal);
  const wantsPart = top !== undefined || skip > 0;
  const isPaged = continues || (isOfList && wantsPart && (mayContinue || hasPage(page, options)));
  const isPart = isPaged && wantsPart;
  const counted = count && (top === 0 || !hasTotal);
  return {
    arguments: { ...found, ...order },
    part: isPart ? { top, skip, mayBeShort: false, ...(counted && { counted }) } : undefined,
    isPaged,
    isCounted: isPaged && count,
    goesOn: continues,
    tellsPages: paging !== undefined,
  };
}

/** Whether a page is asked for of a list whose document says, by `x-odata`, by which parameters a part of it is had. */
function hasPage(page: PagedListOperation | undefined, options: Options): boolean {
  const { paging } = page ?? {};
  if (paging === undefined) return false;
  // Its number is all that is wanted of it.
  if (options.top === 0) return options.count === true && paging.tells.total;
  if (options.top !== undefined && paging.size === undefined) return false;
  const canSkip = paging.ways.some(({ kind }) => kind === 'offset' || kind === 'page');
  if (options.skip !== undefined && options.skip > 0 && !canSkip) return false;
  return options.count !== true || paging.tells.total;
}

interface FilterArguments {
  readonly found: Arguments;
  /** Nothing of `$filter` is left. */
  readonly isWhole: boolean;
}

/** Terms `Property eq literal`, joined by `and`, of properties that the operation has a parameter for. */
function filterArguments(
  reader: ArgumentReader,
  type: EntityType,
  operation: PagedListOperation | undefined,
  terms: readonly Expression[],
): FilterArguments {
  const found: Record<string, Value> = {};
  let isWhole = true;
  for (const term of terms) {
    const argument = operation && termArgument(reader, type, operation, term);
    if (argument === undefined || argument.parameter in found) isWhole = false;
    else found[argument.parameter] = argument.value;
  }
  return { found, isWhole };
}

function termArgument(
  reader: ArgumentReader,
  type: EntityType,
  { filters }: PagedListOperation,
  term: Expression,
): { readonly parameter: string; readonly value: Value } | undefined {
  const { name, equal } = equality(term) ?? {};
  const parameter = name === undefined ? undefined : filters.get(name);
  const property = name === undefined ? undefined : type.structuralProperties.get(name);
  const value = property && equal && literalValue(reader, property, equal);
  if (parameter === undefined || property === undefined || value === undefined || value === null)
    return undefined;
  const isAllowed = allows(parameter.values, upstreamText(property, value), matchesPattern);
  return isAllowed ? { parameter: parameter.name, value } : undefined;
}

/** The text of a value as it is sent: a member of an enumeration has a value of the upstream's. */
function upstreamText({ type }: TypeUse, value: Value): string {
  const members = type.kind === 'enumeration' ? type.members : undefined;
  return String(members?.find(({ name }) => name === value)?.upstreamValue ?? value);
}

/** The properties' upstream names, separated by commas, each with ` desc` where the order is descending. */
function orderArgument(
  type: EntityType,
  operation: PagedListOperation | undefined,
  items: readonly OrderByItem[] | undefined,
): Arguments | undefined {
  const parameter = operation?.orderBy;
  if (parameter === undefined || items === undefined) return undefined;
  const terms = items.map(({ expression, descending }) => {
    const property = type.structuralProperties.get(propertyName(expression) ?? '');
    // Members of an enumeration are sorted by their numbers, of which the upstream knows nothing.
    if (property?.type.kind === 'enumeration') return undefined;
    return property && `${property.upstreamName}${descending ? ' desc' : ''}`;
  });
  const order = terms.join(',');
  const isAllowed =
    terms.every((term) => term !== undefined) && allows(parameter.values, order, matchesPattern);
  return isAllowed ? { [parameter.name]: order } : undefined;
}
