import { createHash, hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BudgetedRequest, GatewayResponse, WholeResponse } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { type Principal, rightsName } from '../../../contract/principal.ts';
import { type Row, TAG } from '../../../contract/row.ts';
import { shorten } from '../../../core/shorten.ts';
import { failedPrecondition, isNamed } from '../../../engine/change/precondition.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
import { madeOnce } from '../../../model/maps.ts';
import { CSV_LIST } from '../../payload/formats/csv-list.ts';
import { JSONL_LIST, NDJSON_LIST } from '../../payload/formats/jsonl-list.ts';
import type { ListForm, ListFormat } from '../../payload/formats/list-format.ts';
import { XLSX_LIST } from '../../payload/formats/xlsx-list.ts';
import { writeError } from '../../payload/json/error.ts';
import { collectionInPortions, writeCollection } from '../../payload/json/json.ts';
import type { JsonText } from '../../payload/json/json-text.ts';
import {
  DEFAULT_JSON,
  type JsonFormat,
  jsonContentType,
  MEDIA_TYPES,
  negotiate,
  negotiateJson,
  type ODataVersion,
  readJsonFormat,
  responseVersion,
  textContentType,
} from '../../payload/negotiation/format.ts';
import {
  type PreferenceName,
  type Preferences,
  parsePreferences,
  preferenceApplied,
} from '../../payload/negotiation/preference.ts';

/** The format of a response, as requested. */
export interface DataStyle {
  readonly format: JsonFormat;
  readonly version: ODataVersion;
  readonly contentType: string;
  readonly preferences: Preferences;
  /** The principal, who sees only permitted parts of the model in the response. */
  readonly principal: Principal;
  /** Distinguishes different representations of the same URL. */
  readonly key: string;
  /** Distinguishes their entity tags (RFC 9110, 8.8.3); empty for the default representation. */
  readonly form: string;
}

/** Throws NotAcceptable for an unsupported format. */
export function dataStyle(
  formatOption: string | undefined,
  request: StyledRequest,
  version: ODataVersion,
): DataStyle {
  const format = negotiateJson(formatOption, request.headers['accept']);
  return styleOf({ format, version, contentType: jsonContentType(format, version) }, request);
}

/** The format of a list, which may be other than JSON. */
interface ListStyle extends DataStyle {
  readonly list: ListForm;
}

/** OData JSON Format 4.01. */
const JSON_LIST: ListFormat = {
  mediaType: MEDIA_TYPES.json,
  formOf(parameters) {
    const values = readJsonFormat(parameters);
    return (
      values && {
        contentType: (version) => jsonContentType(values, version),
        values,
        write: writeJsonList,
        portionWriter:
          (shape) =>
          ({ control }) =>
            collectionInPortions(shape, control),
      }
    );
  },
};

const writeJsonList: ListForm['write'] = ({ shape, rows, control }, budget) =>
  budget.run(writeCollection(shape, rows, control, budget));

/** The formats of lists, in the order of preference. */
const LIST_FORMATS: readonly [ListFormat, ...ListFormat[]] = [
  JSON_LIST,
  CSV_LIST,
  XLSX_LIST,
  JSONL_LIST,
  NDJSON_LIST,
];

export function listStyle(
  formatOption: string | undefined,
  request: StyledRequest,
  version: ODataVersion,
): ListStyle {
  const list = negotiate(LIST_FORMATS, formatOption, request.headers['accept']);
  const written = { format: list.values, version, contentType: list.contentType(version) };
  return { ...styleOf(written, request), list };
}

/** The Content-Type of plain text, with a charset if the client names one. */
export function textType(
  mediaType: string,
  formatOption: string | undefined,
  { headers }: StyledRequest,
): string {
  return textContentType(mediaType, formatOption, headers['accept']);
}

function styleOf(
  written: Pick<DataStyle, 'format' | 'version' | 'contentType'>,
  { headers, principal }: StyledRequest,
): DataStyle {
  const { format, contentType } = written;
  const prefer = headers['prefer'];
  const style = { ...written, principal };
  // Full metadata contains links for permitted operations.
  const rights = format.metadata === 'full' ? rightsName(principal) : '';
  const key = rights === '' ? contentType : `${contentType} ${rights}`;
  if (prefer === undefined) return { ...style, preferences: NONE, key, form: formOf(key) };
  const preferences = parsePreferences(prefer);
  return { ...style, preferences, key: `${key} ${prefer}`, form: formOf(key + shapeOf(preferences)) };
}

/** The preferences that change the content; empty for the default. */
function shapeOf({ maxPageSize, omitValues, includeAnnotations }: Preferences): string {
  const shaping = [maxPageSize, omitValues, includeAnnotations];
  return shaping.every((preference) => preference === undefined) ? '' : ` ${JSON.stringify(shaping)}`;
}

const PLAIN = jsonContentType(DEFAULT_JSON, '4.0');

const FORMS = new LRUCache<string, string>({ max: 256 });

function formOf(key: string): string {
  if (key === PLAIN) return '';
  return madeOnce(FORMS, key, () => createHash('sha1').update(key).digest('base64url').slice(0, FORM_LENGTH));
}

/** Length of the suffix for a representation in an entity tag, in characters. */
const FORM_LENGTH = 8;

export type StyledRequest = Pick<BudgetedRequest, 'headers' | 'principal'>;

const NONE: Preferences = parsePreferences(undefined);

/**
 * Preferences that every response fulfills: errors in a request always fail it (RFC 7240, 4.4), and entities
 * have no annotations to omit (Part 1, 8.2.8.4).
 */
function everHonoured({ handling, includeAnnotations }: Preferences): readonly PreferenceName[] {
  return [
    ...(handling === 'strict' ? (['handling'] as const) : []),
    ...(includeAnnotations === undefined ? [] : (['include-annotations'] as const)),
  ];
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The Preference-Applied header. */
export function appliedHeaders(
  preferences: Preferences,
  applied: readonly PreferenceName[],
): Readonly<Record<string, string>> {
  if (preferences === NONE) return NO_HEADERS;
  const value = preferenceApplied(preferences, [...applied, ...everHonoured(preferences)]);
  return value === undefined ? NO_HEADERS : { 'preference-applied': value };
}

/**
 * Adds the entity tag to the payload if the entity can be changed (JSON Format, 4.5.7); otherwise it is only
 * in the header.
 */
export function taggedRow(
  row: Row,
  tag: string | undefined,
  { update, delete: remove }: Pick<EntityResource, 'update' | 'delete'>,
): Row {
  const { [TAG]: _, ...untagged } = row;
  return tag === undefined || (update ?? remove) === undefined ? untagged : { ...untagged, [TAG]: tag };
}

/** Versions are counted per process. */
const PROCESS = randomBytes(16).toString('base64url');

/** The tag of data with a version in this process, if any. */
export function versionTag(version: number | undefined): string | undefined {
  if (version === undefined) return undefined;
  return `W/"${hash('sha1', `${PROCESS} ${version}`, 'base64url')}"`;
}

/**
 * The entity tag of a representation, which differs from those of other representations (RFC 9110, 8.8.3), so
 * that caches do not mix them up.
 */
export function formTag(tag: string | undefined, { form }: Pick<DataStyle, 'form'>): string | undefined {
  if (tag === undefined || form === '') return tag;
  return `${tag.slice(0, -1)}~${form}"`;
}

/** The suffix of a representation in an entity tag. */
const FORM = new RegExp(`~[\\w-]{${FORM_LENGTH}}"$`);

export function etagHeaders(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { etag: tag };
}

/** Replaces the entity tag of a response, which may change independently. */
export function withTag(response: GatewayResponse, tag: string | undefined): GatewayResponse {
  return tag === undefined ? response : { ...response, headers: { ...response.headers, etag: tag } };
}

/**
 * Applies the conditions of a read (Part 1, 8.2.4 and 8.2.5; RFC 9110, 13.2.2): PreconditionFailed if
 * If-Match names other states, 304 if the client has the representation. `tag` is that of the resource, if
 * the response has that of a representation.
 */
export function underConditions(
  request: BudgetedRequest,
  response: GatewayResponse,
  tag: string | undefined = response.headers['etag'],
): GatewayResponse {
  const { etag } = response.headers;
  assertMatch(request, tag);
  const condition = request.headers['if-none-match'];
  if (etag === undefined || condition === undefined || !isNamed(condition, etag)) return response;
  const { 'content-type': _, ...unchanged } = response.headers;
  return { status: 304, headers: unchanged, body: undefined };
}

/** Throws PreconditionFailed if If-Match names other states. */
export function assertMatch(
  { headers: { 'if-match': match } }: Pick<BudgetedRequest, 'headers'>,
  etag: string | undefined,
): void {
  if (match === undefined || isNamedInAnyForm(match, etag)) return;
  throw failedPrecondition('If-Match', `expected the ETag ${shorten(match)}, found ${etag ?? 'none'}.`);
}

/** Whether the condition names the resource's tag, or that of any of its representations. */
export function isNamedInAnyForm(condition: string, etag: string | undefined): boolean {
  if (condition.trim() === '*') return true;
  const sought = etag?.replace(/^W\//, '');
  return [...condition.matchAll(/"[^"]*"/g)].some(
    ([tag]) => tag === sought || tag.replace(FORM, '"') === sought,
  );
}

/** A 200 with data, which caches must revalidate and not share. */
export function success<Body extends GatewayResponse['body']>(
  version: ODataVersion,
  contentType: string,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse & { readonly body: Body } {
  return { status: 200, headers: { ...dataHeaders(version, contentType), ...headers }, body };
}

/** A 200 with a created or changed entity, or the result of an action. */
export function representation(
  { version, contentType, preferences }: DataStyle,
  body: JsonText,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  // $select and $expand request the representation, regardless of the preference (Part 1, 11.4.1.5).
  const returned = preferences.return === 'representation' ? (['return'] as const) : [];
  const applied = appliedHeaders(preferences, [...returned, 'omit-values']);
  return success(version, contentType, body, { ...applied, ...headers });
}

export function dataHeaders(version: ODataVersion, contentType: string): Readonly<Record<string, string>> {
  return {
    'content-type': contentType,
    'cache-control': 'private, no-cache',
    'odata-version': version,
    vary: 'accept, odata-maxversion, prefer',
  };
}

/** Prevents caching of a 204, which is cacheable by default (RFC 9110, 15.3.5). */
const UNSTORED = { 'cache-control': 'no-store' } as const;

export function noContent(
  version: ODataVersion,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  return { status: 204, headers: { 'odata-version': version, ...UNSTORED, ...headers }, body: undefined };
}

/** Part 1, 9.2.2: a 405 lists the allowed methods. */
export function methodNotAllowed(method: string, allow: string): GatewayError {
  const message = `${method} is not allowed here; allowed: ${allow}.`;
  return new GatewayError('MethodNotAllowed', message, { headers: { allow } });
}

/** An error in the format and version that the request asks for. */
export function errorResponse(error: GatewayError, headers: BudgetedRequest['headers']): WholeResponse {
  return writeError(error, versionOf(headers), headers['accept']);
}

/** Falls back to a default, because the version itself may be invalid. */
function versionOf(headers: BudgetedRequest['headers']): ODataVersion {
  try {
    return responseVersion(headers);
  } catch {
    return '4.0';
  }
}

/** Prevents browsers from executing uploaded content in the gateway's origin. */
export const UNTRUSTED_CONTENT_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

/** RFC 9110, 8.3.1. */
const MEDIA_TYPE = /^[!#$&^.+\w-]+\/[!#$&^.+\w-]+(?:\s*;[\x20-\x7e]*)?$/;

/** The text if it is a media type. */
export function mediaTypeOf(text: string | undefined): string | undefined {
  return text !== undefined && MEDIA_TYPE.test(text) ? text : undefined;
}
