import type { IncomingHttpHeaders } from 'node:http';
import type { MaxAge } from '../../model/operation.ts';

/** The answer to a GET, and the clock's time when it was requested and received, in milliseconds. */
export interface TimedAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** The credential of a request. */
export interface Requested {
  /** Whether the credential is the gateway's own, so that the answer is used for all users. */
  readonly isShared: boolean;
  /** Whether the request had an Authorization field. */
  readonly isAuthorized: boolean;
}

/** The time for which an answer may be used again from when the API made it; 0 if it may not. In milliseconds. */
export function lifetimeOf(maxAge: MaxAge, { status, headers }: TimedAnswer, requested: Requested): number {
  if (status !== 200) return 0;
  return maxAge === 'api' ? declaredLifetime(headers, requested) : maxAge;
}

/**
 * The age of an answer at its receipt (RFC 9111, 4.2.3). A time of the operator's own is counted from the receipt, unless
 * the answer itself was kept on its way.
 */
export function ageOf(maxAge: MaxAge, { headers, requestedAt, receivedAt }: TimedAnswer): number {
  const declared = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) * SECOND : 0;
  const corrected = declared === 0 ? 0 : declared + receivedAt - requestedAt;
  const date = Date.parse(headers.date ?? '');
  if (maxAge !== 'api' || Number.isNaN(date)) return corrected;
  // The answer's own time is one in whole seconds.
  return Math.max(corrected, receivedAt - date - SECOND);
}

const SECOND = 1_000;

/** RFC 9111, 3 and 4.2.1: what a shared cache may use again of answers for all, and a private one of a user's own. */
function declaredLifetime(headers: IncomingHttpHeaders, { isShared, isAuthorized }: Requested): number {
  const directives = directivesOf(headers['cache-control']);
  if (directives === undefined || directives.has('no-store') || directives.has('no-cache')) return 0;
  if (headers.vary?.split(',').some((name) => name.trim() === '*')) return 0;
  if (isShared && directives.has('private')) return 0;
  const isAllowed = ['public', 's-maxage', 'must-revalidate'].some((name) => directives.has(name));
  // RFC 9111, 3.5.
  if (isShared && isAuthorized && !isAllowed) return 0;
  const shared = isShared ? directives.get('s-maxage') : undefined;
  const seconds = shared ?? directives.get('max-age');
  if (seconds !== undefined) return /^\d{1,10}$/.test(seconds) ? Number(seconds) * SECOND : 0;
  const [expires, date] = [headers.expires, headers.date].map((text) => Date.parse(text ?? ''));
  const lifetime = (expires ?? Number.NaN) - (date ?? Number.NaN);
  return Number.isNaN(lifetime) ? 0 : Math.max(0, lifetime);
}

/** The directives by their names in lower case; undefined if one comes twice with different values. */
function directivesOf(field: string | undefined): ReadonlyMap<string, string> | undefined {
  const directives = new Map<string, string>();
  for (const [, name = '', quoted, plain] of (field ?? '').matchAll(DIRECTIVE)) {
    const value = quoted ?? plain ?? '';
    const known = directives.get(name.toLowerCase());
    if (known !== undefined && known !== value) return undefined;
    directives.set(name.toLowerCase(), value);
  }
  return directives;
}

const DIRECTIVE = /([\w-]+)(?:\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s,"]*)))?/g;
