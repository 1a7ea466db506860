import type { CallContext } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';

/** How many calls for related data one request has under way at a time. */
const CONCURRENT_CALLS = 8;

/** The calls for related data of one request: each is made once, a few at a time, and not without end. */
class RelatedCalls {
  readonly #results = new Map<string, Promise<unknown>>();
  readonly #waiting: (() => void)[] = [];
  readonly #limit: number;
  #underWay = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Calls that have the same key have the same result. */
  result(key: string, call: () => Promise<unknown>): Promise<unknown> {
    const known = this.#results.get(key);
    if (known !== undefined) return known;
    if (this.#results.size >= this.#limit) {
      throw new GatewayError(
        'BadRequest',
        `A document may lead to ${this.#limit} calls for related data, and this one needs more.`,
      );
    }
    const result = this.#inTurn(call);
    this.#results.set(key, result);
    return result;
  }

  async #inTurn(call: () => Promise<unknown>): Promise<unknown> {
    if (this.#underWay >= CONCURRENT_CALLS) await new Promise<void>((resume) => this.#waiting.push(resume));
    else this.#underWay += 1;
    try {
      return await call();
    } finally {
      // Whoever comes next takes the place over.
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }
}

/** The calls of each request, as long as it lasts. */
export function relatedCallsByRequest(limit: number): (call: CallContext) => RelatedCalls {
  const known = new WeakMap<CallContext, RelatedCalls>();
  return (call) => {
    const calls = known.get(call) ?? new RelatedCalls(limit);
    known.set(call, calls);
    return calls;
  };
}
