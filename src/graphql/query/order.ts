import { GatewayError } from '../../contract/gateway-error.ts';
import { REQUEST_LIMITS } from '../../contract/request-limits.ts';
import type { OrderByItem } from '../../engine/tree/expression-tree.ts';
import { type Face, structuredType } from '../context/face.ts';
import type { Input, OrderItem } from '../context/questions.ts';
import { nameSegment, path } from './expressions.ts';

/** `order`: each object one value after the other, as they are written. */
export function orderItems(face: Face, type: string, order: unknown, most: number): readonly OrderItem[] {
  const given = order === undefined || order === null ? [] : Array.isArray(order) ? order : [order];
  const items = given.flatMap((each: Input) => itemsOf(face, type, each, []));
  if (items.length > most) {
    const { variable } = REQUEST_LIMITS.url.orderByItems;
    const message = `order: expected at most ${most} values (${variable}), found ${items.length}.`;
    throw new GatewayError('BadRequest', message, { target: 'order', limit: variable });
  }
  return items;
}

function itemsOf(face: Face, type: string, order: Input, before: readonly string[]): readonly OrderItem[] {
  const structured = structuredType(face, type);
  const members = structured && face.names.membersOf(structured);
  return Object.entries(order).flatMap(([name, direction]) => {
    const member = members?.get(name);
    if (direction === null || member === undefined) return [];
    if (member.kind === 'related') {
      const { name: property, entityType } = member.navigation;
      return itemsOf(face, entityType.name, direction as Input, [...before, property]);
    }
    if (member.kind !== 'property') return [];
    const { property } = member;
    const names = [...before, property.name];
    if (property.type.kind === 'complex') return itemsOf(face, property.type.name, direction as Input, names);
    const isMember = property.type.kind === 'enumeration';
    return [{ names, type: isMember ? 'Edm.String' : property.type.name, descending: direction === 'DESC' }];
  });
}

export function orderBy(items: readonly OrderItem[]): readonly OrderByItem[] {
  return items.map(({ names, descending }) => ({
    expression: path(names.map(nameSegment)),
    descending,
    position: 0,
  }));
}
