import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { WrittenLink } from '../input/entity-input.ts';
import { quote } from '../input/mistakes.ts';
import { demandEntity } from '../load/load.ts';
import type { Loading } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';

/**
 * Properties of an entity that a link is to lead to, which has to be there. Whoever may not see it is believed
 * as far as the URL says them.
 */
export async function linkedValues(
  loading: Loading,
  entity: EntityResource,
  properties: readonly string[],
  { url, target }: WrittenLink,
): Promise<Row> {
  try {
    return (await demandEntity(loading, entity, { properties, dynamic: false })).data;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const isKnown = properties.every((name) => entity.known[name] !== undefined);
    if (error.code === 'Forbidden' && isKnown) return entity.known;
    throw error.code === 'NotFound' ? wrongLink(target, 'an entity that is there', url) : error;
  }
}

/** What the input says leads to no entity that could be linked. */
export function wrongLink(target: string, expected: string, found: string, near?: string): GatewayError {
  const meant = near === undefined ? '.' : `: is "${near}" meant?`;
  const message = `${target}: expected ${expected}, found ${quote(found)}${meant}`;
  return new GatewayError('BadRequest', message, { target });
}
