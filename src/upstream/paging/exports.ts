import { GatewayError } from '../../contract/gateway-error.ts';
import { retryAfter } from '../../contract/memory-allowance.ts';
import { PAGE_LIMITS, type PageLimits } from '../../core/request-limits.ts';

/** Counts the long lists of each user that are passed on while they are read. */
export class Exports {
  readonly #most: number;
  readonly #counts = new Map<string, number>();

  constructor({ exportsAtOnce }: Pick<PageLimits, 'exportsAtOnce'>) {
    this.#most = exportsAtOnce;
  }

  /** Counts one more list of the user until the returned function is called; undefined if the user has the most already. */
  begin(asker = ''): (() => void) | undefined {
    const count = this.#counts.get(asker) ?? 0;
    if (count >= this.#most) return undefined;
    this.#counts.set(asker, count + 1);
    return () => {
      const left = (this.#counts.get(asker) ?? 1) - 1;
      if (left === 0) this.#counts.delete(asker);
      else this.#counts.set(asker, left);
    };
  }
}

/** The error for a list that is too long to be held, while the user has as many others passed on as may be. */
export function tooManyExports({ rows, exportsAtOnce }: PageLimits): GatewayError {
  const { variable } = PAGE_LIMITS.exportsAtOnce;
  const message = `The list has more than the ${rows} rows that are held (${PAGE_LIMITS.rows.variable}), and at most ${exportsAtOnce} longer lists of one user are read at once (${variable}): wait until one of them has ended.`;
  return new GatewayError('TooManyRequests', message, {
    headers: { 'retry-after': retryAfter() },
    limit: variable,
  });
}
