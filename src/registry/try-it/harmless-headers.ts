import type { IncomingHttpHeaders } from 'node:http';

/** Of an answer, what says something about the content; nothing that sets a cookie or asks for a credential. */
const HARMLESS: ReadonlySet<string> = new Set([
  'age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'deprecation',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'sunset',
  'vary',
]);

/** Such as `x-total-count` and `x-ratelimit-remaining`. */
const COUNTS = /^(?:x-)?(?:ratelimit|rate-limit)(?:-|$)|^x-(?:total|page|per-page|next|prev)[\w-]*$/;

export function harmlessHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && (HARMLESS.has(name) || COUNTS.test(name)) ? [[name, String(value)]] : [],
    ),
  );
}
