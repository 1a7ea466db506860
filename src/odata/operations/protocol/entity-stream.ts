import type { StreamConditions, StreamSnapshot } from '../../../contract/entity-source.ts';
import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { demandMember } from '../../../engine/change/change-entity.ts';
import { changed, excluded, isNamed } from '../../../engine/change/precondition.ts';
import { NOTHING } from '../../../engine/load/assert-parent-exists.ts';
import { demandEntity, missingEntity, operationArguments } from '../../../engine/load/load.ts';
import type { Loading } from '../../../engine/resource/loading.ts';
import type { EntityResource, EntityStream } from '../../../engine/resource/resource.ts';
import type { Operation as UpstreamOperation } from '../../../model/operation.ts';

/** What the operation about an entity's stream is called with. An entity that is not there is NotFound. */
export async function streamCall(loading: Loading, entity: EntityResource, operation: UpstreamOperation) {
  await demandMember(loading, entity);
  const args = await operationArguments(loading, operation, entity);
  if (args === undefined) throw missingEntity(entity);
  return { resource: entity.resource, operation, arguments: args };
}

/** The stream of an entity, which is absent where the upstream has none and the entity is there. */
export async function openEntityStream(
  loading: Loading,
  entity: EntityResource,
  operation: UpstreamOperation,
  conditions: StreamConditions,
): Promise<StreamSnapshot> {
  const call = await streamCall(loading, entity, operation);
  const read = { ...call, kind: 'stream', body: undefined, conditions } as const;
  return unlessMissing(loading, entity, loading.service.source.readStream(read, loading.context), ABSENT);
}

const ABSENT: StreamSnapshot = { kind: 'absent', etag: undefined };

/** Of a stream alone it is no failure that it is not there. */
export async function unlessMissing<Outcome>(
  loading: Loading,
  entity: EntityResource,
  outcome: Promise<Outcome>,
  otherwise: Outcome,
): Promise<Outcome> {
  try {
    return await outcome;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== 'NotFound') throw error;
    await demandEntity(loading, entity, NOTHING);
    return otherwise;
  }
}

/**
 * Checks If-Match and If-None-Match against the stream as it is now (Part 1, 8.2.4 and 8.2.5): an upstream
 * need not do so. What cannot be read has no state that could be named.
 */
export async function demandStreamState(
  loading: Loading,
  { entity, operations: { get } }: EntityStream,
  { headers }: Pick<BudgetedRequest, 'headers'>,
): Promise<void> {
  const match = headers['if-match'];
  const noneMatch = headers['if-none-match'];
  if (match === undefined && noneMatch === undefined) return;
  const current = get && (await openEntityStream(loading, entity, get, {}));
  if (current?.kind === 'content') current.bytes.destroy();
  const isThere = current?.kind === 'content';
  if (match !== undefined && !(isThere && isNamed(match, current.etag))) throw changed('stream');
  if (noneMatch === undefined) return;
  if (get === undefined) throw unreadable();
  if (isThere && isNamed(noneMatch, current.etag)) throw excluded('stream', noneMatch, current.etag);
}

function unreadable(): GatewayError {
  return new GatewayError('PreconditionFailed', 'If-None-Match: expected a stream whose state can be read.');
}
