import { GatewayError } from '../../contract/gateway-error.ts';

interface Asking {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses what a page of another origin makes a browser send with the cookies that it has for this one.
 *
 * Browsers name the origin in every request that is not safe: with a cookie, no name is no good.
 */
export function checkOrigin(
  { method, headers }: Asking,
  origins: readonly string[],
  hasCookie: boolean,
): void {
  if (SAFE.has(method)) return;
  const origin = headers['origin'];
  if (origin === undefined ? !hasCookie : typeof origin === 'string' && origins.includes(origin)) return;
  throw new GatewayError('Forbidden', 'The Origin header must be that of this service.', {
    target: 'Origin',
  });
}

/** Origins that a browser may send with requests of ours: on a loopback address, a browser may use its other names. */
export function originsOf(baseUrl: string): readonly string[] {
  const { origin, hostname, protocol, port } = new URL(baseUrl);
  const names = ['localhost', '127.0.0.1', '[::1]'];
  if (!names.includes(hostname)) return [origin];
  return names.map((name) => `${protocol}//${name}${port === '' ? '' : `:${port}`}`);
}
