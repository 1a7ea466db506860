import { GatewayError } from '../../contract/gateway-error.ts';
import type { SystemQueryOptions } from '../../engine/tree/options-tree.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Input, Questions } from '../context/questions.ts';
import { searchExpression } from './search.ts';
import { whereExpression } from './where.ts';

/** `where` and `search`. */
export function conditionOptions(
  { face, limits }: Questions,
  type: EntityType,
  { where, search }: Input,
): Pick<SystemQueryOptions, 'filter' | 'search'> {
  const filter = whereExpression(face, limits.url, type.name, where);
  const sought = searchExpression(search);
  return { ...(filter !== undefined && { filter }), ...(sought !== undefined && { search: sought }) };
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A count of entities, which an argument gives. */
export function amount(name: string, value: unknown): number {
  if (typeof value === 'number' && value >= 0) return value;
  throw new GatewayError('BadRequest', `${name}: expected a number that is not negative, found ${value}.`, {
    target: name,
  });
}
