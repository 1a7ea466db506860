import type { GatewayError } from '../../contract/gateway-error.ts';
import type { UpstreamAnswer, UpstreamFault, UpstreamStream } from '../exchange/upstream-exchange.ts';
import { badResponse, upstreamFailure } from '../exchange/upstream-failure.ts';

/** Tells failures of the upstream as a whole from answers about one resource; the log may quote them or not. */
export function classifyResponse<Good extends UpstreamAnswer | UpstreamStream>(
  outcome: Good | UpstreamFault,
  isQuoted: boolean,
): Good | UpstreamFault {
  if (outcome.kind !== 'answer') return outcome;
  if (outcome.status === 429) return final(throttled(outcome));
  if (outcome.status < 500) return outcome;
  const { cause } = badResponse(`status ${outcome.status}`, isQuoted ? outcome.body : undefined);
  const pause = pauseOf(outcome);
  const error = upstreamFailure(
    outcome.status === 504 ? 'UpstreamTimeout' : 'UpstreamUnavailable',
    cause,
    pause,
  );
  // Who says when to ask again is not asked before.
  const isSoon = (pause['retry-after'] ?? '0') === '0';
  const repeatable = isSoon && REPEATABLE_STATUSES.has(outcome.status) ? 'get' : 'none';
  return { kind: 'fault', error, repeatable, isAnswered: true };
}

const REPEATABLE_STATUSES: ReadonlySet<number> = new Set([500, 502, 503, 504]);

function throttled(answer: UpstreamAnswer): GatewayError {
  return upstreamFailure('UpstreamThrottled', new Error('status 429'), {
    'retry-after': '1',
    ...pauseOf(answer),
  });
}

/** After which time an upstream wants to be asked again, where it says it. */
function pauseOf({ headers }: UpstreamAnswer): Readonly<Record<string, string>> {
  const retryAfter = headers['retry-after'];
  return retryAfter !== undefined && RETRY_AFTER.test(retryAfter) ? { 'retry-after': retryAfter } : {};
}

/** RFC 9110, section 10.2.3: seconds, or an HTTP date. */
const RETRY_AFTER = /^(\d{1,9}|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;

/** A fault that nothing mends by trying again. */
export function final(error: GatewayError): UpstreamFault {
  return { kind: 'fault', error, repeatable: 'none' };
}
