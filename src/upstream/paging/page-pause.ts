import { GatewayError } from '../../contract/gateway-error.ts';
import { retryDelay } from '../exchange/retry-after.ts';
import { UpstreamStatus } from '../exchange/upstream-failure.ts';

/** Maximum number of requests for one page, if the upstream does not say when to ask again. */
export const MOST_TRIES = 5;
/** The longest pause before the second request, in milliseconds; the next ones are twice as long each. */
const FIRST_PAUSE = 1_000;
/** The shortest pause. */
const LEAST_PAUSE = 50;

/**
 * The pause before a page is requested again, in milliseconds; undefined if the error is final. `tries`: requests that were
 * made for the page. An upstream that names no time is left alone for a random part of a time that doubles, so that its
 * clients do not return together.
 */
export function pauseAfter(error: unknown, tries: number): number | undefined {
  const cause = error instanceof GatewayError ? error.cause : undefined;
  if (!(cause instanceof UpstreamStatus) || (cause.status !== 429 && cause.status < 500)) return undefined;
  const least = LEAST_PAUSE * 2 ** Math.min(tries - 1, 10);
  const declared = retryDelay(cause.retryAfter);
  if (declared !== undefined) return Math.max(least, declared);
  if (cause.status !== 429 && cause.status !== 503) return undefined;
  // The client itself has repeated a request that was answered with 503.
  const each = cause.status === 503 ? 2 : 1;
  if (each * (tries + 1) > MOST_TRIES) return undefined;
  return Math.max(least, Math.random() * FIRST_PAUSE * 2 ** (tries - 1));
}
