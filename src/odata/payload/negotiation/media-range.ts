/** One alternative of an Accept header field, or a Content-Type. Names and values of types are in lower case. */
export interface MediaRange {
  readonly type: string;
  /** Parameter names in lower case, values as written, without `q`. */
  readonly parameters: ReadonlyMap<string, string>;
  /** 0 to 1: how much the client wants it. */
  readonly quality: number;
}

export const MEDIA_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  http: 'application/http',
} as const;

/** What lists can be had as. The first is what everybody gets who names none. */
export const LIST_MEDIA_TYPES = [MEDIA_TYPES.json, MEDIA_TYPES.csv, MEDIA_TYPES.xlsx] as const;

/** What `$format` may say in place of a media type; it has no parameters then (Part 1, 11.2.11, names the first two). */
const ABBREVIATED = ['json', 'xml', 'csv', 'xlsx'] as const;

export function expandAbbreviation(format: string): string {
  const name = format.toLowerCase();
  const known = ABBREVIATED.find((abbreviation) => abbreviation === name);
  return known === undefined ? format : MEDIA_TYPES[known];
}

/**
 * The alternatives of an Accept header field (RFC 9110, 12.5.1), most wanted first; of those wanted alike, the
 * more specific first.
 */
export function parseAccept(accept: string): readonly MediaRange[] {
  return splitOutsideQuotes(accept, ',')
    .map(parseMediaRange)
    .filter((range) => range.type !== '')
    .sort((a, b) => b.quality - a.quality || wildcards(a) - wildcards(b));
}

function wildcards({ type }: MediaRange): number {
  return type.split('*').length;
}

export function matchesType(range: MediaRange, type: string): boolean {
  return range.type === type || range.type === '*/*' || range.type === `${type.split('/')[0]}/*`;
}

/** Whether the type is named, without parameters, as one that is not wanted. */
export function isRefused(ranges: readonly MediaRange[], type: string): boolean {
  return ranges.some((range) => range.type === type && range.quality === 0 && range.parameters.size === 0);
}

/** A media type with its parameters, such as the value of Content-Type. */
export function parseMediaRange(text: string): MediaRange {
  const [type = '', ...rest] = splitOutsideQuotes(text, ';');
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const equals = parameter.indexOf('=');
    const name = (equals < 0 ? parameter : parameter.slice(0, equals)).trim().toLowerCase();
    if (name !== '') parameters.set(name, unquote(equals < 0 ? '' : parameter.slice(equals + 1).trim()));
  }
  const quality = parameters.get('q');
  parameters.delete('q');
  return { type: type.trim().toLowerCase(), parameters, quality: parseQuality(quality) };
}

function parseQuality(text: string | undefined): number {
  if (text === undefined) return 1;
  const quality = Number(text);
  return quality >= 0 && quality <= 1 ? quality : 0;
}

/** The text without the quotes around it. */
export function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** Splits a header field's value (RFC 9110, 5.6). */
export function splitOutsideQuotes(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') quoted = !quoted;
    if (character === separator && !quoted) {
      pieces.push(text.slice(start, index));
      start = index + 1;
    }
  }
  return [...pieces, text.slice(start)];
}
