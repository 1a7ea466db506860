import { setTimeout as delay } from 'node:timers/promises';
import {
  type BudgetedRequest,
  type GatewayRequest,
  type GatewayResponse,
  type WholeResponse,
  wholeResponse,
} from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { httpMessage } from '../../../payload/batch/write-batch.ts';
import { MEDIA_TYPES, parseAccept } from '../../../payload/negotiation/format.ts';
import { parsePreferences } from '../../../payload/negotiation/preference.ts';
import { type ODataVersion, responseVersion } from '../../../payload/negotiation/version.ts';
import { appliedHeaders } from '../../protocol/data-style.ts';
import { methodNotAllowed, noContent } from '../../protocol/response.ts';
import type { RequestHandler } from '../../service/service.ts';
import type { createDeferredBudgets, DeferredAnswers } from './deferred-answers.ts';

/** The longest that a client can have us wait for an answer, in seconds. */
const LONGEST_WAIT = 30;

/** How long a stream may be: its answer is held as a whole. */
const MAX_STREAM_BYTES = 10 * 1024 * 1024;

/**
 * Answers in the time that the client grants (`wait`; without it, in no time), else with 202 and where to ask for the
 * answer. A client that goes away before it knows where gives its request up. Where there is no room, it waits for
 * the answer like any other.
 */
export async function respondLater(
  request: GatewayRequest,
  { deferred, budgets, root }: RespondingLater,
  perform: (request: BudgetedRequest) => Promise<GatewayResponse>,
): Promise<GatewayResponse> {
  const version = responseVersion(request.headers);
  const preferences = parsePreferences(request.headers['prefer']);
  const work = new AbortController();
  const giveUp = (): void => work.abort(givenUp());
  request.signal.addEventListener('abort', giveUp);
  try {
    const { budget, close } = budgets(request.principal, work.signal);
    // It is held for longer than the request is there.
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

/** What is answered without asking the upstream is there at once. */
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
  return wholeResponse(await later, MAX_STREAM_BYTES);
}

function givenUp(): GatewayError {
  return new GatewayError('ClientClosedRequest', 'The client cancelled the request.');
}

/** Names of the model have no hyphen: no resource is ever at such a path. */
const MONITOR = /^\/status-([\w-]{32})\/?(?:\?|$)/;

const ALLOW = 'GET, HEAD, DELETE, OPTIONS';

/** Where the answer to a deferred request is to be asked for. */
function monitorUrl(root: string, name: string): string {
  return `${root}/status-${name}`;
}

/**
 * What a status monitor answers (Part 1, 11.6): 202 until the request is answered, its answer from then on; DELETE
 * gives the request up. Undefined where the target is none.
 */
export function monitorOperation(
  deferred: DeferredAnswers,
  root: string,
  target: string,
): RequestHandler | undefined {
  const name = MONITOR.exec(target)?.[1];
  if (name === undefined) return undefined;
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

/** The request is worked on; its answer will be at that URL. */
function accepted(
  location: string,
  version: ODataVersion,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  const fields = { 'odata-version': version, 'cache-control': 'no-store', 'retry-after': '1', location };
  return { status: 202, headers: { ...fields, ...headers }, body: undefined };
}

/** 4.0 shows the answer as a message; 4.01 as it is, with its status beside it, unless a message is asked for. */
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
