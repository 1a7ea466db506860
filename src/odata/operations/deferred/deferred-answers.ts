import { randomBytes } from 'node:crypto';
import type { WholeResponse } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { Log } from '../../../contract/log.ts';
import type { Principal } from '../../../contract/principal.ts';
import { errorResponse } from '../error-response.ts';

/** A request that is answered later. */
export interface DeferredAnswer {
  /** Undefined while it is worked on. */
  readonly answer: WholeResponse | undefined;
}

/** The requests that are answered later, and their answers until somebody has had the time to fetch them. */
export interface DeferredAnswers {
  /**
   * Keeps a request that is worked on, under a name that nobody can guess; undefined where there is no room.
   * `cancel` gives the work up.
   */
  keep(owner: Principal, work: () => Promise<WholeResponse>, cancel: () => void): string | undefined;
  /** Only its owner finds it. */
  find(name: string, asking: Principal): DeferredAnswer | undefined;
  /** Forgets it, and gives up what is not done. */
  cancel(name: string): void;
}

export interface DeferredLimits {
  /** Of all owners, done or not. */
  readonly requests: number;
  /** Of one owner. */
  readonly requestsOfOne: number;
  /** All of the answers' bodies, in bytes. */
  readonly size: number;
  /** How long an answer is there, in milliseconds. */
  readonly lifetime: number;
}

export const DEFERRED_LIMITS: DeferredLimits = {
  requests: 256,
  requestsOfOne: 16,
  size: 64 * 1024 * 1024,
  lifetime: 10 * 60_000,
};

interface Kept {
  readonly owner: string;
  readonly cancel: () => void;
  answer: WholeResponse | undefined;
}

/** Faults of ours are reported to the log: nobody waits to whom they could be thrown. */
export function createDeferredAnswers(limits: DeferredLimits, log: Log | undefined): DeferredAnswers {
  const kept = new Map<string, Kept>();
  let size = 0;

  function forget(name: string): void {
    size -= sizeOf(kept.get(name)?.answer);
    kept.delete(name);
  }

  function finish(name: string, answer: WholeResponse): void {
    const entry = kept.get(name);
    if (entry === undefined) return;
    entry.answer = size + sizeOf(answer) > limits.size ? errorResponse(noRoom(), {}) : answer;
    size += sizeOf(entry.answer);
    setTimeout(() => forget(name), limits.lifetime).unref();
  }

  return {
    keep(principal, work, cancel) {
      const owner = ownerName(principal);
      const own = [...kept.values()].filter((each) => each.owner === owner);
      const isFull =
        kept.size >= limits.requests || own.length >= limits.requestsOfOne || size >= limits.size;
      if (isFull) return undefined;
      const name = randomBytes(24).toString('base64url');
      kept.set(name, { owner, cancel, answer: undefined });
      work()
        .catch((error) => failure(error, log))
        .then((answer) => finish(name, answer));
      return name;
    },
    find(name, asking) {
      const found = kept.get(name);
      return found?.owner === ownerName(asking) ? found : undefined;
    },
    cancel(name) {
      kept.get(name)?.cancel();
      forget(name);
    },
  };
}

function ownerName(principal: Principal): string {
  return principal.kind === 'user' ? `user ${principal.id}` : principal.kind;
}

function sizeOf(answer: WholeResponse | undefined): number {
  return answer?.body === undefined ? 0 : Buffer.byteLength(answer.body);
}

function noRoom(): GatewayError {
  const message = 'There is no room for the answer: ask again, without respond-async.';
  return new GatewayError('Overloaded', message);
}

function failure(error: unknown, log: Log | undefined): WholeResponse {
  if (error instanceof GatewayError) return errorResponse(error, {});
  log?.error({ err: error }, 'a deferred request failed');
  return errorResponse(new GatewayError('InternalError', 'The gateway failed to answer this request.'), {});
}
