import { GatewayError } from '../../contract/gateway-error.ts';

/** Less is no pause. */
const LEAST = 50;

/** Milliseconds after which the upstream wants to be asked again (RFC 9110, 10.2.3); undefined where it says no such thing. */
export function retryDelay(error: unknown): number | undefined {
  if (!(error instanceof GatewayError) || !PAUSING.has(error.code)) return undefined;
  const said = error.headers['retry-after'];
  if (said === undefined) return undefined;
  const seconds = Number(said);
  const delay = Number.isNaN(seconds) ? Date.parse(said) - Date.now() : seconds * 1_000;
  return Number.isNaN(delay) ? undefined : Math.max(LEAST, delay);
}

const PAUSING: ReadonlySet<string> = new Set(['UpstreamThrottled', 'UpstreamUnavailable']);
