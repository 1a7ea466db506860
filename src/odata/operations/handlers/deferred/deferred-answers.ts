import { randomBytes } from 'node:crypto';
import type { WholeResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { Log } from '../../../../contract/log.ts';
import { ownerName, type Principal } from '../../../../contract/principal.ts';
import { type BudgetLimits, RequestBudget } from '../../../../contract/work.ts';
import { errorResponse } from '../../protocol/response.ts';

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

/** The size of the bodies of all answers. */
function sizeOf(kept: ReadonlyMap<string, Kept>): number {
  return [...kept.values()].reduce((size, { answer }) => size + sizeOfBody(answer), 0);
}

function sizeOfBody(answer: WholeResponse | undefined): number {
  return answer?.body === undefined ? 0 : Buffer.byteLength(answer.body);
}

function noRoom(): GatewayError {
  const message = 'There is no room to keep the answer: send the request again without respond-async.';
  return new GatewayError('Overloaded', message);
}

function failure(error: unknown, log: Log | undefined): WholeResponse {
  if (error instanceof GatewayError) return errorResponse(error, {});
  log?.error({ err: error }, 'a deferred request failed');
  return errorResponse(new GatewayError('InternalError', 'The gateway failed to answer this request.'), {});
}

/** What one request that is answered later has of what any other may take. */
const SHARE = 0.25;

/** The budget of a request that is answered later, until that is done. */
interface DeferredBudget {
  readonly budget: RequestBudget;
  readonly close: () => void;
}

/**
 * Gives each request that is answered later a share of a budget, and all those of one owner that are worked on at a
 * time not more than a single one together: nobody has to wait for them, so there may be many.
 */
export function createDeferredBudgets(
  limits: BudgetLimits,
): (owner: Principal, signal: AbortSignal) => DeferredBudget {
  const owners = new Map<string, { readonly whole: RequestBudget; requests: number }>();
  const { rows, items, characters, milliseconds, answerBytes } = limits;
  const share: BudgetLimits = {
    ...limits,
    rows: rows * SHARE,
    items: items * SHARE,
    characters: characters * SHARE,
    milliseconds: milliseconds * SHARE,
    answerBytes: answerBytes * SHARE,
  };
  return (principal, signal) => {
    const name = ownerName(principal);
    const owner = owners.get(name) ?? { whole: new RequestBudget(limits), requests: 0 };
    owners.set(name, owner);
    owner.requests += 1;
    const budget = new RequestBudget(share, signal, owner.whole);
    return {
      budget,
      close() {
        budget.release();
        owner.requests -= 1;
        if (owner.requests === 0) owners.delete(name);
      },
    };
  };
}

/** What one service works on that is answered later: the answers outlive the service, the work does not. */
export interface DeferredWork extends DeferredAnswers {
  /** Resolves when nothing is worked on any more; what takes longer than that, in milliseconds, is given up. */
  finish(grace: number): Promise<void>;
}

export function createDeferredWork(answers: DeferredAnswers): DeferredWork {
  const running = new Map<Promise<unknown>, () => void>();

  function track(work: Promise<WholeResponse>, cancel: () => void): Promise<WholeResponse> {
    const { promise, reject } = Promise.withResolvers<never>();
    const answer = Promise.race([work, promise]);
    const over: Promise<unknown> = work.catch(() => undefined).finally(() => running.delete(over));
    running.set(over, () => {
      reject(replaced());
      cancel();
    });
    return answer;
  }

  return {
    ...answers,
    keep: (owner, work, cancel) => answers.keep(owner, () => track(work(), cancel), cancel),
    async finish(grace) {
      const end = setTimeout(() => {
        for (const giveUp of running.values()) giveUp();
      }, grace);
      await Promise.all(running.keys());
      clearTimeout(end);
    },
  };
}

function replaced(): GatewayError {
  const message = 'The service changed while it was working on this request: send it again.';
  return new GatewayError('Overloaded', message);
}
