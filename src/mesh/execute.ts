import type { Snapshot } from '../contract/entity-source.ts';
import type { CallContext } from '../contract/exchange.ts';
import { FIELD_CALL, type FieldCall, type ReceivedAnswer } from './calls/mesh-context.ts';
import { digestOf } from './exchange/entity-tag.ts';
import type { GatewayMesh } from './mesh.ts';
import type { DecodedData, MeshQuery } from './mesh-query.ts';
import type { BodySigns } from './paging/page-signs.ts';
import type { CallArguments } from './sending/call-arguments.ts';

/** What was made of an answer. */
export interface MeshSnapshot<Data> extends Snapshot<Data> {
  /** What the body says of the pages of a list, where the query reads one. */
  readonly signs: BodySigns | undefined;
  /** The target of the request, and what was received; undefined where there is no body. */
  readonly sent: string;
  readonly received: ReceivedAnswer | undefined;
  /** The upstream's entity tag of what was received. */
  readonly etag?: string | undefined;
  /** The URL of what a write has created. */
  readonly location?: string | undefined;
  /** Stands for the bytes that were received, where the query is about one entity and the upstream has no tag. */
  readonly digest?: string | undefined;
}

/** What one execution sends. */
export interface MeshCall
  extends CallArguments,
    Pick<
      FieldCall,
      'body' | 'target' | 'mediaType' | 'stream' | 'conditions' | 'takesInput' | 'mayBeEmpty'
    > {}

/**
 * Executes the query on the mesh and reads what comes of it. Where the upstream's data has not changed, it is
 * what was made of it before. A query that never comes to its field is a fault of the gateway's: its errors are the
 * cause of what is thrown.
 */
export async function execute<Data>(
  mesh: GatewayMesh,
  query: MeshQuery<Data>,
  { variables, written, ...sent }: MeshCall,
  call: CallContext,
): Promise<MeshSnapshot<Data>> {
  const fieldCall: FieldCall = {
    arguments: written,
    ...sent,
    making: query.making,
    loaded: undefined,
    failure: undefined,
  };
  const { errors = [] } = await mesh.execute(query.document, variables, { call, [FIELD_CALL]: fieldCall });
  const { failure, loaded } = fieldCall;
  if (failure !== undefined) throw failure;
  if (loaded === undefined) throw unexecuted(query, errors);
  const { data, signs } = loaded.made as DecodedData<Data>;
  const { state, received } = loaded;
  const snapshot = { data, version: state?.version, signs, sent: fieldCall.sent ?? '', received };
  return query.tagged === true ? taggedSnapshot(snapshot, loaded.received) : snapshot;
}

function unexecuted({ operation: { field } }: MeshQuery<unknown>, errors: readonly Error[]): Error {
  const said = errors.map(({ message }) => message).join(' ');
  const message = `The mesh did not execute ${field.name}: ${said === '' ? 'it says no error.' : said}`;
  return new Error(message, { cause: new AggregateError(errors) });
}

/** What is remembered may have come under another tag since. */
function taggedSnapshot<Data>(
  snapshot: MeshSnapshot<Data>,
  received: ReceivedAnswer | undefined,
): MeshSnapshot<Data> {
  if (received === undefined) return snapshot;
  const { etag, location } = received;
  return { ...snapshot, etag, location, digest: etag === undefined ? digestOf(received) : undefined };
}
