import type { CallContext } from '../../contract/exchange.ts';
import { type ErrorCode, GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';

/** These are about the request and not about the upstream. */
const QUIET: ReadonlySet<ErrorCode> = new Set(['NotFound', 'ClientClosedRequest']);

/** These are the answer to failures that were logged before. */
const FREQUENT: ReadonlySet<ErrorCode> = new Set(['CircuitOpen', 'UpstreamBusy']);

/** Reports why a call of an upstream failed; the client is told less. */
export function logFailure(log: Log, field: string, call: CallContext, error: unknown): void {
  if (!(error instanceof GatewayError)) {
    log.error({ request: call.id, field, error }, 'A root field failed');
    return;
  }
  const { code, cause } = error;
  // What is refused before anything is called has no cause.
  if (QUIET.has(code) || cause === undefined) return;
  const fields = { request: call.id, field, code, cause: String(cause) };
  if (error.status < 500) log.info(fields, 'The upstream refused the request');
  else if (FREQUENT.has(code)) log.debug(fields, 'The upstream was not called');
  else log.warn(fields, 'The upstream failed');
}
