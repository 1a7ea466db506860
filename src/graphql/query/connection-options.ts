import { GatewayError } from '../../contract/gateway-error.ts';
import type { Transformation } from '../../engine/tree/apply-tree.ts';
import type { ComputeItem } from '../../engine/tree/expression-tree.ts';
import type { SystemQueryOptions } from '../../engine/tree/options-tree.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Input, Ordering, Questions } from '../context/questions.ts';
import { aggregatesOf, aggregation, COUNTING } from './aggregation.ts';
import { amount, conditionOptions, isGiven } from './collection-options.ts';
import { orderingOf, reversed } from './cursors.ts';
import { joined, nameSegment, path } from './expressions.ts';
import { orderBy, orderItems } from './order.ts';
import { partKey } from './relation-key.ts';
import { type AskedField, askedFields, typeOfField } from './selection.ts';

/** One of the queries that a connection comes to, and what its fields find the answer by. */
export interface ConnectionPart {
  readonly key: string;
  readonly options: SystemQueryOptions;
}

export const PAGE = 'page';
export const COUNT = 'count';

/** What a selection of entities shows of them. */
type ShownOf = (
  questions: Questions,
  type: EntityType,
  fields: readonly AskedField[],
) => Pick<SystemQueryOptions, 'select' | 'expand'>;

/** A page of entities, how many there are on all pages, and what they come to in groups: as far as it is asked for. */
export function connectionParts(
  questions: Questions,
  type: EntityType,
  args: Input,
  fields: readonly AskedField[],
  shown: ShownOf,
): readonly ConnectionPart[] {
  const parts = new Map<string, ConnectionPart>();
  const conditions = conditionsBefore(questions, type, args);
  const nodes = nodeFields(questions, fields);
  if (fields.some(({ field }) => PAGED.has(field.name))) {
    parts.set(PAGE, {
      key: PAGE,
      options: {
        ...pageOptions(questions, type, args),
        ...withOrder(shown(questions, type, nodes), connectionOrder(questions, type, args)),
      },
    });
  }
  if (fields.some(({ field }) => field.name === 'totalCount')) {
    const apply = [...conditions, aggregation([], [COUNTING])];
    parts.set(COUNT, { key: COUNT, options: { apply } });
  }
  for (const [key, asked] of summaries(fields)) {
    const [{ args: by } = { args: {} }] = asked;
    const options = { apply: [...conditions, ...summaryOf(questions, by, asked)] };
    parts.set(key, { key, options });
  }
  return [...parts.values()];
}

const PAGED: ReadonlySet<string> = new Set(['nodes', 'edges', 'pageInfo']);

function conditionsBefore(questions: Questions, type: EntityType, args: Input): readonly Transformation[] {
  const { filter, search } = conditionOptions(questions, type, args);
  return [
    ...(search === undefined ? [] : [{ kind: 'search', search, position: 0 } as const]),
    ...(filter === undefined ? [] : [{ kind: 'filter', predicate: filter, position: 0 } as const]),
  ];
}

/** The order of a connection, which its cursors are of. */
export function connectionOrder({ face, limits }: Questions, type: EntityType, { order }: Input): Ordering {
  return orderingOf(type, orderItems(face, type.name, order, limits.url.orderByItems));
}

/** One entity more than is wanted tells whether there are others behind. */
function pageOptions(questions: Questions, type: EntityType, args: Input): SystemQueryOptions {
  const { first, last, after, before } = args;
  if (isGiven(first) && isGiven(last)) {
    throw new GatewayError('BadRequest', 'first: expected either first or last, found both.', {
      target: 'first',
    });
  }
  const ordering = connectionOrder(questions, type, args);
  const { filter, ...conditions } = conditionOptions(questions, type, args);
  const bounds = [
    ...(filter === undefined ? [] : [filter]),
    ...(isGiven(after) ? [questions.cursors.behind(ordering, after, 'after')] : []),
    ...(isGiven(before) ? [questions.cursors.behind(ordering, before, 'before')] : []),
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
function nodeFields({ asked }: Questions, fields: readonly AskedField[]): readonly AskedField[] {
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
  { asked }: Questions,
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
