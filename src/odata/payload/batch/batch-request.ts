import type { WholeResponse } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { REQUEST_LIMITS } from '../../../core/request-limits.ts';
import { jsonTokens } from '../../../engine/input/duplicate-names.ts';
import { quote } from '../../../engine/input/mistakes.ts';
import {
  isRefused,
  MEDIA_TYPES,
  matchesType,
  type ODataVersion,
  parseAccept,
  parseMediaRange,
} from '../negotiation/format.ts';

/** One request of a batch in either form (Part 1, 11.7). */
export interface BatchRequest {
  /** Content-ID of the multipart form, `id` of the JSON form; undefined without one. */
  readonly id: string | undefined;
  /** In upper case. */
  readonly method: string;
  /** As written: absolute, or relative to the host, the service or a reference. */
  readonly url: string;
  /** Names are in lower case; Content-ID is removed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  /** Ids of earlier requests and change sets that must succeed before (JSON Format, 19.1). */
  readonly dependsOn: readonly string[];
  /** The expression of `if` (JSON Format, 19.1). */
  readonly condition: string | undefined;
  /** The error of this request alone (Part 1, 11.7). */
  readonly refusal?: GatewayError;
  /** The position in the batch, for messages. */
  readonly place: string;
}

/** An item of a batch; the JSON form calls change sets atomicity groups. */
export type BatchItem =
  | { readonly kind: 'request'; readonly request: BatchRequest }
  | {
      readonly kind: 'changeSet';
      readonly id: string | undefined;
      readonly requests: readonly BatchRequest[];
    };

export interface BatchAnswer {
  readonly request: BatchRequest;
  readonly response: WholeResponse;
}

export type ItemAnswer =
  | { readonly kind: 'request'; readonly answer: BatchAnswer }
  | {
      readonly kind: 'changeSet';
      readonly id: string | undefined;
      readonly answers: readonly BatchAnswer[];
      /** The response with the reason why the change set failed. */
      readonly failure: BatchAnswer | undefined;
    };

/** Rejects too many requests while they are counted, before they are stored. */
export function assertFewRequests(count: number, most: number): void {
  if (count <= most) return;
  const { variable } = REQUEST_LIMITS.batch.requests;
  throw new GatewayError('BadRequest', `Batch: expected at most ${most} requests (${variable}), found more.`);
}

/** The error for a batch that cannot be parsed; nothing of it is executed. */
export function malformedBatch(place: string, expected: string, found: string): GatewayError {
  return new GatewayError('BadRequest', `Batch, ${place}: expected ${expected}, found ${found}.`, {
    target: place,
  });
}

const METHOD = /^[A-Za-z]{1,20}$/;

/** The method in upper case, because some clients write it in lower case. */
export function readMethod(text: string, place: string): string {
  if (!METHOD.test(text)) throw malformedBatch(place, 'a method', quote(text));
  return text.toUpperCase();
}

/** The two forms of a batch: Part 1, 11.7.7, and JSON Format, 19. */
export type BatchForm = 'multipart' | 'json';

const TYPES: Readonly<Record<BatchForm, string>> = {
  multipart: 'multipart/mixed',
  json: MEDIA_TYPES.json,
};

/** The form of a batch by its Content-Type; JSON must be UTF-8. */
export function batchForm(contentType: string | undefined): BatchForm {
  const { type, parameters } = parseMediaRange(contentType ?? '');
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type === TYPES.multipart) return 'multipart';
  if (type === TYPES.json && (charset === 'utf-8' || charset === 'utf8')) return 'json';
  const message = `Content-Type: expected ${TYPES.multipart} or ${TYPES.json} in UTF-8.`;
  throw new GatewayError('UnsupportedMediaType', message, { target: 'Content-Type' });
}

/**
 * The form of the response, by `$format` or else by Accept; if both are acceptable, the form of the request.
 *
 * OData 4.0 has only the multipart form: there, Accept refers to the parts.
 */
export function negotiateBatchForm(
  format: string | undefined,
  accept: string | undefined,
  requested: BatchForm,
  version: ODataVersion,
): BatchForm {
  if (format !== undefined && /^json$/i.test(format)) return 'json';
  const wanted = format ?? accept ?? '';
  if (wanted.trim() === '') return requested;
  const ranges = parseAccept(wanted);
  const quality = (form: BatchForm): number => {
    if (isRefused(ranges, TYPES[form])) return 0;
    // The ranges are sorted by preference.
    return ranges.find((range) => matchesType(range, TYPES[form]))?.quality ?? 0;
  };
  const isMeantForParts = requested === 'multipart' && version === '4.0' && format === undefined;
  if (isMeantForParts && quality('json') > 0 && !isRefused(ranges, TYPES.multipart)) return 'multipart';
  const other = requested === 'json' ? 'multipart' : 'json';
  if (quality(other) > quality(requested)) return other;
  if (quality(requested) > 0) return requested;
  const target = format === undefined ? 'Accept' : '$format';
  const message = `${target}: the answer to a batch is available as ${TYPES.multipart} or ${TYPES.json}.`;
  throw new GatewayError('NotAcceptable', message, { target });
}

/** Names with a dollar sign that are never references (Part 1, 11.7.4). */
const SYSTEM = new Set(['$all', '$batch', '$crossjoin', '$entity', '$id', '$metadata', '$root']);

/** The request id at the start of a URL such as `$1/Items` (Part 1, 11.7.4). */
export function referencedId(url: string): string | undefined {
  const [, sign = '', id] = /^\/?(\$([^/?#]+))/.exec(url) ?? [];
  return SYSTEM.has(sign) ? undefined : id;
}

/** Replaces the reference by a target. */
export function resolveReference(url: string, target: string): string {
  return url.replace(/^\/?\$[^/?#]+/, () => target);
}

/** Members whose values are URLs of entities (JSON Format, 8.5 and 14). */
const URL_MEMBER = /@(?:odata\.)?(?:bind|id)"$/;

/** Replaces URLs of entities in JSON by the results of `resolve`; everything else is unchanged. */
export function resolveBodyReferences(json: string, resolve: (url: string) => string | undefined): string {
  if (!json.includes('"$')) return json;
  const pieces: string[] = [];
  let done = 0;
  let word = '';
  let member = '';
  for (const { text, at } of jsonTokens(json)) {
    if (text === ':') member = word;
    else if (text === '{') member = '';
    else if (text.startsWith('"')) word = text;
    if (!text.startsWith('"$') || !URL_MEMBER.test(member)) continue;
    const url = stringIn(text);
    const resolved = url === undefined ? undefined : resolve(url);
    if (resolved === undefined) continue;
    pieces.push(json.slice(done, at), JSON.stringify(resolved));
    done = at + text.length;
  }
  return pieces.join('') + json.slice(done);
}

/** The value of a JSON string; undefined if malformed, which is reported when the body is read. */
function stringIn(json: string): string | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The URLs of the service as clients know it. */
export interface ServicePlace {
  /** The public URL, without a trailing slash. */
  readonly root: string;
  /** The host that the batch was sent to, which may be an alias. */
  readonly host: string | undefined;
}

const ABSOLUTE = /^(?:https?:)?\/\/([^/?#]*)(.*)$/is;

/**
 * The target of a part, from an absolute URL or one relative to the host or to the service (Part 1,
 * 11.7.7.1). Throws for URLs of other services.
 */
export function partTarget(
  { url, place }: Pick<BatchRequest, 'url' | 'place'>,
  service: ServicePlace,
): string {
  // Some clients write references with a leading slash.
  if (url.startsWith('/$')) return url;
  const root = new URL(service.root);
  const [, authority, rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (authority === undefined) {
    return url.startsWith('/') ? below(root.pathname, url, place) : relativeTarget(root, url);
  }
  const hosts = [root.host, service.host?.toLowerCase()];
  if (!hosts.includes(authority.toLowerCase()))
    throw malformedBatch(place, 'a URL of this service', quote(url));
  return below(root.pathname, rest, place);
}

/** Some clients omit the leading slash of a path relative to the host. */
function relativeTarget({ pathname }: URL, url: string): string {
  const path = `/${url.replace(/^\.\//, '')}`;
  return isBelow(pathname, path) ? path.slice(pathname.length) : path;
}

function below(mount: string, path: string, place: string): string {
  const base = mount === '/' ? '' : mount;
  if (!isBelow(base, path)) throw malformedBatch(place, `a URL below ${quote(mount)}`, quote(path));
  return path.slice(base.length);
}

function isBelow(mount: string, path: string): boolean {
  return path.startsWith(mount) && /^(?:[/?]|$)/.test(path.slice(mount.length));
}
