import { GatewayError } from '../../contract/gateway-error.ts';
import { type MediaRange, parseAccept, parseMediaRange } from './media-range.ts';
import type { ODataVersion } from './version.ts';

/** How data is written: OData JSON Format 4.01, section 3. */
export interface JsonFormat {
  readonly metadata: 'minimal' | 'none';
  /** Int64, Decimal and counts are written as strings (3.2). */
  readonly ieee754Compatible: boolean;
  /** The answer names its charset, because the request did (Part 1, 8.2.1). */
  readonly charset: boolean;
}

type FormatKind = 'json' | 'xml' | 'text';

const MEDIA_TYPES: Readonly<Record<FormatKind, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
};

const DEFAULT_JSON: JsonFormat = { metadata: 'minimal', ieee754Compatible: false, charset: false };

/**
 * The JSON format that a request for data asks for, by `$format` or else by Accept (Part 1, 8.2.1 and
 * 11.2.11). Nothing that can be written: NotAcceptable; known but not there yet: NotImplemented.
 */
export function negotiateJson(format: string | undefined, accept: string | undefined): JsonFormat {
  const ranges = requestedRanges(format, accept);
  if (ranges === undefined) return DEFAULT_JSON;
  for (const range of ranges) {
    const json = matchesType(range, 'json') ? readJsonParameters(range) : undefined;
    if (json !== undefined) return json;
  }
  if (ranges.some(asksForFullMetadata)) {
    throw new GatewayError('NotImplemented', 'The format metadata=full is not implemented yet.');
  }
  throw notAcceptable(format, 'application/json');
}

/** Checks that a client which names what it takes takes plain text. */
export function demandPlainText(format: string | undefined, accept: string | undefined): void {
  const ranges = requestedRanges(format, accept);
  if (ranges !== undefined && !ranges.some((range) => matchesType(range, 'text'))) {
    throw notAcceptable(format, MEDIA_TYPES.text);
  }
}

/**
 * The form of the metadata document that a request asks for (Part 1, 11.1.2): XML, unless JSON is wanted
 * more. Clients that name JSON with parameters of data formats mean data: their lists serve all requests.
 */
export function negotiateMetadata(format: string | undefined, accept: string | undefined): 'xml' | 'json' {
  const ranges = requestedRanges(format, accept);
  if (ranges === undefined) return 'xml';
  const xml = qualityOf(ranges.filter((range) => matchesType(range, 'xml')));
  const named = ranges.filter(({ type }) => type === MEDIA_TYPES.json);
  const json = qualityOf(xml > 0 ? named.filter(({ parameters }) => parameters.size === 0) : named);
  if (xml === 0 && json === 0) throw notAcceptable(format, `${MEDIA_TYPES.xml} or ${MEDIA_TYPES.json}`);
  return json > xml ? 'json' : 'xml';
}

function qualityOf(ranges: readonly MediaRange[]): number {
  return Math.max(0, ...ranges.map(({ quality }) => quality));
}

/** Whether an error is better told in plain text: the client names text/plain and prefers it to JSON. */
export function prefersPlainText(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes('text/plain')) return false;
  const first = parseAccept(accept).find(
    (range) => range.type === 'text/plain' || range.type === 'application/json' || range.type.includes('*'),
  );
  return first?.type === 'text/plain' && first.quality > 0;
}

/** The Content-Type of data in that format. */
export function jsonContentType(format: JsonFormat, version: ODataVersion): string {
  const metadata = version === '4.01' ? 'metadata' : 'odata.metadata';
  return `application/json;${metadata}=${format.metadata}${
    format.ieee754Compatible ? ';IEEE754Compatible=true' : ''
  }${format.charset ? ';charset=utf-8' : ''}`;
}

function requestedRanges(format: string | undefined, accept: string | undefined) {
  if (format !== undefined) return [parseMediaRange(expandAbbreviation(format))];
  if (accept === undefined || accept.trim() === '') return undefined;
  return parseAccept(accept).filter((range) => range.quality > 0);
}

/** `$format=json` and `$format=xml` stand for media types; they take no parameters (Part 1, 11.2.11). */
function expandAbbreviation(format: string): string {
  if (/^json$/i.test(format)) return MEDIA_TYPES.json;
  return /^xml$/i.test(format) ? MEDIA_TYPES.xml : format;
}

function matchesType(range: MediaRange, kind: FormatKind): boolean {
  const type = MEDIA_TYPES[kind];
  return range.type === type || range.type === '*/*' || range.type === `${type.split('/')[0]}/*`;
}

/** The format that a range describes, or undefined where a parameter asks for what cannot be written. */
function readJsonParameters(range: MediaRange): JsonFormat | undefined {
  let format = DEFAULT_JSON;
  for (const [name, value] of range.parameters) {
    const next = applyParameter(format, name, value.toLowerCase());
    if (next === undefined) return undefined;
    format = next;
  }
  return format;
}

function applyParameter(format: JsonFormat, name: string, value: string): JsonFormat | undefined {
  switch (name) {
    case 'metadata':
    case 'odata.metadata':
      return value === 'minimal' || value === 'none' ? { ...format, metadata: value } : undefined;
    case 'ieee754compatible':
      return value === 'true' || value === 'false'
        ? { ...format, ieee754Compatible: value === 'true' }
        : undefined;
    case 'streaming':
    case 'odata.streaming':
      return value === 'false' ? format : undefined;
    case 'charset':
      return value === 'utf-8' || value === 'utf8' ? { ...format, charset: true } : undefined;
    // Clients of older versions send odata=verbose along; it says nothing to 4.0.
    case 'odata':
      return format;
    default:
      return undefined;
  }
}

function asksForFullMetadata(range: MediaRange): boolean {
  const level = range.parameters.get('metadata') ?? range.parameters.get('odata.metadata');
  return level?.toLowerCase() === 'full';
}

function notAcceptable(format: string | undefined, possible: string): GatewayError {
  const target = format === undefined ? 'Accept' : '$format';
  return new GatewayError('NotAcceptable', `${target}: this resource can be had as ${possible}.`, { target });
}
