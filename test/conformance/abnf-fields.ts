import { GatewayError } from '../../src/contract/gateway-error.ts';
import { readJsonBatch } from '../../src/odata/payload/batch/read-json.ts';
import { parseAccept, parseMediaRange, responseVersion } from '../../src/odata/payload/negotiation/format.ts';
import { parsePreferences } from '../../src/odata/payload/negotiation/preference.ts';

/** Says whether it understands a text; what it throws is a refusal. */
type Reader = (text: string) => boolean;

const PREFERENCES =
  'allow-entityreferences callback continue-on-error handling include-annotations maxpagesize omit-values respond-async return track-changes wait';
const KNOWN_PREFERENCES = new Set(PREFERENCES.split(' '));

/** The header fields that requests are read for, each by what reads it there. */
const FIELDS: Readonly<Record<string, Reader>> = {
  accept: (value) => parseAccept(value).every(({ type }) => isMediaType(type)),
  'content-type': (value) => isMediaType(parseMediaRange(value).type),
  'content-id': isRequestId,
  'odata-maxversion': (value) => responseVersion({ 'odata-maxversion': value }) !== undefined,
  'odata-version': (value) => responseVersion({ 'odata-version': value }) !== undefined,
  prefer: arePreferences,
};

/** Rules of header fields and their parts, by what reads them. */
const PARTS: Readonly<Record<string, Reader>> = {
  preference: arePreferences,
  'request-id': isRequestId,
  'media-type': (text) => isMediaType(parseMediaRange(text).type),
};

function isMediaType(type: string): boolean {
  return /^[^/\s]+\/[^/\s]+$/.test(type);
}

/** The service makes no callbacks, so it does not read the URL. */
const CALLBACK_URL = /;\s*url\s*=/i;

/** All are known and have a value that they can have. */
function arePreferences(text: string): boolean {
  const names = [...parsePreferences(text).written.keys()];
  if (names.includes('callback') && !CALLBACK_URL.test(text)) return false;
  return names.length > 0 && names.every((name) => KNOWN_PREFERENCES.has(name));
}

function isRequestId(text: string): boolean {
  const requests = [{ id: text, method: 'get', url: 'Products' }];
  return readJsonBatch(new TextEncoder().encode(JSON.stringify({ requests })), 1000).length === 1;
}

const HEADER = 'a header field of answers, or one that only HTTP reads';
const CONTEXT = 'context URLs are written, never read: their fragment is for clients';
const SYNTAX = 'read by HTTP and its URLs, not by the service';

const NEVER_READ: readonly (readonly [RegExp, string])[] = [
  [/^context/, CONTEXT],
  [/^header$/, HEADER],
  [/^(asyncresult|content-.+|if-.+|isolation|location|odata-.+|preference-applied|retry-after)$/i, HEADER],
  [
    /^(IP.+|host|port|authority|scheme|URI.*|reg-name|segment.*|pchar.*|pct-.+|.*delims|unreserved|h16|ls32)$/,
    SYNTAX,
  ],
];

/** The reason why no parser reads a rule's text, if any. */
export function reasonNotRead(rule: string, input: string): string | undefined {
  if (readerOf(rule, input) !== undefined) return undefined;
  if (/^[^?#]*\$metadata(\?[^#]*)?#/.test(input)) return CONTEXT;
  return NEVER_READ.find(([pattern]) => pattern.test(rule))?.[1];
}

/** The mistake in a header field or a part of one, if any. */
export function refusalOfField(rule: string, input: string): string | undefined {
  const [read, text] = readerOf(rule, input) ?? [() => false, input];
  try {
    return read(text) ? undefined : 'it is not understood';
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}

export function isField(rule: string, input: string): boolean {
  return readerOf(rule, input) !== undefined;
}

function readerOf(rule: string, input: string): readonly [Reader, string] | undefined {
  const part = PARTS[/Preference$/.test(rule) ? 'preference' : rule];
  if (part !== undefined) return [part, input];
  const [, name = '', value = ''] = /^([\w-]+):[ \t]*(.*?)[ \t]*$/s.exec(input) ?? [];
  const field = FIELDS[name.toLowerCase()];
  const isOwn = rule === 'header' || rule.toLowerCase() === name.toLowerCase();
  return isOwn && field !== undefined ? [field, value] : undefined;
}
