import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { type Principal, rightsName } from '../../../contract/principal.ts';
import type { ListForm } from '../../payload/formats/list-format.ts';
import { LIST_FORMATS } from '../../payload/formats/list-formats.ts';
import {
  DEFAULT_JSON,
  type JsonFormat,
  jsonContentType,
  negotiate,
  negotiateJson,
  textContentType,
} from '../../payload/negotiation/format.ts';
import {
  type PreferenceName,
  type Preferences,
  parsePreferences,
  preferenceApplied,
} from '../../payload/negotiation/preference.ts';
import type { ODataVersion } from '../../payload/negotiation/version.ts';

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
export interface ListStyle extends DataStyle {
  readonly list: ListForm;
}

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
  const known = FORMS.get(key);
  if (known !== undefined) return known;
  const form = createHash('sha1').update(key).digest('base64url').slice(0, FORM_LENGTH);
  FORMS.set(key, form);
  return form;
}

/** The length of a form in an entity tag, in characters. */
export const FORM_LENGTH = 8;

export type StyledRequest = Pick<BudgetedRequest, 'headers' | 'principal'>;

const NONE: Preferences = parsePreferences(undefined);

/** The preferences that an answer with what was created or changed honours. */
export function shownPreferences(preferences: Preferences): readonly PreferenceName[] {
  // $select and $expand ask for the representation, whatever the preference says (Part 1, 11.4.1.5).
  return preferences.return === 'representation' ? ['return', 'omit-values'] : ['omit-values'];
}

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
