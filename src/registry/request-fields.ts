import type { WrittenGrants } from '../contract/access-report.ts';
import { type ErrorDetail, GatewayError } from '../contract/gateway-error.ts';
import type { JsonObject } from '../contract/json-object.ts';
import { plainServiceUrl, whyNotServiceUrl } from '../contract/service-url.ts';
import type { Permission } from '../model/permission.ts';
import { isMapping, own } from '../openapi/parse/openapi-version.ts';
import { LARGEST_DOCUMENT, tooLarge } from './document-size.ts';
import type { TryItRequest } from './try-it/run-trial.ts';

/** An API as it is registered. */
export interface NewApi {
  readonly name: string;
  readonly description: string;
  readonly serviceUrl: string | undefined;
  readonly fileName: string;
  readonly document: string;
  /** Where the document is fetched from later on. */
  readonly url: string | undefined;
}

/** An API to be registered; where it has no document, it has a URL to fetch it from. */
export type ApiOrder = Omit<NewApi, 'document'> &
  ({ readonly document: string } | { readonly document: undefined; readonly url: string });

/** What of an API is to be replaced; what is undefined stays as it is. */
export type ApiReplacement = Partial<{
  readonly [Name in 'description' | 'serviceUrl' | 'document']: string | undefined;
}>;

/** Says what is wrong with a field, as the rest of a sentence; undefined where nothing is. */
type Check = (text: string) => string | undefined;

const LONGEST_DESCRIPTION = 2000;
const LONGEST_URL = 2000;

const CHECKS = {
  name: (text) =>
    /^[A-Za-z_]\w{0,63}$/.test(text)
      ? undefined
      : 'must be 1 to 64 letters, digits and underscores, and begin with no digit',
  description: (text) =>
    text.length <= LONGEST_DESCRIPTION && /^(?:[^\p{Cc}]|[\n\r\t])*$/u.test(text)
      ? undefined
      : `must be at most ${LONGEST_DESCRIPTION} printable characters`,
  serviceUrl: (text) =>
    text.length > LONGEST_URL ? `must have at most ${LONGEST_URL} characters` : whyNotServiceUrl(text),
  fileName: (text) => (text.length <= 255 ? undefined : 'must have at most 255 characters'),
  document: (text) => (text.trim() === '' ? 'is empty: it must be the text of an OpenAPI file' : undefined),
} satisfies Readonly<Record<string, Check>>;

type FieldName = keyof typeof CHECKS;

export function readNewApi(body: JsonObject): ApiOrder {
  const url = readFetchUrl(body) || undefined;
  const isFetched = url !== undefined && (memberOf(body, 'document') ?? '') === '';
  const [required, optional] = isFetched
    ? [['name'] as const, ['fileName', 'description', 'serviceUrl'] as const]
    : [['name', 'fileName', 'document'] as const, ['description', 'serviceUrl'] as const];
  const fields = readFields(body, required, optional);
  const { name = '', fileName = '', document = '', description = '', serviceUrl } = fields;
  const said = { name, fileName, description, serviceUrl: serviceUrl && plainServiceUrl(serviceUrl) };
  return isFetched ? { ...said, document: undefined, url } : { ...said, document, url };
}

export function readReplacement(body: JsonObject): ApiReplacement {
  const { description, serviceUrl, document } = readFields(
    body,
    [],
    ['description', 'serviceUrl', 'document'],
  );
  return { description, document, serviceUrl: serviceUrl && plainServiceUrl(serviceUrl) };
}

/** A text that is only to be looked at: it may be anything. */
export function readChecked(body: JsonObject): { readonly name: string; readonly document: string } {
  const { name = 'Api' } = readFields(body, [], ['name']);
  const document = memberOf(body, 'document') ?? '';
  if (typeof document !== 'string') throw mistakes(['document must be a text.'], ['document']);
  if (Buffer.byteLength(document) > LARGEST_DOCUMENT) throw tooLarge('document');
  return { name, document };
}

/** The changes that have been shown, and are meant. */
export function readConfirmed(body: JsonObject): readonly string[] {
  const messages = memberOf(body, 'confirm') ?? [];
  if (Array.isArray(messages) && messages.every((message) => typeof message === 'string')) return messages;
  throw mistakes(['confirm must be a list of the changes that are meant.'], ['confirm']);
}

/** The number of an earlier state. */
export function readState(body: JsonObject): number {
  const state = memberOf(body, 'state');
  if (typeof state === 'number' && Number.isSafeInteger(state) && state > 0) return state;
  throw mistakes(['state must be the number of a state, from 1.'], ['state']);
}

/** Undefined leaves it to what is known of the API. */
export function readFetchUrl(body: JsonObject): string | undefined {
  const url = memberOf(body, 'url');
  if (url === undefined) return undefined;
  if (typeof url === 'string' && url.length <= LONGEST_URL) return url;
  throw mistakes([`url must be a text of at most ${LONGEST_URL} characters.`], ['url']);
}

/** Those that are there are checked, all of them, so that all mistakes are told together. */
function readFields(
  body: JsonObject,
  required: readonly FieldName[],
  optional: readonly FieldName[],
): Readonly<Partial<Record<FieldName, string>>> {
  const found: Partial<Record<FieldName, string>> = {};
  const wrong: { readonly name: string; readonly reason: string }[] = [];
  for (const name of [...required, ...optional]) {
    const value = memberOf(body, name);
    if (value === undefined || (value === '' && optional.includes(name) && name !== 'description')) {
      if (required.includes(name)) wrong.push({ name, reason: 'is missing' });
      continue;
    }
    const reason = typeof value === 'string' ? CHECKS[name](value) : 'must be a text';
    if (reason !== undefined) wrong.push({ name, reason });
    else found[name] = String(value);
  }
  if (Buffer.byteLength(found.document ?? '') > LARGEST_DOCUMENT) throw tooLarge('document');
  if (wrong.length > 0) {
    throw mistakes(
      wrong.map(({ name, reason }) => `${name} ${reason}.`),
      wrong.map(({ name }) => name),
    );
  }
  return found;
}

/** JSON's null says that there is nothing. */
function memberOf(body: JsonObject, name: string): unknown {
  return Object.hasOwn(body, name) ? (body[name] ?? undefined) : undefined;
}

function mistakes(messages: readonly string[], targets: readonly string[]): GatewayError {
  const details = messages.map(
    (message, index): ErrorDetail => ({ code: 'BadRequest', message, target: targets[index] ?? '' }),
  );
  const [first] = details;
  return new GatewayError('BadRequest', messages.join(' '), { target: first?.target ?? '', details });
}

const PERMISSIONS: readonly string[] = ['View', 'Insert', 'Update', 'Delete', 'Call'] satisfies Permission[];

/** The resources, each with all that roles may do with it from now on. */
export function readGrants(body: JsonObject): readonly WrittenGrants[] {
  const rows = memberOf(body, 'resources');
  if (Array.isArray(rows) && rows.length > 0 && rows.every(isGrants)) return rows;
  const expected = `resources must be a list of objects with a name and grants, such as {"User":["View"]}`;
  throw mistakes([`${expected}; what can be granted is ${PERMISSIONS.join(', ')}.`], ['resources']);
}

function isGrants(row: unknown): row is WrittenGrants {
  const grants = own(row, 'grants');
  return typeof own(row, 'name') === 'string' && isMapping(grants) && Object.entries(grants).every(isGrant);
}

function isGrant([role, rights]: readonly [string, unknown]): boolean {
  const isRole = /^[^\p{Cc}\s](?:[^\p{Cc}]{0,98}[^\p{Cc}\s])?$/u.test(role);
  return isRole && Array.isArray(rights) && rights.every((right) => PERMISSIONS.includes(String(right)));
}

const LARGEST_BODY = 1024 * 1024;

export function readTrialOrder(body: JsonObject): TryItRequest {
  const { method, path, headers = {}, body: sent } = body;
  if (typeof method !== 'string' || !/^[A-Za-z]{1,10}$/.test(method)) {
    throw mistakes(['method must be the name of an HTTP method.'], ['method']);
  }
  if (typeof path !== 'string') throw mistakes(['path must be a text.'], ['path']);
  if (sent !== undefined && sent !== null && typeof sent !== 'string') {
    throw mistakes(['body must be a text.'], ['body']);
  }
  if (typeof sent === 'string' && Buffer.byteLength(sent) > LARGEST_BODY) {
    throw new GatewayError('PayloadTooLarge', `The body is larger than ${LARGEST_BODY} bytes.`, {
      target: 'body',
    });
  }
  return { method, path, headers: readHeaders(headers), body: sent ?? undefined };
}

function readHeaders(headers: unknown): Readonly<Record<string, string>> {
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers);
  if (isObject && Object.values(headers).every((value) => typeof value === 'string')) return { ...headers };
  throw mistakes(['headers must be an object of texts.'], ['headers']);
}
