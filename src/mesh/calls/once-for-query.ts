import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { UpstreamAnswer } from '../exchange/upstream-exchange.ts';

/** What came of a read. */
interface Received {
  readonly answer: UpstreamAnswer;
}

/** The reads of queries, by what they ask for. */
const READS = new WeakMap<object, Map<string, Promise<Received>>>();

/** Longer answers, in bytes, are given only to those who ask while they are waited for. */
const MOST_KEPT = 16 * 1024;

/** Reads once for all of a query that ask the same, which the key names; for a call of no query, at every time. */
export async function onceForQuery<Result extends Received>(
  call: CallContext,
  key: string,
  read: () => Promise<Result>,
): Promise<Result> {
  if (call.query === undefined) return read();
  const reads = (READS.get(call.query) ?? new Map()) as Map<string, Promise<Result>>;
  READS.set(call.query, reads);
  const known = reads.get(key);
  if (known === undefined) return begin(reads, key, read);
  try {
    return await known;
  } catch (error) {
    // Whoever reads for others may have been given up alone.
    if (!isGivenUp(error) || call.signal.aborted) throw error;
    if (reads.get(key) === known) reads.delete(key);
    return onceForQuery(call, key, read);
  }
}

function begin<Result extends Received>(
  reads: Map<string, Promise<Result>>,
  key: string,
  read: () => Promise<Result>,
): Promise<Result> {
  const own = read();
  const shared = own.then((result) => {
    if (result.answer.body.length > MOST_KEPT) reads.delete(key);
    return { ...result, answer: { ...result.answer, isShared: true } };
  });
  // Whoever shares a failure is told of it; nobody may.
  shared.catch(() => undefined);
  reads.set(key, shared);
  return own;
}

function isGivenUp(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'ClientClosedRequest';
}
