import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type {
  AggregateItem,
  ComputeItem,
  SystemQueryOptions,
  Transformation,
} from '../../engine/tree/query-tree.ts';
import type { EntityType } from '../../model/edm.ts';
import {
  type Input,
  isGiven,
  type Ordering,
  type SelectionDependencies,
} from '../context/graphql-context.ts';
import { memberOf, type RelatedMember } from '../context/members.ts';
import { joined, nameSegment, path } from './expressions.ts';
import { orderBy, orderItems, orderingOf, reversed } from './order.ts';
import { type RequestedField, requestedFields, typeOfField } from './selection.ts';
import { amount, conditionOptions } from './where.ts';

/** One of the queries for a connection, with the key of its result. */
interface ConnectionPart {
  readonly key: string;
  readonly options: SystemQueryOptions;
}

export const PAGE = 'page';
export const COUNT = 'count';

/** Turns the selected fields of entities into options. */
type ShownOf = (
  dependencies: SelectionDependencies,
  type: EntityType,
  fields: readonly RequestedField[],
) => Pick<SystemQueryOptions, 'select' | 'expand' | 'compute'>;

/** The queries for a connection, as far as selected: a page of entities, their total, and groups. */
export function connectionParts(
  dependencies: SelectionDependencies,
  type: EntityType,
  args: Input,
  fields: readonly RequestedField[],
  shown: ShownOf,
): readonly ConnectionPart[] {
  const parts = new Map<string, ConnectionPart>();
  const conditions = conditionsBefore(dependencies, type, args);
  const nodes = nodeFields(dependencies, fields);
  if (fields.some(({ field }) => PAGED.has(field.name))) {
    const page = pageOptions(dependencies, type, args);
    const { compute, ...selected } = withOrder(
      shown(dependencies, type, nodes),
      connectionOrder(dependencies, type, args),
    );
    const computed = [...(page.compute ?? []), ...(compute ?? [])];
    const options = { ...page, ...selected, ...(computed.length > 0 && { compute: computed }) };
    parts.set(PAGE, { key: PAGE, options });
  }
  if (fields.some(({ field }) => field.name === 'totalCount')) {
    const apply = [...conditions, aggregation([], [COUNTING])];
    parts.set(COUNT, { key: COUNT, options: { apply } });
  }
  for (const [key, requested] of summaries(fields)) {
    const [{ args: by } = { args: {} }] = requested;
    const options = { apply: [...conditions, ...summaryOf(dependencies, by, requested)] };
    parts.set(key, { key, options });
  }
  return [...parts.values()];
}

const PAGED: ReadonlySet<string> = new Set(['nodes', 'edges', 'pageInfo']);

function conditionsBefore(
  dependencies: SelectionDependencies,
  type: EntityType,
  args: Input,
): readonly Transformation[] {
  const { filter, search } = conditionOptions(dependencies, type, args);
  return [
    ...(search === undefined ? [] : [{ kind: 'search', search, position: 0 } as const]),
    ...(filter === undefined ? [] : [{ kind: 'filter', predicate: filter, position: 0 } as const]),
  ];
}

/** The order of a connection, which its cursors refer to. */
export function connectionOrder(
  { shown, limits }: SelectionDependencies,
  type: EntityType,
  { order }: Input,
): Ordering {
  return orderingOf(type, orderItems(shown, type, order, limits.url.orderByItems));
}

/** Requests one entity more, to find out whether there are further ones. */
function pageOptions(dependencies: SelectionDependencies, type: EntityType, args: Input): SystemQueryOptions {
  const { first, last, after, before } = args;
  if (isGiven(first) && isGiven(last)) {
    throw new GatewayError('BadRequest', 'first: expected either first or last, found both.', {
      target: 'first',
    });
  }
  const ordering = connectionOrder(dependencies, type, args);
  const { filter, ...conditions } = conditionOptions(dependencies, type, args);
  const bounds = [
    ...(filter === undefined ? [] : [filter]),
    ...(isGiven(after) ? [dependencies.cursors.behind(ordering, after, 'after')] : []),
    ...(isGiven(before) ? [dependencies.cursors.behind(ordering, before, 'before')] : []),
  ];
  const bounded = joined('and', bounds);
  const compute = computedOf(ordering);
  return {
    ...conditions,
    ...(bounded !== undefined && { filter: bounded }),
    orderBy: orderBy((isGiven(last) ? reversed(ordering) : ordering).items),
    ...(compute.length > 0 && { compute }),
    ...(isGiven(first) && { top: amount('first', first) + 1 }),
    ...(isGiven(last) && { top: amount('last', last) + 1 }),
  };
}

/** Adds the sort keys, which cursors contain. */
function withOrder(shown: ReturnType<ShownOf>, { names }: Ordering): ReturnType<ShownOf> {
  const wanted = names.map((name) => ({ path: [name], options: undefined, position: 0 }));
  return { ...shown, select: [...(shown.select ?? []), ...wanted] };
}

/** Sort keys in nested objects are computed into the entity, where its cursor finds them. */
function computedOf({ items, names }: Ordering): readonly ComputeItem[] {
  return items.flatMap((item, index) =>
    item.names.length === 1
      ? []
      : [{ expression: path(item.names.map(nameSegment)), alias: names[index] ?? '', position: 0 }],
  );
}

/** The selected fields of entities, in nodes or edges. */
function nodeFields(
  { requested }: SelectionDependencies,
  fields: readonly RequestedField[],
): readonly RequestedField[] {
  return fields.flatMap((each) => {
    const { field, node } = each;
    if (field.name !== 'nodes' && field.name !== 'edges') return [];
    const within = requestedFields(requested, typeOfField(each), [node]);
    if (field.name === 'nodes') return within;
    return within.flatMap((inner) =>
      inner.field.name === 'node' ? requestedFields(requested, typeOfField(inner), [inner.node]) : [],
    );
  });
}

/** The selected aggregates of groups and of the whole, by their arguments. */
function summaries(fields: readonly RequestedField[]): ReadonlyMap<string, readonly RequestedField[]> {
  const found = new Map<string, RequestedField[]>();
  for (const requested of fields) {
    const { name } = requested.field;
    if (name !== 'groups' && name !== 'aggregate') continue;
    const key = partKey(name, requested.args);
    found.set(key, [...(found.get(key) ?? []), requested]);
  }
  return found;
}

function summaryOf(
  { requested }: SelectionDependencies,
  { by = [] }: Input,
  fields: readonly RequestedField[],
): readonly Transformation[] {
  const methods = fields.flatMap((each) => requestedFields(requested, typeOfField(each), [each.node]));
  const items = methods.flatMap(({ field, node }) => {
    const inner = requestedFields(requested, typeOfField({ field, node, args: {} }), [node]);
    return aggregatesOf(field.name, inner);
  });
  const unique = new Map([COUNTING, ...items].map((item) => [item.alias, item]));
  return [aggregation(by as readonly string[], [...unique.values()])];
}

/** The data of a connection: the results of its queries. */
export interface Connection {
  readonly ordering: Ordering;
  readonly nodes: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly answer: (part: string) => readonly Row[];
}

/** One entity more than requested means that there are further ones (Relay Cursor Connections, 5.1). */
export function connectionOf(
  ordering: Ordering,
  { first, last, after, before }: Input,
  page: readonly Row[],
  answer: Connection['answer'],
): Connection {
  if (isGiven(last)) {
    const nodes = page.slice(0, Number(last)).reverse();
    const isMore = page.length > nodes.length;
    return { ordering, nodes, hasPreviousPage: isMore, hasNextPage: isGiven(before), answer };
  }
  const nodes = isGiven(first) ? page.slice(0, Number(first)) : page;
  const isMore = page.length > nodes.length;
  return { ordering, nodes, hasNextPage: isMore, hasPreviousPage: isGiven(after), answer };
}

/** Methods of `$apply` (Data Aggregation 4.0, 3.2.1.3) by field of a group. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['sum', 'sum'],
  ['average', 'average'],
  ['min', 'min'],
  ['max', 'max'],
  ['countDistinct', 'countdistinct'],
]);

const COUNTING: AggregateItem = {
  expression: undefined,
  method: undefined,
  from: [],
  alias: 'count',
  position: 0,
};

/** The name of an aggregate in a group, which no property has. */
export function aggregateName(method: string, property: string): string {
  return `${method} ${property}`;
}

/** The aggregates of a group's field: `sum { price }`. */
function aggregatesOf(field: string, properties: readonly RequestedField[]): readonly AggregateItem[] {
  const method = METHODS.get(field);
  if (method === undefined) return [];
  return properties.flatMap(({ field: requested }) => {
    const member = memberOf(requested);
    if (member?.kind !== 'property') return [];
    const { name } = member.property;
    return [
      {
        expression: path([nameSegment(name)]),
        method,
        from: [],
        alias: aggregateName(field, name),
        position: 0,
      },
    ];
  });
}

/** One group per combination of the properties' values; one for all without properties. */
function aggregation(by: readonly string[], items: readonly AggregateItem[]): Transformation {
  const aggregate = { kind: 'aggregate', items, position: 0 } as const;
  if (by.length === 0) return aggregate;
  const grouping = [...new Set(by)].map((name) => ({ rollup: false, paths: [[name]], position: 0 }));
  const then = [aggregate];
  return { kind: 'groupby', items: grouping, then, position: 0 };
}

/**
 * The name under which an entity holds a relation: equal for the same relation with the same arguments,
 * regardless of aliases. No property has such a name.
 */
export function relationKey({ kind, navigation, declaredIn }: RelatedMember, args: Input, part = ''): string {
  const given = Object.keys(args).length === 0 ? '' : JSON.stringify(args, exactText);
  return `${kind} ${declaredIn}.${navigation.name} ${part} ${given}`;
}

/** The name under which a row holds another part that depends on arguments. */
export function partKey(part: string, args: Input = {}): string {
  return `${part} ${JSON.stringify(args, exactText)}`;
}

function exactText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
