import { randomBytes } from 'node:crypto';
import type { WholeResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { Log } from '../../../../contract/log.ts';
import { ownerName } from '../../../../contract/owner-name.ts';
import type { Principal } from '../../../../contract/principal.ts';
import { errorResponse } from '../../protocol/error-response.ts';

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
  keep(owner: Principal, work: () => Promise<WholeResponse>, cancel: Cancel): string | undefined;
  /** Only its owner finds it, by a credential of the same scope. */
  find(name: string, asking: Principal): DeferredAnswer | undefined;
  /** Forgets it, and gives up what is not done. */
  cancel(name: string): void;
  /** Gives up all that is not done; resolves when nothing is worked on any more. */
  close(): Promise<void>;
}

type Cancel = () => void;

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
  /** What the credential was good for that it was asked with; undefined for all that its user may do. */
  readonly scope: string | undefined;
  readonly cancel: Cancel;
  readonly done: Promise<void>;
  answer: WholeResponse | undefined;
}

/** Faults of ours are reported to the log: nobody waits to whom they could be thrown. */
export function createDeferredAnswers(limits: DeferredLimits, log: Log | undefined): DeferredAnswers {
  const kept = new Map<string, Kept>();

  function finish(name: string, answer: WholeResponse): void {
    const entry = kept.get(name);
    if (entry === undefined) return;
    entry.answer = sizeOf(kept) + sizeOfBody(answer) > limits.size ? errorResponse(noRoom(), {}) : answer;
    setTimeout(() => kept.delete(name), limits.lifetime).unref();
  }

  return {
    keep(principal, work, cancel) {
      const owner = ownerName(principal);
      if (isFull(kept, owner, limits)) return undefined;
      const name = randomBytes(24).toString('base64url');
      const answered = work().catch((error) => failure(error, log));
      const done = answered.then((answer) => finish(name, answer));
      kept.set(name, { owner, scope: scopeOf(principal), cancel, done, answer: undefined });
      return name;
    },
    find(name, asking) {
      const found = kept.get(name);
      const isOwn = found?.owner === ownerName(asking) && found.scope === scopeOf(asking);
      return isOwn ? found : undefined;
    },
    cancel(name) {
      kept.get(name)?.cancel();
      kept.delete(name);
    },
    async close() {
      const pending = [...kept.values()].filter(({ answer }) => answer === undefined);
      for (const { cancel } of pending) cancel();
      await Promise.all(pending.map(({ done }) => done));
    },
  };
}

function scopeOf(principal: Principal): string | undefined {
  return principal.kind === 'user' ? principal.scoped?.scope.text : undefined;
}

function isFull(kept: ReadonlyMap<string, Kept>, owner: string, limits: DeferredLimits): boolean {
  const own = [...kept.values()].filter((each) => each.owner === owner);
  return kept.size >= limits.requests || own.length >= limits.requestsOfOne || sizeOf(kept) >= limits.size;
}

/** Of all answers' bodies. */
function sizeOf(kept: ReadonlyMap<string, Kept>): number {
  return [...kept.values()].reduce((size, { answer }) => size + sizeOfBody(answer), 0);
}

function sizeOfBody(answer: WholeResponse | undefined): number {
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
