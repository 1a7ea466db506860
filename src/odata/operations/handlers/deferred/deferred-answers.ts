import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type BudgetedRequest,
  type GatewayRequest,
  type GatewayResponse,
  ownerName,
  type WholeResponse,
  wholeResponse,
} from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { Log } from '../../../../contract/log.ts';
import type { Principal } from '../../../../contract/principal.ts';
import { type BudgetLimits, RequestBudget } from '../../../../contract/request-budget.ts';
import { madeOnce } from '../../../../model/maps.ts';
import { httpMessage } from '../../../payload/batch/write-batch.ts';
import {
  MEDIA_TYPES,
  type ODataVersion,
  parseAccept,
  responseVersion,
} from '../../../payload/negotiation/format.ts';
import { parsePreferences } from '../../../payload/negotiation/preference.ts';
import { appliedHeaders, errorResponse, methodNotAllowed, noContent } from '../../protocol/response.ts';
import type { RequestHandler } from '../../service/service.ts';

/** An asynchronous request. */
interface DeferredAnswer {
  /** Undefined while it is running. */
  readonly answer: WholeResponse | undefined;
}

/** Asynchronous requests and their responses, until clients fetch them. */
export interface DeferredAnswers {
  /**
   * Stores a running request under a random name; returns undefined if there is no room. `cancel` stops the
   * work.
   */
  keep(owner: Principal, work: () => Promise<WholeResponse>, cancel: Cancel): string | undefined;
  /** Only for its owner, with a credential of the same scope. */
  find(name: string, asking: Principal): DeferredAnswer | undefined;
  /** Removes the request, and stops it if it is running. */
  cancel(name: string): void;
  /** Stops all running requests; resolves when they have ended. */
  close(): Promise<void>;
}

type Cancel = () => void;

interface DeferredLimits {
  /** Maximum number of requests of all owners. */
  readonly requests: number;
  /** Maximum number of one owner. */
  readonly requestsOfOne: number;
  /** Maximum size of all response bodies, in bytes. */
  readonly size: number;
  /** Time that a response is kept, in milliseconds. */
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
  /** The scope of the credential; undefined if it has all permissions of its user. */
  readonly scope: string | undefined;
  readonly cancel: Cancel;
  readonly done: Promise<void>;
  answer: WholeResponse | undefined;
}

/** Internal errors go to the log, because no caller waits for them. */
export function createDeferredAnswers(limits: DeferredLimits, log: Log | undefined): DeferredAnswers {
  const kept = new Map<string, Kept>();

  function finish(name: string, answer: WholeResponse): void {
    const entry = kept.get(name);
    if (entry === undefined) return;
    const { size, room } = shareOf(kept, entry.owner, limits);
    entry.answer = size + sizeOfBody(answer) > room ? errorResponse(noRoom(), {}) : answer;
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
  const { requests, places, size, room } = shareOf(kept, owner, limits);
  return requests >= places || size >= room;
}

/** The share that one owner may take of the free capacity, so that some remains for others. */
const SHARE_OF_LEFT = 0.5;

/** The number and size of an owner's requests, and their limits. */
function shareOf(kept: ReadonlyMap<string, Kept>, owner: string, limits: DeferredLimits) {
  const own = [...kept.values()].filter((each) => each.owner === owner);
  const others = [...kept.values()].filter((each) => each.owner !== owner);
  const left = Math.ceil((limits.requests - others.length) * SHARE_OF_LEFT);
  return {
    requests: own.length,
    places: Math.min(limits.requestsOfOne, left),
    size: sizeOf(own),
    room: (limits.size - sizeOf(others)) * SHARE_OF_LEFT,
  };
}

function sizeOf(kept: readonly Kept[]): number {
  return kept.reduce((size, { answer }) => size + sizeOfBody(answer), 0);
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

/** Share of the normal budget that an asynchronous request gets. */
const SHARE = 0.25;

/** The budget of an asynchronous request. */
interface DeferredBudget {
  readonly budget: RequestBudget;
  readonly close: () => void;
}

/**
 * Gives each asynchronous request a share of a normal budget, and all running requests of one owner together
 * at most one budget: clients do not wait for them, so there may be many.
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
    const owner = madeOnce(owners, name, () => ({ whole: new RequestBudget(limits), requests: 0 }));
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

/** The asynchronous requests of one service: the work ends with the service, the responses do not. */
interface DeferredWork extends DeferredAnswers {
  /** Resolves when no request is running; those that take longer than `grace` milliseconds are stopped. */
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

/** Maximum `wait`, in seconds. */
const LONGEST_WAIT = 30;

/**
 * Responds within the time of the `wait` preference (default: at once), else with 202 and the URL of a status
 * monitor. If the client disconnects before, the request is stopped. Without room, the request becomes
 * synchronous.
 */
export async function respondLater(
  request: GatewayRequest,
  { deferred, budgets, root }: RespondingLater,
  perform: (request: BudgetedRequest) => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  const version = responseVersion(request.headers);
  const preferences = parsePreferences(request.headers['prefer']);
  const work = new AbortController();
  const giveUp = (): void =>
    work.abort(new GatewayError('ClientClosedRequest', 'The client cancelled the request.'));
  request.signal.addEventListener('abort', giveUp);
  try {
    const { budget, close } = budgets(request.principal, work.signal);
    // The memory outlives the request.
    const memory = request.memory?.apart();
    const later = perform({ ...request, signal: work.signal, budget, memory }).finally(() => {
      close();
      memory?.release();
    });
    const first = await within(later, preferences.wait ?? 0);
    if (first !== undefined) return first;
    const name = deferred.keep(request.principal, () => whole(later), giveUp);
    if (name === undefined) return await later;
    return accepted(monitorUrl(root, name), version, appliedHeaders(preferences, ['respond-async']));
  } finally {
    request.signal.removeEventListener('abort', giveUp);
  }
}

interface RespondingLater {
  readonly deferred: DeferredAnswers;
  readonly budgets: ReturnType<typeof createDeferredBudgets>;
  readonly root: string;
}

/** Responses that need no upstream call are returned without a 202. */
async function within<Answer>(later: Promise<Answer>, seconds: number): Promise<Answer | undefined> {
  const waiting = new AbortController();
  const end = delay(Math.min(seconds, LONGEST_WAIT) * 1000, undefined, { signal: waiting.signal });
  try {
    return await Promise.race([later, end]);
  } finally {
    waiting.abort();
    end.catch(() => undefined);
  }
}

async function whole(later: Promise<GatewayResponse>): Promise<WholeResponse> {
  return wholeResponse(await later);
}

/**
 * The path of a status monitor with its name. Names in the model contain no hyphen, so no resource has such a
 * path.
 */
export const MONITOR = /^\/status-([\w-]{32})\/?(?:\?|$)/;

const ALLOW = 'GET, HEAD, DELETE, OPTIONS';

function monitorUrl(root: string, name: string): string {
  return `${root}/status-${name}`;
}

/**
 * The status monitor (Part 1, 11.6): 202 while the request runs, then its response; DELETE cancels the
 * request.
 */
export function monitorOperation(deferred: DeferredAnswers, root: string, name: string): RequestHandler {
  return async ({ method, headers, principal }, version) => {
    const found = deferred.find(name, principal);
    if (found === undefined)
      throw new GatewayError('NotFound', 'There is no such request, or its answer is no longer kept.');
    switch (method) {
      case 'GET':
        return found.answer === undefined
          ? accepted(monitorUrl(root, name), version)
          : finalAnswer(found.answer, headers['accept'], version);
      case 'DELETE':
        deferred.cancel(name);
        return noContent(version);
      case 'OPTIONS':
        return noContent(version, { allow: ALLOW });
      default:
        throw methodNotAllowed(method, ALLOW);
    }
  };
}

/** The 202 response with the URL of the status monitor. */
function accepted(
  location: string,
  version: ODataVersion,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  const fields = { 'odata-version': version, 'cache-control': 'no-store', 'retry-after': '1', location };
  return { status: 202, headers: { ...fields, ...headers }, body: undefined };
}

/**
 * 4.0 wraps the response in an HTTP message; 4.01 returns it directly with its status in a header, unless the
 * client requests a message.
 */
function finalAnswer(
  answer: WholeResponse,
  accept: string | undefined,
  version: ODataVersion,
): WholeResponse {
  const isMessage = version === '4.0' || parseAccept(accept ?? '').some(isHttp);
  const { status, headers, body } = answer;
  if (!isMessage) return { status: 200, headers: { ...headers, asyncresult: String(status) }, body };
  return {
    status: 200,
    headers: {
      'odata-version': version,
      'content-type': MEDIA_TYPES.http,
      'content-transfer-encoding': 'binary',
      'cache-control': 'no-store',
    },
    body: Buffer.concat(httpMessage(answer).map((chunk) => Buffer.from(chunk))),
  };
}

function isHttp({ type, quality }: { readonly type: string; readonly quality: number }): boolean {
  return type === MEDIA_TYPES.http && quality > 0;
}
