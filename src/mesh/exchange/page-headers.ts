import type { IncomingHttpHeaders } from 'node:http';

/** Header fields of an answer that say something of the pages of a list, by their names in lower case. */
export type PageHeaders = Readonly<Record<string, string>>;

const NAMES = [
  'link',
  'x-next-page',
  'x-next-cursor',
  'x-ms-continuation',
  'x-continuation-token',
  'x-total-count',
  'x-total',
  'x-wp-total',
  'total-count',
  'content-range',
] as const;

/** Undefined where there are none, as nearly always. */
export function pageHeaders(headers: IncomingHttpHeaders): PageHeaders | undefined {
  let found: Record<string, string> | undefined;
  for (const name of NAMES) {
    const value = headers[name];
    if (value === undefined) continue;
    found ??= {};
    found[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return found;
}

export function haveSamePages(one: PageHeaders | undefined, other: PageHeaders | undefined): boolean {
  return NAMES.every((name) => one?.[name] === other?.[name]);
}
