import type { Arguments, Value } from '../../../contract/entity-source.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { PagedListOperation } from '../../../model/operation.ts';
import { conjuncts } from '../../query/conjuncts.ts';
import type { SystemQueryOptions } from '../../url/options-tree.ts';
import type { Expression, OrderByItem } from '../../url/tree.ts';
import { type ArgumentReader, argumentValue } from './argument-value.ts';

/**
 * What of a query the upstream is asked to do (design, section 3): it answers with less, and the rest is
 * applied to that. All options are applied again but those that say so.
 */
export interface PushDown {
  /** For the list operation's parameters that filter and order. */
  readonly arguments: Arguments;
  /** The upstream is asked for the page itself: `$top` and `$skip` are then done, and `$count` is its total. */
  readonly page: { readonly top: number | undefined; readonly skip: number } | undefined;
}

type Options = Pick<
  SystemQueryOptions,
  'filter' | 'search' | 'orderBy' | 'top' | 'skip' | 'apply' | 'count' | 'compute'
>;

/** Finds what a list operation can do of a query over all entities of a type. */
export function pushDown(
  reader: ArgumentReader,
  type: EntityType,
  operation: PagedListOperation,
  options: Options,
): PushDown {
  const { found, isWhole } = filterArguments(reader, type, operation, options.filter);
  const order = orderArgument(type, operation, options.orderBy);
  const args = { ...found, ...(order !== undefined && { [operation.orderBy ?? '']: order }) };
  const isOrdered = options.orderBy === undefined || order !== undefined;
  const rest = options.search ?? options.apply;
  const isPaged = isWhole && isOrdered && rest === undefined && hasPage(operation, options);
  return { arguments: args, page: isPaged ? { top: options.top, skip: options.skip ?? 0 } : undefined };
}

/** The number of all entities must be known where it is asked for. */
function hasPage({ top, skip, total }: PagedListOperation, options: Options): boolean {
  if (options.top === undefined && options.skip === undefined) return false;
  if (options.top !== undefined && (top === undefined || options.top === 0)) return false;
  if (options.skip !== undefined && options.skip > 0 && skip === undefined) return false;
  return options.count !== true || total !== undefined;
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
  operation: PagedListOperation,
  filter: Expression | undefined,
): FilterArguments {
  const found: Record<string, Value> = {};
  let isWhole = true;
  for (const term of filter === undefined ? [] : conjuncts(filter)) {
    const argument = termArgument(reader, type, operation, term);
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
  if (term.kind !== 'binary' || term.operator !== 'eq') return undefined;
  const name = propertyName(term.left);
  const parameter = name === undefined ? undefined : filters.get(name);
  const property = name === undefined ? undefined : type.structuralProperties.get(name);
  if (parameter === undefined || property === undefined) return undefined;
  try {
    const value = argumentValue(reader, property, term.right, '$filter');
    return value === null ? undefined : { parameter, value };
  } catch {
    // Whatever is wrong with it, the query itself says so when it is compiled.
    return undefined;
  }
}

/** The property that a path is; undefined for any other expression. */
export function propertyName(expression: Expression): string | undefined {
  if (expression.kind !== 'path' || expression.root !== undefined || expression.alias !== undefined) {
    return undefined;
  }
  const [first, ...rest] = expression.segments;
  return first?.kind === 'name' && first.arguments === undefined && rest.length === 0
    ? first.name
    : undefined;
}

/** The properties' upstream names, separated by commas, each with ` desc` where the order is descending. */
function orderArgument(
  type: EntityType,
  { orderBy }: PagedListOperation,
  items: readonly OrderByItem[] | undefined,
): string | undefined {
  if (orderBy === undefined || items === undefined) return undefined;
  const terms = items.map(({ expression, descending }) => {
    const property = type.structuralProperties.get(propertyName(expression) ?? '');
    return property && `${property.upstreamName}${descending ? ' desc' : ''}`;
  });
  return terms.every((term) => term !== undefined) ? terms.join(',') : undefined;
}
