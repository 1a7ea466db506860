import { setTimeout as delay } from 'node:timers/promises';
import type {
  BudgetedRequest,
  GatewayRequest,
  GatewayResponse,
  WholeResponse,
} from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { wholeResponse } from '../../../../contract/stream-body.ts';
import { parsePreferences } from '../../../payload/negotiation/preference.ts';
import { responseVersion } from '../../../payload/negotiation/version.ts';
import { appliedHeaders } from '../../protocol/data-style.ts';
import type { DeferredAnswers } from './deferred-answers.ts';
import type { createDeferredBudgets } from './deferred-budgets.ts';
import { accepted, monitorUrl } from './status-monitor.ts';

/** Whether the client would rather have the answer later (Part 1, 8.2.8.8). An upload is over with its connection. */
export function prefersLater({ headers: { prefer }, upload }: GatewayRequest): boolean {
  return (
    upload === undefined &&
    prefer !== undefined &&
    /respond-async/i.test(prefer) &&
    parsePreferences(prefer).respondAsync
  );
}

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
  return new GatewayError('ClientClosedRequest', 'The client has given the request up.');
}
