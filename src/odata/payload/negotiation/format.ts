import { GatewayError } from '../../../contract/gateway-error.ts';
import { untypedValue, type Value } from '../../../contract/row.ts';
import type { ValueType } from '../../../model/edm.ts';

/** The format of data: OData JSON Format 4.01, section 3. */
export interface JsonFormat {
  readonly metadata: 'minimal' | 'none' | 'full';
  /** True if Int64, Decimal and counts are written as strings (3.2). */
  readonly ieee754Compatible: boolean;
  /** True if decimals may have exponents (3.3). */
  readonly exponentialDecimals: boolean;
  /** True if the client parses while it receives, and relies on the order of control information (4.4). */
  readonly streaming: boolean;
  /** True if the response names its charset, because the request did (Part 1, 8.2.1). */
  readonly charset: boolean;
}

export const DEFAULT_JSON: JsonFormat = {
  metadata: 'minimal',
  ieee754Compatible: false,
  exponentialDecimals: false,
  streaming: false,
  charset: false,
};

/** Values without control information and with all digits, for formats other than JSON. */
export const EXACT_VALUES: JsonFormat = { ...DEFAULT_JSON, metadata: 'none', ieee754Compatible: true };

/** A supported format of a resource. */
interface Offer<Form> {
  readonly mediaType: string;
  /** The format with media type parameters; undefined if they are not supported. */
  formOf(parameters: ReadonlyMap<string, string>): Form | undefined;
}

/**
 * Selects the format by `$format` or else by Accept (Part 1, 8.2.1 and 11.2.11). `*` selects the first offer;
 * the others must be named. Throws NotAcceptable if no offer is accepted.
 */
export function negotiate<Form>(
  offers: readonly [Offer<Form>, ...Offer<Form>[]],
  format: string | undefined,
  accept: string | undefined,
): Form {
  const ranges = requestedRanges(format, accept) ?? ANYTHING;
  const [preset, ...others] = offers;
  const refusesPreset = isRefused(ranges, preset.mediaType);
  for (const range of ranges) {
    const named = others.find(({ mediaType }) => mediaType === range.type && range.quality > 0);
    const offer = isWanted(range, preset.mediaType, refusesPreset) ? preset : named;
    const form = offer?.formOf(range.parameters);
    if (form !== undefined) return form;
  }
  throw notAcceptable(format, ...offers.map(({ mediaType }) => mediaType));
}

const ANYTHING: readonly MediaRange[] = [parseMediaRange('*/*')];

export function negotiateJson(format: string | undefined, accept: string | undefined): JsonFormat {
  return negotiate(JSON_ONLY, format, accept);
}

export const MEDIA_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
  csv: 'text/csv',
  jsonl: 'application/jsonl',
  ndjson: 'application/x-ndjson',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  http: 'application/http',
} as const;

const JSON_ONLY = [{ mediaType: MEDIA_TYPES.json, formOf: readJsonFormat }] as const;

/** A text media type, with a charset if the request names one (Part 1, 8.2.1). */
export function textContentType(
  mediaType: string,
  format: string | undefined,
  accept: string | undefined,
): string {
  const { type, parameters } = parseMediaRange(mediaType);
  if (!type.startsWith('text/') || parameters.has('charset')) return mediaType;
  const wanted = requestedRanges(format, accept)?.find(
    (range) => range.quality > 0 && matchesType(range, type),
  );
  return isUtf8(wanted?.parameters.get('charset')) ? `${mediaType};charset=utf-8` : mediaType;
}

function isUtf8(charset: string | undefined): boolean {
  const name = charset?.toLowerCase();
  return name === 'utf-8' || name === 'utf8';
}

/**
 * The format of the metadata document (Part 1, 11.1.2): XML, unless JSON is preferred. JSON with parameters
 * of data formats does not count, because clients send one Accept with all requests.
 */
export function negotiateMetadata(format: string | undefined, accept: string | undefined): 'xml' | 'json' {
  const ranges = requestedRanges(format, accept);
  if (ranges === undefined) return 'xml';
  const refusesXml = isRefused(ranges, MEDIA_TYPES.xml);
  const xml = bestQuality(ranges.filter((range) => isWanted(range, MEDIA_TYPES.xml, refusesXml)));
  const named = ranges.filter(({ type }) => type === MEDIA_TYPES.json);
  const json = bestQuality(xml > 0 ? named.filter(({ parameters }) => parameters.size === 0) : named);
  if (xml === 0 && json === 0) throw notAcceptable(format, MEDIA_TYPES.xml, MEDIA_TYPES.json);
  return json > xml ? 'json' : 'xml';
}

/** Whether errors should be plain text: the client names text/plain and prefers it to JSON. */
export function prefersPlainText(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes(MEDIA_TYPES.text)) return false;
  const first = parseAccept(accept).find(
    ({ type }) => type === MEDIA_TYPES.text || type === MEDIA_TYPES.json || type.includes('*'),
  );
  return first?.type === MEDIA_TYPES.text && first.quality > 0;
}

export function jsonContentType(format: JsonFormat, version: ODataVersion): string {
  const prefix = version === '4.01' ? '' : 'odata.';
  return [
    `${MEDIA_TYPES.json};${prefix}metadata=${format.metadata}`,
    ...(format.streaming ? [`${prefix}streaming=true`] : []),
    ...(format.ieee754Compatible ? ['IEEE754Compatible=true'] : []),
    ...(format.exponentialDecimals ? ['ExponentialDecimals=true'] : []),
    ...(format.charset ? ['charset=utf-8'] : []),
  ].join(';');
}

function requestedRanges(
  format: string | undefined,
  accept: string | undefined,
): readonly MediaRange[] | undefined {
  if (format !== undefined) return [parseMediaRange(expandAbbreviation(format))];
  return accept === undefined || accept.trim() === '' ? undefined : parseAccept(accept);
}

/** `*` does not include a type that the client excludes by name (RFC 9110, 12.5.1). */
function isWanted(range: MediaRange, type: string, isTypeRefused: boolean): boolean {
  return range.quality > 0 && matchesType(range, type) && (range.type === type || !isTypeRefused);
}

/** The quality of the first range; ranges are sorted by {@link parseAccept}. */
function bestQuality([best]: readonly MediaRange[]): number {
  return best?.quality ?? 0;
}

/** The format with the given parameters; undefined if a value is not supported. */
export function readJsonFormat(parameters: ReadonlyMap<string, string>): JsonFormat | undefined {
  let format = DEFAULT_JSON;
  for (const [name, value] of parameters) {
    const read = JSON_PARAMETERS.get(name)?.(value.toLowerCase());
    if (read === undefined) return undefined;
    format = { ...format, ...read };
  }
  return format;
}

/** The effect of a parameter's value in lower case; undefined for an invalid value. */
type ReadParameter = (value: string) => Partial<JsonFormat> | undefined;

const JSON_PARAMETERS: ReadonlyMap<string, ReadParameter> = new Map<string, ReadParameter>([
  ['metadata', readMetadata],
  ['odata.metadata', readMetadata],
  ['ieee754compatible', flag('ieee754Compatible')],
  ['exponentialdecimals', flag('exponentialDecimals')],
  ['streaming', flag('streaming')],
  ['odata.streaming', flag('streaming')],
  ['charset', (value) => (isUtf8(value) ? { charset: true } : undefined)],
  // Clients of older versions also send odata=verbose, which has no meaning in 4.0.
  ['odata', () => ({})],
]);

function readMetadata(value: string): Partial<JsonFormat> | undefined {
  return value === 'minimal' || value === 'none' || value === 'full' ? { metadata: value } : undefined;
}

function flag(name: 'ieee754Compatible' | 'exponentialDecimals' | 'streaming'): ReadParameter {
  return (value) => (value === 'true' || value === 'false' ? { [name]: value === 'true' } : undefined);
}

function notAcceptable(format: string | undefined, ...offered: readonly string[]): GatewayError {
  const target = format === undefined ? 'Accept' : '$format';
  const possible = offered.join(', ').replace(/, ([^,]*)$/, ' or $1');
  return new GatewayError('NotAcceptable', `${target}: this resource is available as ${possible}.`, {
    target,
  });
}

/** A media range of Accept, or a Content-Type. Types are in lower case. */
interface MediaRange {
  readonly type: string;
  /** Names in lower case, values as written, without `q`. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The preference from 0 to 1. */
  readonly quality: number;
}

/** The formats of lists. The first is the default. */
export const LIST_MEDIA_TYPES = [
  MEDIA_TYPES.json,
  MEDIA_TYPES.csv,
  MEDIA_TYPES.xlsx,
  MEDIA_TYPES.jsonl,
  MEDIA_TYPES.ndjson,
] as const;

/** Abbreviations for `$format`, without parameters (Part 1, 11.2.11, defines the first two). */
const ABBREVIATED = ['json', 'xml', 'csv', 'xlsx', 'jsonl', 'ndjson'] as const;

function expandAbbreviation(format: string): string {
  const name = format.toLowerCase();
  const known = ABBREVIATED.find((abbreviation) => abbreviation === name);
  return known === undefined ? format : MEDIA_TYPES[known];
}

/** The media ranges of Accept (RFC 9110, 12.5.1) by descending preference, then by specificity. */
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

/** Whether the type, without parameters, is excluded by name. */
export function isRefused(ranges: readonly MediaRange[], type: string): boolean {
  return ranges.some((range) => range.type === type && range.quality === 0 && range.parameters.size === 0);
}

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

export function unquote(text: string): string {
  return text.length >= 2 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** Splits the value of a header field (RFC 9110, 5.6). */
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

export type ODataVersion = '4.0' | '4.01';

/**
 * The protocol version of the response: 4.0, unless OData-MaxVersion allows 4.01 (Part 1, 8.2.7). Throws
 * BadRequest for versions below 4.0, and for a body in an unsupported version.
 */
export function responseVersion(headers: Readonly<Record<string, string | undefined>>): ODataVersion {
  const version = headers['odata-version'];
  if (version !== undefined && version !== '4.0' && version !== '4.01') {
    throw versionError('OData-Version', '4.0 or 4.01', version);
  }
  const maxVersion = headers['odata-maxversion'];
  if (maxVersion === undefined) return '4.0';
  if (!/^\d+\.\d+$/.test(maxVersion) || Number(maxVersion) < 4) {
    throw versionError('OData-MaxVersion', '4.0 or greater', maxVersion);
  }
  return Number(maxVersion) >= 4.01 ? '4.01' : '4.0';
}

/** The version of the request's body: that of OData-Version, or else that of the response. */
export function bodyVersion(headers: Readonly<Record<string, string | undefined>>): ODataVersion {
  const version = headers['odata-version'];
  return version === '4.0' || version === '4.01' ? version : responseVersion(headers);
}

function versionError(header: string, expected: string, found: string): GatewayError {
  return new GatewayError('BadRequest', `${header}: expected ${expected}, found "${found.slice(0, 20)}".`, {
    target: header,
  });
}

const TEXT: ValueType = { kind: 'primitive', name: 'Edm.String' };

/** The type in a protocol version: 4.0 has no Edm.Untyped (CSDL 4.01, 4.2). */
export function typeIn(version: ODataVersion, type: ValueType): ValueType {
  return version === '4.0' && type.name === 'Edm.Untyped' ? TEXT : type;
}

/**
 * The text for a non-null value of Edm.Untyped: a string that is not JSON itself, and JSON otherwise. So ids,
 * which are strings where an API may return the object instead, can be compared.
 */
export function untypedText(value: Value): string {
  return typeof value === 'string' && parsed(value, JSON.parse) === undefined
    ? value
    : JSON.stringify(untypedValue(value));
}

/** The value of a text, see {@link untypedText}. */
export function untypedOfText(text: string, parse: JsonParser): unknown {
  return parsed(text, parse) ?? text;
}

/** Throws if the text is not JSON. */
type JsonParser = (text: string) => unknown;

/** The value of a JSON text; undefined for other texts and for null. */
function parsed(text: string, parse: JsonParser): unknown {
  try {
    return parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The prefix of control information in payloads of the version (JSON Format, 4.5). */
export function controlPrefix(version: ODataVersion): '@' | '@odata.' {
  return version === '4.01' ? '@' : '@odata.';
}
