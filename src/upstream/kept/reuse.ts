import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { MaxAge } from '../../model/operation.ts';
import type { UpstreamAnswer } from '../exchange/upstream-exchange.ts';
import { ageOf, lifetimeOf, type Requested } from './freshness.ts';
import type { KeptAnswer, KeptAnswers } from './kept-answers.ts';

/** A read whose answer may be used again. */
export interface ReusableRead extends Requested {
  readonly source: string;
  /** The URL, the owner of the credential, and the header fields that are sent. */
  readonly key: string;
  readonly maxAge: MaxAge;
  readonly call: CallContext;
  readonly ask: () => Promise<UpstreamAnswer>;
  /** The whole of an answer, for one that says that nothing has changed; undefined for one that cannot be kept. */
  readonly wholeOf: (
    answer: UpstreamAnswer,
  ) => Pick<UpstreamAnswer, 'status' | 'headers' | 'body'> | undefined;
}

/** Uses answers again for as long as the operator or the API allows; requests that need the same one make one call. */
export class Reuse {
  readonly #kept: KeptAnswers;
  readonly #underWay = new Map<string, Promise<UpstreamAnswer>>();

  constructor(kept: KeptAnswers) {
    this.#kept = kept;
  }

  drop(source: string): Promise<void> {
    return this.#kept.drop(source);
  }

  async read(read: ReusableRead): Promise<UpstreamAnswer> {
    const { source, key, call } = read;
    const most = call.isFresh === true ? 0 : (call.cost?.mostAge ?? Number.POSITIVE_INFINITY);
    const known = await this.#kept.find(source, key);
    const now = Date.now();
    const end = known === undefined ? 0 : freshUntil(known, read);
    if (known !== undefined && now < end && now - known.madeAt <= most) {
      call.cost?.noteKept(now - known.madeAt, end - now);
      return keptAnswer(known);
    }
    const state = await this.#kept.stateOf(source);
    // A request for a new answer does not join a call that was made before it.
    if (most === 0) return this.#ask(read, state);
    const joined = `${source} ${state} ${key}`;
    const other = this.#underWay.get(joined);
    if (other === undefined) {
      const own = this.#ask(read, state).finally(() => this.#underWay.delete(joined));
      this.#underWay.set(joined, own);
      return own;
    }
    try {
      const answer = { ...(await other), isShared: true };
      call.cost?.noteRead(0);
      return answer;
    } catch (error) {
      const isGivenUp = error instanceof GatewayError && error.code === 'ClientClosedRequest';
      if (!isGivenUp || call.signal.aborted) throw error;
      return this.read(read);
    }
  }

  async #ask(read: ReusableRead, state: number): Promise<UpstreamAnswer> {
    const { source, key, maxAge, call, ask, wholeOf } = read;
    const requestedAt = Date.now();
    const answer = await ask();
    const receivedAt = Date.now();
    const whole = wholeOf(answer);
    const timed = whole && { ...whole, requestedAt, receivedAt };
    const age = timed === undefined ? 0 : ageOf(maxAge, timed);
    const lifetime = timed === undefined ? 0 : lifetimeOf(maxAge, timed, read) - age;
    call.cost?.noteRead(Math.max(0, lifetime), age);
    if (timed === undefined || lifetime <= 0) return answer;
    const { headers, body } = timed;
    const madeAt = receivedAt - age;
    await this.#kept.keep(source, key, { headers, body, madeAt, freshUntil: receivedAt + lifetime }, state);
    return answer;
  }
}

/** The end of the time for which the answer may be used: the operator may have shortened it since. */
function freshUntil({ madeAt, freshUntil: end, headers }: KeptAnswer, read: ReusableRead): number {
  const timed = { status: 200, headers, requestedAt: madeAt, receivedAt: madeAt };
  return Math.min(end, madeAt + lifetimeOf(read.maxAge, timed, read));
}

function keptAnswer({ headers, body }: KeptAnswer): UpstreamAnswer {
  return { kind: 'answer', status: 200, headers, body, isKept: true };
}
