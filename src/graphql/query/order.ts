import { GatewayError } from '../../contract/gateway-error.ts';
import type { Value } from '../../contract/row.ts';
import { REQUEST_LIMITS } from '../../core/request-limits.ts';
import type { Expression, OrderByItem } from '../../engine/tree/query-tree.ts';
import { type ModelType, qualifiedName } from '../../engine/typing/expression-type.ts';
import { type EntityType, expressionPath, keyProperties, type StructuralProperty } from '../../model/edm.ts';
import type { Cursors, Input, OrderItem, Ordering } from '../context/graphql-context.ts';
import { derivedKinds, type ShownModel } from '../context/schema-names.ts';
import { binary, FALSE, joined, literal, NULL, nameSegment, path } from './expressions.ts';

/** The argument `order`: each object is a sort key, in order. */
export function orderItems(
  shown: ShownModel,
  type: ModelType,
  order: unknown,
  most: number,
): readonly OrderItem[] {
  const given = order === undefined || order === null ? [] : Array.isArray(order) ? order : [order];
  const items = given.flatMap((each: Input) => itemsOf(shown, type, each, []));
  if (items.length > most) {
    const { variable } = REQUEST_LIMITS.url.orderByItems;
    const message = `order: expected at most ${most} values (${variable}), found ${items.length}.`;
    throw new GatewayError('BadRequest', message, { target: 'order', limit: variable });
  }
  return items;
}

function itemsOf(
  shown: ShownModel,
  type: ModelType,
  order: Input,
  before: readonly string[],
): readonly OrderItem[] {
  const members = shown.names.membersOf(type);
  return Object.entries(order).flatMap(([name, direction]) => {
    if (name === 'ofType') return itemsOfType(shown, type, direction as Input, before);
    const member = members.get(name);
    if (member?.kind === 'related') {
      const { name: property, entityType } = member.navigation;
      return itemsOf(shown, entityType, direction as Input, [...before, property]);
    }
    if (member?.kind !== 'property') return [];
    const { property } = member;
    const names = [...before, property.name];
    if (property.type.kind === 'complex') return itemsOf(shown, property.type, direction as Input, names);
    return [{ names, type: sortedAs(property), descending: direction === 'DESC' }];
  });
}

/** Values of derived types; null for entities of other types. */
function itemsOfType(
  shown: ShownModel,
  declared: ModelType,
  order: Input,
  before: readonly string[],
): readonly OrderItem[] {
  const kinds = derivedKinds(shown, declared);
  // A cast to a derived type replaces the previous cast.
  const uncast = before.at(-1) === qualifiedName(declared) ? before.slice(0, -1) : before;
  return Object.entries(order).flatMap(([name, within]) => {
    const type = kinds.get(name);
    return type === undefined ? [] : itemsOf(shown, type, within as Input, [...uncast, qualifiedName(type)]);
  });
}

/** Members of an enumeration are sorted by name. */
function sortedAs({ type }: StructuralProperty): string {
  return type.kind === 'enumeration' ? 'Edm.String' : type.name;
}

export function orderBy(items: readonly OrderItem[]): readonly OrderByItem[] {
  return items.map(({ names, descending }) => ({
    expression: path(names.map(nameSegment)),
    descending,
    position: 0,
  }));
}

/** Signs the content of a cursor together with its list. */
export interface Signature {
  of(said: string, target: string): string;
  isOf(said: string, target: string, signature: string): boolean;
}

export function orderingOf(type: EntityType, requested: readonly OrderItem[]): Ordering {
  const known = new Set(requested.map(({ names }) => names.join('/')));
  const rest = keyProperties(type)
    .map(
      (property): OrderItem => ({
        names: expressionPath(property),
        type: sortedAs(property),
        descending: false,
      }),
    )
    .filter(({ names }) => !known.has(names.join('/')));
  const items = [...requested, ...rest];
  const list = items.map(({ names, descending }) => `${names.join('/')}${descending ? ' desc' : ''}`).join();
  return {
    list: `${type.namespace}.${type.name} ${list}`,
    items,
    names: items.map(({ names }, index) => (names.length === 1 ? (names[0] ?? '') : `order ${index}`)),
  };
}

export function reversed(ordering: Ordering): Ordering {
  return {
    ...ordering,
    items: ordering.items.map((item) => ({ ...item, descending: !item.descending })),
  };
}

export function createCursors(signature: Signature): Cursors {
  return {
    write({ list, names }, row) {
      const values = names.map((name) => row[name] ?? null);
      const content = Buffer.from(JSON.stringify(values, exactly)).toString('base64url');
      return `${content}.${signature.of(content, list)}`;
    },
    behind(ordering, cursor, argument) {
      const [content = '', signed = '', ...more] = String(cursor).split('.');
      if (more.length > 0 || !signature.isOf(content, ordering.list, signed)) throw unknownCursor(argument);
      const values = JSON.parse(
        Buffer.from(content, 'base64url').toString(),
        exactlyRead,
      ) as readonly Value[];
      return behindValues(argument === 'after' ? ordering.items : reversed(ordering).items, values);
    },
  };
}

/** Entities after the cursor: greater in one sort key, and equal in all before it. */
function behindValues(items: readonly OrderItem[], values: readonly Value[]): Expression {
  const ways = items.map((item, index) => {
    const equal = items
      .slice(0, index)
      .map((before, at) => binary('eq', orderedValue(before), literal(before.type, values[at] ?? null)));
    return joined('and', [...equal, behindValue(item, values[index] ?? null)]) ?? FALSE;
  });
  return joined('or', ways) ?? FALSE;
}

/** Null precedes all values (Part 1, 11.2.6.2). */
function behindValue(item: OrderItem, value: Value): Expression {
  const operand = orderedValue(item);
  if (value === null) return item.descending ? FALSE : binary('ne', operand, NULL);
  if (!item.descending) return binary('gt', operand, literal(item.type, value));
  return binary('or', binary('lt', operand, literal(item.type, value)), binary('eq', operand, NULL));
}

function orderedValue({ names }: OrderItem): Expression {
  return path(names.map(nameSegment));
}

function exactly(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { bigint: String(value) } : value;
}

function exactlyRead(_: string, value: unknown): unknown {
  const isBig = typeof value === 'object' && value !== null && 'bigint' in value;
  return isBig ? BigInt(String(value.bigint)) : value;
}

function unknownCursor(argument: string): GatewayError {
  return new GatewayError(
    'BadRequest',
    `${argument}: expected a cursor of this list in this order, found another text.`,
    {
      target: argument,
    },
  );
}
