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
import type { ListForm, ListFormat } from '../../payload/formats/list-format.ts';
import { XLSX_LIST } from '../../payload/formats/xlsx-list.ts';
import { writeError } from '../../payload/json/error.ts';
import { writeCollection } from '../../payload/json/json.ts';
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

/** What a request says about how its answer is to look. */
export interface DataStyle {
  readonly format: JsonFormat;
  readonly version: ODataVersion;
  readonly contentType: string;
  readonly preferences: Preferences;
  /** Who is told of no more than he may know of. */
  readonly principal: Principal;
  /** Tells answers to the same URL apart that look different. */
  readonly key: string;
  /** Tells the entity tags of such answers apart (RFC 9110, 8.8.3); empty for what a plain request is given. */
  readonly form: string;
}

/** What cannot be written is NotAcceptable. */
export function dataStyle(
  formatOption: string | undefined,
  request: StyledRequest,
  version: ODataVersion,
): DataStyle {
  const format = negotiateJson(formatOption, request.headers['accept']);
  return styleOf({ format, version, contentType: jsonContentType(format, version) }, request);
}

/** What is said of a list, which may be had in other formats, too. */
interface ListStyle extends DataStyle {
  readonly list: ListForm;
}

/** OData JSON Format 4.01. */
const JSON_LIST: ListFormat = {
  mediaType: MEDIA_TYPES.json,
  formOf(parameters) {
    const values = readJsonFormat(parameters);
    return (
      values && { contentType: (version) => jsonContentType(values, version), values, write: writeJsonList }
    );
  },
};

const writeJsonList: ListForm['write'] = ({ shape, rows, control }, budget) =>
  budget.run(writeCollection(shape, rows, control, budget));

/** How lists are written, in the order of their media types. */
const LIST_FORMATS: readonly [ListFormat, ...ListFormat[]] = [JSON_LIST, CSV_LIST, XLSX_LIST];

export function listStyle(
  formatOption: string | undefined,
  request: StyledRequest,
  version: ODataVersion,
): ListStyle {
  const list = negotiate(LIST_FORMATS, formatOption, request.headers['accept']);
  const written = { format: list.values, version, contentType: list.contentType(version) };
  return { ...styleOf(written, request), list };
}

/** The Content-Type of what is no list and no JSON: text names its charset where the request does. */
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
  // Links name what whoever asks may do.
  const rights = format.metadata === 'full' ? rightsName(principal) : '';
  const key = rights === '' ? contentType : `${contentType} ${rights}`;
  if (prefer === undefined) return { ...style, preferences: NONE, key, form: formOf(key) };
  const preferences = parsePreferences(prefer);
  return { ...style, preferences, key: `${key} ${prefer}`, form: formOf(key + shapeOf(preferences)) };
}

/** What preferences make of an answer's content; empty where they make nothing of it. */
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

/** The length of a form in an entity tag, in characters. */
const FORM_LENGTH = 8;

export type StyledRequest = Pick<BudgetedRequest, 'headers' | 'principal'>;

const NONE: Preferences = parsePreferences(undefined);

/**
 * Preferences that every answer honours: whatever is wrong with a request fails it (RFC 7240, 4.4), and entities have no
 * annotations that could be left out (Part 1, 8.2.8.4).
 */
function everHonoured({ handling, includeAnnotations }: Preferences): readonly PreferenceName[] {
  return [
    ...(handling === 'strict' ? (['handling'] as const) : []),
    ...(includeAnnotations === undefined ? [] : (['include-annotations'] as const)),
  ];
}

const NO_HEADERS: Readonly<Record<string, string>> = {};

/** The header field that says which preferences were honoured. */
export function appliedHeaders(
  preferences: Preferences,
  applied: readonly PreferenceName[],
): Readonly<Record<string, string>> {
  if (preferences === NONE) return NO_HEADERS;
  const value = preferenceApplied(preferences, [...applied, ...everHonoured(preferences)]);
  return value === undefined ? NO_HEADERS : { 'preference-applied': value };
}

/**
 * The entity as it is shown. The payload says its tag, too, for those who will change it (JSON Format, 4.5.7):
 * where nobody can, the header field alone does.
 */
export function taggedRow(
  row: Row,
  tag: string | undefined,
  { update, delete: remove }: Pick<EntityResource, 'update' | 'delete'>,
): Row {
  const { [TAG]: _, ...untagged } = row;
  return tag === undefined || (update ?? remove) === undefined ? untagged : { ...untagged, [TAG]: tag };
}

/** Versions are counted by each process for itself. */
const PROCESS = randomBytes(16).toString('base64url');

/** The tag of data that has a version in this process; undefined where it has none. */
export function versionTag(version: number | undefined): string | undefined {
  if (version === undefined) return undefined;
  return `W/"${hash('sha1', `${PROCESS} ${version}`, 'base64url')}"`;
}

/**
 * The entity tag of one form of a resource: no two forms share a tag (RFC 9110, 8.8.3), so that a cache gives
 * nobody another than the one that was asked for.
 */
export function formTag(tag: string | undefined, { form }: Pick<DataStyle, 'form'>): string | undefined {
  if (tag === undefined || form === '') return tag;
  return `${tag.slice(0, -1)}~${form}"`;
}

/** What follows the tag of the resource in that of a form. */
const FORM = new RegExp(`~[\\w-]{${FORM_LENGTH}}"$`);

export function etagHeaders(tag: string | undefined): Readonly<Record<string, string>> {
  return tag === undefined ? {} : { etag: tag };
}

/** The answer with its entity tag: that may change where nothing else of the answer does. */
export function withTag(response: GatewayResponse, tag: string | undefined): GatewayResponse {
  return tag === undefined ? response : { ...response, headers: { ...response.headers, etag: tag } };
}

/**
 * What a read is answered with under its conditions (Part 1, 8.2.4 and 8.2.5; RFC 9110, 13.2.2): PreconditionFailed
 * where If-Match names other states than this one, 304 instead of what the client has already. `tag` is that of the
 * resource, where the answer's is that of a form of it.
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

/** Whether a client that reads wants no other state than those it knows. */
export function assertMatch(
  { headers: { 'if-match': match } }: Pick<BudgetedRequest, 'headers'>,
  etag: string | undefined,
): void {
  if (match === undefined || isNamedInAnyForm(match, etag)) return;
  throw failedPrecondition('If-Match', `expected the ETag ${shorten(match)}, found ${etag ?? 'none'}.`);
}

/** Whether the condition names the resource's tag, or that of any form of it. */
export function isNamedInAnyForm(condition: string, etag: string | undefined): boolean {
  if (condition.trim() === '*') return true;
  const sought = etag?.replace(/^W\//, '');
  return [...condition.matchAll(/"[^"]*"/g)].some(
    ([tag]) => tag === sought || tag.replace(FORM, '"') === sought,
  );
}

/** A 200 that carries data: private to whoever asked, and asked for again each time. */
export function success<Body extends GatewayResponse['body']>(
  version: ODataVersion,
  contentType: string,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse & { readonly body: Body } {
  return { status: 200, headers: { ...dataHeaders(version, contentType), ...headers }, body };
}

/** A 200 that shows what was created or changed, or what an action has come to. */
export function representation(
  { version, contentType, preferences }: DataStyle,
  body: JsonText,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  // $select and $expand ask for the representation, whatever the preference says (Part 1, 11.4.1.5).
  const asked = preferences.return === 'representation' ? (['return'] as const) : [];
  const applied = appliedHeaders(preferences, [...asked, 'omit-values']);
  return success(version, contentType, body, { ...applied, ...headers });
}

/** The header fields of every answer that carries data. */
export function dataHeaders(version: ODataVersion, contentType: string): Readonly<Record<string, string>> {
  return {
    'content-type': contentType,
    'cache-control': 'private, no-cache',
    'odata-version': version,
    vary: 'accept, odata-maxversion, prefer',
  };
}

/** The fields that keep a 204 from being stored, which it else could be (RFC 9110, 15.3.5). */
const UNSTORED = { 'cache-control': 'no-store' } as const;

/** A 204: there is nothing to show, or it was not asked for. */
export function noContent(
  version: ODataVersion,
  headers: Readonly<Record<string, string>> = {},
): WholeResponse {
  return { status: 204, headers: { 'odata-version': version, ...UNSTORED, ...headers }, body: undefined };
}

/** Part 1, 9.2.2: a 405 says what is allowed. */
export function methodNotAllowed(method: string, allow: string): GatewayError {
  const message = `${method} is not allowed here; allowed: ${allow}.`;
  return new GatewayError('MethodNotAllowed', message, { headers: { allow } });
}

/** An error in the form and the version that the request with these header fields asks for. */
export function errorResponse(error: GatewayError, headers: BudgetedRequest['headers']): WholeResponse {
  return writeError(error, versionOf(headers), headers['accept']);
}

/** The version itself may be what is wrong with the request. */
function versionOf(headers: BudgetedRequest['headers']): ODataVersion {
  try {
    return responseVersion(headers);
  } catch {
    return '4.0';
  }
}

/** Whatever somebody has uploaded, a browser runs nothing of it in the name of this service. */
export const UNTRUSTED_CONTENT_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

/** RFC 9110, 8.3.1. */
const MEDIA_TYPE = /^[!#$&^.+\w-]+\/[!#$&^.+\w-]+(?:\s*;[\x20-\x7e]*)?$/;

/** The media type that a text is; undefined for a text that is none. */
export function mediaTypeOf(text: string | undefined): string | undefined {
  return text !== undefined && MEDIA_TYPE.test(text) ? text : undefined;
}
