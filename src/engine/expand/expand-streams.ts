import type { StreamContent, StreamSnapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { isRowOf } from '../load/is-of-type.ts';
import { missingEntity, operationArguments } from '../load/load.ts';
import { mapConcurrently } from '../load/map-concurrently.ts';
import type { Loading } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { BoundStream } from './bind-expand.ts';

/** The most streams within one answer: each is a call of the upstream's. */
const MOST_STREAMS = 100;

/** How many of them are under way at a time. */
const CONCURRENT_STREAMS = 4;

/** The properties that a stream of an entity is found by, and that tell its media type. */
export function propertiesOfStream(type: EntityType, { get, contentType }: BoundStream): readonly string[] {
  const own = get.parameters.filter(({ up = 0 }) => up === 0).map(({ property }) => property);
  const stated = contentType === undefined ? [] : [contentType];
  return [...type.key, ...[...own, ...stated].filter((name) => type.structuralProperties.has(name))];
}

/** What each of the entities has under the names of its streams: null where the upstream has none. */
export async function readStreams(
  loading: Loading,
  entities: readonly EntityResource[],
  streams: readonly BoundStream[],
): Promise<readonly Row[]> {
  const found = entities.map((): Record<string, Value> => ({}));
  const wanted = streams.flatMap((stream) =>
    entities.flatMap((entity, index) =>
      isRowOf(entity.entityType, entity.known, stream.owner) ? [{ stream, entity, index }] : [],
    ),
  );
  if (wanted.length > MOST_STREAMS) throw tooMany(wanted.length);
  await mapConcurrently(wanted, CONCURRENT_STREAMS, async ({ stream, entity, index }) => {
    const row = found[index];
    if (row !== undefined) row[stream.name] = await contentOf(loading, entity, stream);
  });
  return found;
}

/** The bytes as base64, beside their media type. */
async function contentOf(
  loading: Loading,
  entity: EntityResource,
  { get, contentType }: BoundStream,
): Promise<Row | null> {
  const args = await operationArguments(loading, get, entity);
  if (args === undefined) throw missingEntity(entity);
  const snapshot = await openStream(loading, { resource: entity.resource, operation: get, arguments: args });
  if (snapshot?.kind !== 'content') return null;
  const base64 = await collected(loading, snapshot);
  const stated = contentType === undefined ? undefined : entity.known[contentType];
  const mediaType = snapshot.mediaType ?? (typeof stated === 'string' ? stated : null);
  return { mediaType, base64 };
}

/** Undefined where the upstream knows nothing of it: the entity is there. */
async function openStream(
  { service, context }: Loading,
  call: Pick<
    Parameters<Loading['service']['source']['readStream']>[0],
    'resource' | 'operation' | 'arguments'
  >,
): Promise<StreamSnapshot | undefined> {
  try {
    return await service.source.readStream(
      { ...call, kind: 'stream', body: undefined, conditions: {} },
      context,
    );
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

/** Each part is charged before it is kept; what is too much for an answer is not read to its end. */
async function collected({ context: { budget } }: Loading, { bytes }: StreamContent): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
    budget.chargeAnswer(Math.ceil((chunk.length * 4) / 3));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('base64url');
}

function tooMany(found: number): GatewayError {
  const message = `$expand: expected at most ${MOST_STREAMS} streams within one answer, found ${found}; fewer entities have fewer.`;
  return new GatewayError('BadRequest', message, { target: '$expand' });
}
