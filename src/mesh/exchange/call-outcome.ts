import type { StreamChange, StreamSnapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { InsertOperation } from '../../model/edm.ts';
import { upstreamFailure } from './upstream-failure.ts';

/** Undefined where there is no such entity. */
export async function unlessMissing<Data>(reading: Promise<Data>): Promise<Data | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

/** Nobody wants what a change of a stream is answered with. */
export function changeOf(snapshot: StreamSnapshot): StreamChange {
  if (snapshot.kind === 'content') snapshot.bytes.destroy();
  return { etag: snapshot.etag };
}

export function missing(): never {
  throw upstreamFailure('NotFound', undefined);
}

/** Whatever the upstream has against a token of its own, it does not know it any more. */
export function outdated(error: unknown): unknown {
  if (!(error instanceof GatewayError) || !UNKNOWN_TOKEN.has(error.code)) return error;
  const message = '$deltatoken: the changes since then are not known any more; read the collection again.';
  return new GatewayError('Gone', message, { target: '$deltatoken', cause: error });
}

const UNKNOWN_TOKEN: ReadonlySet<string> = new Set([
  'BadRequest',
  'Conflict',
  'Gone',
  'NotFound',
  'UnprocessableContent',
]);

export function refused(): never {
  throw new GatewayError('BadRequest', 'The parameters have values that the operation does not take.');
}

/** Where one thing is to be told whatever the upstream does wrong, the cause is for the log. */
export function insertFailure({ failure }: InsertOperation, error: unknown): unknown {
  if (failure === undefined || !(error instanceof GatewayError) || OWN_FAULTS.has(error.code)) return error;
  return new GatewayError('InsertFailed', failure, { cause: error });
}

/** Of these, the last two are about a credential of the caller's own. */
const OWN_FAULTS: ReadonlySet<string> = new Set([
  'ClientClosedRequest',
  'InternalError',
  'NotImplemented',
  'Unauthorized',
  'Forbidden',
]);
