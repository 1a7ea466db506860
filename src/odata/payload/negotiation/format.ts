import { GatewayError } from '../../../contract/gateway-error.ts';
import { untypedValue, type Value } from '../../../contract/row.ts';
import type { ValueType } from '../../../model/edm.ts';

/** How data is written: OData JSON Format 4.01, section 3. */
export interface JsonFormat {
  readonly metadata: 'minimal' | 'none' | 'full';
  /** Int64, Decimal and counts are written as strings (3.2). */
  readonly ieee754Compatible: boolean;
  /** Decimals may have exponents (3.3). */
  readonly exponentialDecimals: boolean;
  /** The client reads while it receives, and relies on the order of control information (4.4). */
  readonly streaming: boolean;
  /** The answer names its charset, because the request did (Part 1, 8.2.1). */
  readonly charset: boolean;
}

export const DEFAULT_JSON: JsonFormat = {
  metadata: 'minimal',
  ieee754Compatible: false,
  exponentialDecimals: false,
  streaming: false,
  charset: false,
};

/** Values alone, and of numbers all digits: for what is no JSON. */
export const EXACT_VALUES: JsonFormat = { ...DEFAULT_JSON, metadata: 'none', ieee754Compatible: true };

/** What a resource can be had as. */
interface Offer<Form> {
  readonly mediaType: string;
  /** The form that parameters of the media type ask for; undefined where it cannot be written. */
  formOf(parameters: ReadonlyMap<string, string>): Form | undefined;
}

/**
 * The form that a request asks for, by `$format` or else by Accept (Part 1, 8.2.1 and 11.2.11). The first offer is also
 * what `*` means; the others have to be named. Where nothing can be written as it is wanted: NotAcceptable.
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

/** The JSON format that a request for data asks for. */
export function negotiateJson(format: string | undefined, accept: string | undefined): JsonFormat {
  return negotiate(JSON_ONLY, format, accept);
}

export const MEDIA_TYPES = {
  json: 'application/json',
  xml: 'application/xml',
  text: 'text/plain',
  csv: 'text/csv',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  http: 'application/http',
} as const;

const JSON_ONLY = [{ mediaType: MEDIA_TYPES.json, formOf: readJsonFormat }] as const;

/** A media type of text, with the charset where the request names one (Part 1, 8.2.1). */
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
 * The form of the metadata document that a request asks for (Part 1, 11.1.2): XML, unless JSON is wanted
 * more. Clients that name JSON with parameters of data formats mean data: their lists serve all requests.
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

/** Whether an error is better told in plain text: the client names text/plain and prefers it to JSON. */
export function prefersPlainText(accept: string | undefined): boolean {
  if (accept === undefined || !accept.includes(MEDIA_TYPES.text)) return false;
  const first = parseAccept(accept).find(
    ({ type }) => type === MEDIA_TYPES.text || type === MEDIA_TYPES.json || type.includes('*'),
  );
  return first?.type === MEDIA_TYPES.text && first.quality > 0;
}

/** The Content-Type of data in that format. */
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

/** A type that is refused by its name is not meant by `*` either (RFC 9110, 12.5.1). */
function isWanted(range: MediaRange, type: string, isTypeRefused: boolean): boolean {
  return range.quality > 0 && matchesType(range, type) && (range.type === type || !isTypeRefused);
}

/** Of ranges as {@link parseAccept} orders them. */
function bestQuality([best]: readonly MediaRange[]): number {
  return best?.quality ?? 0;
}

/** The format that parameters describe, or undefined where a parameter asks for what cannot be written. */
export function readJsonFormat(parameters: ReadonlyMap<string, string>): JsonFormat | undefined {
  let format = DEFAULT_JSON;
  for (const [name, value] of parameters) {
    const read = JSON_PARAMETERS.get(name)?.(value.toLowerCase());
    if (read === undefined) return undefined;
    format = { ...format, ...read };
  }
  return format;
}

/** What a parameter's value, in lower case, sets; undefined for a value that it cannot have. */
type ReadParameter = (value: string) => Partial<JsonFormat> | undefined;

const JSON_PARAMETERS: ReadonlyMap<string, ReadParameter> = new Map<string, ReadParameter>([
  ['metadata', readMetadata],
  ['odata.metadata', readMetadata],
  ['ieee754compatible', flag('ieee754Compatible')],
  ['exponentialdecimals', flag('exponentialDecimals')],
  ['streaming', flag('streaming')],
  ['odata.streaming', flag('streaming')],
  ['charset', (value) => (isUtf8(value) ? { charset: true } : undefined)],
  // Clients of older versions send odata=verbose along; it says nothing to 4.0.
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

/** One alternative of an Accept header field, or a Content-Type. Names and values of types are in lower case. */
interface MediaRange {
  readonly type: string;
  /** Parameter names in lower case, values as written, without `q`. */
  readonly parameters: ReadonlyMap<string, string>;
  /** 0 to 1: how much the client wants it. */
  readonly quality: number;
}

/** What lists can be had as. The first is what everybody gets who names none. */
export const LIST_MEDIA_TYPES = [MEDIA_TYPES.json, MEDIA_TYPES.csv, MEDIA_TYPES.xlsx] as const;

/** What `$format` may say in place of a media type; it has no parameters then (Part 1, 11.2.11, names the first two). */
const ABBREVIATED = ['json', 'xml', 'csv', 'xlsx'] as const;

function expandAbbreviation(format: string): string {
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

/** The versions of the protocol that answers speak. */
export type ODataVersion = '4.0' | '4.01';

/**
 * The version that the answer to a request speaks: 4.0 unless OData-MaxVersion asks for 4.01 or more
 * (Part 1, 8.2.7). A request below 4.0, or a body of a version we do not read, is a bad request.
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

/** The version that the body of a request is written in: the one that it says, or else that of the answer. */
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

/** The type that stands for a type in a version of the protocol: 4.0 does not know Edm.Untyped (CSDL 4.01, 4.2). */
export function typeIn(version: ODataVersion, type: ValueType): ValueType {
  return version === '4.0' && type.name === 'Edm.Untyped' ? TEXT : type;
}

/**
 * A value of Edm.Untyped, which is not null, as a text: JSON, but that a text which could not be taken for JSON
 * stands as it is. Identifiers, which are texts where an API may give the object in their place, can so be
 * compared with others.
 */
export function untypedText(value: Value): string {
  return typeof value === 'string' && parsed(value, JSON.parse) === undefined
    ? value
    : JSON.stringify(untypedValue(value));
}

/** What a text stands for: see {@link untypedText}. */
export function untypedOfText(text: string, parse: JsonParser): unknown {
  return parsed(text, parse) ?? text;
}

/** Throws for what is no JSON. */
type JsonParser = (text: string) => unknown;

/** The value of a JSON text; undefined for what is no JSON, and for null, which is no text either. */
function parsed(text: string, parse: JsonParser): unknown {
  try {
    return parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** What starts the names of control information in the version's payloads (JSON Format, 4.5). */
export function controlPrefix(version: ODataVersion): '@' | '@odata.' {
  return version === '4.01' ? '@' : '@odata.';
}
