import { GatewayError } from '../../contract/gateway-error.ts';
import type { SearchExpression } from '../../engine/tree/expression-tree.ts';
import type { SystemQueryOptions } from '../../engine/tree/options-tree.ts';
import type { EntityType } from '../../model/edm.ts';
import type { Input, Questions } from '../context/questions.ts';
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

/** `search`: all of the words, and of the phrases in double quotes. Undefined where there are none. */
function searchExpression(search: unknown): SearchExpression | undefined {
  if (typeof search !== 'string') return undefined;
  const terms = [...search.matchAll(/"([^"]*)"|([^\s"]+)/g)].flatMap(
    ([, phrase, word]): SearchExpression[] => {
      const text = (phrase ?? word ?? '').trim();
      return text === '' ? [] : [{ kind: 'term', text, position: 0 }];
    },
  );
  const [first, ...rest] = terms;
  return rest.reduce<SearchExpression | undefined>(
    (left, right) => left && { kind: 'searchAnd', left, right, position: 0 },
    first,
  );
}
