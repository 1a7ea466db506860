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
import { type AskedField, askedFields, typeOfField } from './selection.ts';
import { amount, conditionOptions } from './where.ts';

/** One of the queries that a connection comes to, and what its fields find the answer by. */
interface ConnectionPart {
  readonly key: string;
  readonly options: SystemQueryOptions;
}

export const PAGE = 'page';
export const COUNT = 'count';

/** What a selection of entities shows of them. */
type ShownOf = (
  dependencies: SelectionDependencies,
  type: EntityType,
  fields: readonly AskedField[],
) => Pick<SystemQueryOptions, 'select' | 'expand'>;

/** A page of entities, how many there are on all pages, and what they come to in groups: as far as it is asked for. */
export function connectionParts(
  dependencies: SelectionDependencies,
  type: EntityType,
  args: Input,
  fields: readonly AskedField[],
  shown: ShownOf,
): readonly ConnectionPart[] {
  const parts = new Map<string, ConnectionPart>();
  const conditions = conditionsBefore(dependencies, type, args);
  const nodes = nodeFields(dependencies, fields);
  if (fields.some(({ field }) => PAGED.has(field.name))) {
    parts.set(PAGE, {
      key: PAGE,
      options: {
        ...pageOptions(dependencies, type, args),
        ...withOrder(shown(dependencies, type, nodes), connectionOrder(dependencies, type, args)),
      },
    });
  }
  if (fields.some(({ field }) => field.name === 'totalCount')) {
    const apply = [...conditions, aggregation([], [COUNTING])];
    parts.set(COUNT, { key: COUNT, options: { apply } });
  }
  for (const [key, asked] of summaries(fields)) {
    const [{ args: by } = { args: {} }] = asked;
    const options = { apply: [...conditions, ...summaryOf(dependencies, by, asked)] };
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

/** The order of a connection, which its cursors are of. */
export function connectionOrder(
  { shown, limits }: SelectionDependencies,
  type: EntityType,
  { order }: Input,
): Ordering {
  return orderingOf(type, orderItems(shown, type, order, limits.url.orderByItems));
}

/** One entity more than is wanted tells whether there are others behind. */
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

/** Cursors are made of the values that entities are sorted by. */
function withOrder(shown: ReturnType<ShownOf>, { names }: Ordering): ReturnType<ShownOf> {
  const wanted = names.map((name) => ({ path: [name], options: undefined, position: 0 }));
  return { ...shown, select: [...(shown.select ?? []), ...wanted] };
}

/** Values of the order that stand in others are put beside the entity's own, where its cursor finds them. */
function computedOf({ items, names }: Ordering): readonly ComputeItem[] {
  return items.flatMap((item, index) =>
    item.names.length === 1
      ? []
      : [{ expression: path(item.names.map(nameSegment)), alias: names[index] ?? '', position: 0 }],
  );
}

/** What is shown of the entities, as nodes or within edges. */
function nodeFields({ asked }: SelectionDependencies, fields: readonly AskedField[]): readonly AskedField[] {
  return fields.flatMap((each) => {
    const { field, node } = each;
    if (field.name !== 'nodes' && field.name !== 'edges') return [];
    const within = askedFields(asked, typeOfField(each), [node]);
    if (field.name === 'nodes') return within;
    return within.flatMap((inner) =>
      inner.field.name === 'node' ? askedFields(asked, typeOfField(inner), [inner.node]) : [],
    );
  });
}

/** What is asked for of groups and of all together, by their arguments. */
function summaries(fields: readonly AskedField[]): ReadonlyMap<string, readonly AskedField[]> {
  const found = new Map<string, AskedField[]>();
  for (const asked of fields) {
    const { name } = asked.field;
    if (name !== 'groups' && name !== 'aggregate') continue;
    const key = partKey(name, asked.args);
    found.set(key, [...(found.get(key) ?? []), asked]);
  }
  return found;
}

function summaryOf(
  { asked }: SelectionDependencies,
  { by = [] }: Input,
  fields: readonly AskedField[],
): readonly Transformation[] {
  const methods = fields.flatMap((each) => askedFields(asked, typeOfField(each), [each.node]));
  const items = methods.flatMap(({ field, node }) => {
    const inner = askedFields(asked, typeOfField({ field, node, args: {} }), [node]);
    return aggregatesOf(field.name, inner);
  });
  const unique = new Map([COUNTING, ...items].map((item) => [item.alias, item]));
  return [aggregation(by as readonly string[], [...unique.values()])];
}

/** What the fields of a connection are read from: the answers to the queries that it came to. */
export interface Connection {
  readonly ordering: Ordering;
  readonly nodes: readonly Row[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  /** The rows of one of the queries. */
  readonly answer: (part: string) => readonly Row[];
}

/** One entity more than was wanted tells that others are behind (Relay Cursor Connections, 5.1). */
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

/** Fields of a group to the methods of `$apply` (Data Aggregation 4.0, 3.2.1.3). */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['sum', 'sum'],
  ['average', 'average'],
  ['min', 'min'],
  ['max', 'max'],
  ['countDistinct', 'countdistinct'],
]);

/** How many entities there are. */
const COUNTING: AggregateItem = {
  expression: undefined,
  method: undefined,
  from: [],
  alias: 'count',
  position: 0,
};

/** Under which name a group has an aggregate; no property has one like it. */
export function aggregateName(method: string, property: string): string {
  return `${method} ${property}`;
}

/** The aggregates that a field of a group asks for: `sum { price }`. */
function aggregatesOf(field: string, properties: readonly AskedField[]): readonly AggregateItem[] {
  const method = METHODS.get(field);
  if (method === undefined) return [];
  return properties.flatMap(({ field: asked }) => {
    const member = memberOf(asked);
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

/** One group for each combination of the properties' values; one of all where there are none. */
function aggregation(by: readonly string[], items: readonly AggregateItem[]): Transformation {
  const aggregate = { kind: 'aggregate', items, position: 0 } as const;
  if (by.length === 0) return aggregate;
  const grouping = [...new Set(by)].map((name) => ({ rollup: false, paths: [[name]], position: 0 }));
  const then = [aggregate];
  return { kind: 'groupby', items: grouping, then, position: 0 };
}

/**
 * The name under which an entity holds what a field has asked for: one for each relation with the same arguments,
 * however often and under whichever names a document asks for it. No property has such a name.
 */
export function relationKey({ kind, navigation, declaredIn }: RelatedMember, args: Input, part = ''): string {
  const given = Object.keys(args).length === 0 ? '' : JSON.stringify(args, exactText);
  return `${kind} ${declaredIn}.${navigation.name} ${part} ${given}`;
}

/** The name under which a row holds what else is asked for by arguments. */
export function partKey(part: string, args: Input = {}): string {
  return `${part} ${JSON.stringify(args, exactText)}`;
}

function exactText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
