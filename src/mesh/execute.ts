import type { ExecutionResult } from 'graphql';
import type { Snapshot } from '../contract/entity-source.ts';
import type { CallContext } from '../contract/exchange.ts';
import type { GatewayError } from '../contract/gateway-error.ts';
import type { CallArguments } from './call-arguments.ts';
import { digestOf } from './entity-tag.ts';
import { logFailure } from './failure-log.ts';
import type { GatewayMesh } from './mesh.ts';
import { FIELD_CALL, type FieldCall, type ReceivedAnswer } from './mesh-context.ts';
import type { MeshQuery } from './mesh-query.ts';
import { badResponse } from './upstream-failure.ts';

/** What was made of an answer, and the number of all entities where the query asks for it. */
export interface MeshSnapshot<Data> extends Snapshot<Data> {
  readonly total: number | undefined;
  /** The upstream's entity tag of what was received. */
  readonly etag?: string | undefined;
  /** Stands for the bytes that were received, where the query is about one entity and the upstream has no tag. */
  readonly digest?: string | undefined;
}

/** What one execution sends. */
export interface MeshCall
  extends CallArguments,
    Pick<FieldCall, 'body' | 'mediaType' | 'stream' | 'conditions' | 'takesInput' | 'mayBeEmpty'> {}

/**
 * Executes the query on the mesh and reads what comes of it. Where the upstream's data has not changed, it is
 * what was made of it before. Undefined where an argument is no value of its type: nothing is called then.
 */
export async function execute<Data>(
  mesh: GatewayMesh,
  query: MeshQuery<Data>,
  { variables, written, ...sent }: MeshCall,
  call: CallContext,
): Promise<MeshSnapshot<Data> | undefined> {
  const fieldCall: FieldCall = {
    arguments: written,
    ...sent,
    purpose: query,
    direct: query.direct,
    loaded: undefined,
    made: undefined,
    failure: undefined,
  };
  const result = await mesh.execute(query.document, variables, { call, [FIELD_CALL]: fieldCall });
  if (fieldCall.failure !== undefined) throw fieldCall.failure;
  try {
    const snapshot = snapshotOf(mesh, query, fieldCall, result);
    return query.tagged === true ? taggedSnapshot(snapshot, fieldCall.loaded?.received) : snapshot;
  } catch (error) {
    logFailure(mesh.log, query.operation.field.name, call, error);
    throw error;
  }
}

function snapshotOf<Data>(
  { memory }: GatewayMesh,
  query: MeshQuery<Data>,
  { loaded, made }: FieldCall,
  result: ExecutionResult,
): MeshSnapshot<Data> | undefined {
  // Only this function makes anything for the purpose of this query.
  if (made !== undefined) return made as MeshSnapshot<Data>;
  if (loaded === undefined) return undefined;
  if (!query.direct && result.errors !== undefined) throw executionFailure(result);
  const data = query.read(query.direct ? loaded.data : result.data);
  const snapshot = { data, version: loaded.state?.version, total: totalIn(loaded.data, query.total) };
  if (loaded.state !== undefined) memory.derive(loaded.state, query, snapshot, query.weigh(data));
  return snapshot;
}

/** What is remembered may have come under another tag since. */
function taggedSnapshot<Data>(
  snapshot: MeshSnapshot<Data> | undefined,
  received: ReceivedAnswer | undefined,
): MeshSnapshot<Data> | undefined {
  if (snapshot === undefined || received === undefined) return snapshot;
  const { etag } = received;
  return { ...snapshot, etag, digest: etag === undefined ? digestOf(received) : undefined };
}

function totalIn(answer: unknown, name: string | undefined): number | undefined {
  if (name === undefined) return undefined;
  const total = Number((answer as Readonly<Record<string, unknown>>)[name] ?? Number.NaN);
  if (!Number.isSafeInteger(total) || total < 0) throw badResponse(`${name}: expected a number of entities`);
  return total;
}

/** A GraphQL result may be partial: that is never taken for the data. */
function executionFailure({ errors = [] }: ExecutionResult): GatewayError {
  return badResponse(`the query failed: ${errors.map(({ message }) => message).join('; ')}`);
}
