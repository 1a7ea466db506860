import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../contract/gateway-error.ts';
import { type MatchedOperation, matchOperation } from './match-operation.ts';
import { plainText, type ShownText, shellWord } from './shell-text.ts';

/** What somebody wants to try. */
export interface TryItRequest {
  readonly method: string;
  /** Below the service URL, with its query, percent-encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** What the upstream client is handed. Names of headers are in lower case. */
export type TrialRequest = TryItRequest;

export interface TrialAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array;
}

/** An API as an operation of it is tried. */
export interface TrialTarget {
  readonly document: unknown;
  readonly serviceUrl: string;
  /** What the gateway adds to each call, as it may be shown. */
  readonly shownHeaders: Readonly<Record<string, ShownText>>;
  readonly shownQuery: Readonly<Record<string, ShownText>>;
  readonly send: (request: TrialRequest) => Promise<TrialAnswer>;
}

export interface TryItResult {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  };
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** `base64` where the body is no text. */
  readonly encoding: 'text' | 'base64';
  readonly truncated: boolean;
  readonly milliseconds: number;
  /** The call as a line for a shell, with the names of variables in the place of credentials. */
  readonly curl: string;
}

/** Tries one operation of an API's document, and nothing else. */
export async function runTrial(order: TryItRequest, target: TrialTarget): Promise<TryItResult> {
  const method = order.method.toUpperCase();
  const operation = matchOperation(target.document, method, order.path);
  const request = { ...order, method, headers: sentHeaders(order, operation, target) };
  const start = performance.now();
  const { status, headers, body } = await target.send(request);
  const milliseconds = Math.round(performance.now() - start);
  return {
    request: { method, path: order.path, headers: shownHeaders(request, target) },
    status,
    headers: harmlessHeaders(headers),
    ...shownBody(body),
    milliseconds,
    curl: curlLine(request, target),
  };
}

/** These are the connection's or the caller's own, or would be taken for what the gateway says. */
const NEVER_SENT =
  /^(?:authorization|connection|content-length|cookie|expect|host|keep-alive|origin|referer|te|trailer|transfer-encoding|upgrade|via|(?:x-)?forwarded.*|proxy-.*|sec-.*)$/;

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What the document has a parameter for, and what every request may say of its content. */
function sentHeaders(
  { headers, body }: TryItRequest,
  operation: MatchedOperation,
  target: TrialTarget,
): Readonly<Record<string, string>> {
  const sent: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
  if (body !== undefined) sent['content-type'] = operation.mediaType ?? 'application/json';
  for (const [written, value] of Object.entries(headers)) {
    const name = written.toLowerCase();
    const isKnown =
      name === 'accept' || (name === 'content-type' && body !== undefined) || operation.headers.has(name);
    if (!isKnown || NEVER_SENT.test(name) || Object.hasOwn(target.shownHeaders, name)) continue;
    if (!HEADER_VALUE.test(value)) {
      throw new GatewayError(
        'BadRequest',
        `The value for the header "${name}" has characters that no header can have.`,
        {
          target: 'headers',
        },
      );
    }
    sent[name] = value;
  }
  return sent;
}

function shownHeaders({ headers }: TryItRequest, target: TrialTarget): Readonly<Record<string, string>> {
  const added = Object.entries(target.shownHeaders).map(([name, value]) => [name, plainText(value)]);
  return { ...headers, ...Object.fromEntries(added) };
}

const MOST_SHOWN = 1024 * 1024;

function shownBody(bytes: Uint8Array): Pick<TryItResult, 'body' | 'encoding' | 'truncated'> {
  const truncated = bytes.length > MOST_SHOWN;
  const shown = bytes.subarray(0, MOST_SHOWN);
  try {
    // As a stream, it may end in the middle of a character.
    const body = new TextDecoder('utf-8', { fatal: true }).decode(shown, { stream: truncated });
    return { body, encoding: 'text', truncated };
  } catch {
    return { body: Buffer.from(shown).toString('base64'), encoding: 'base64', truncated };
  }
}

function curlLine({ method, path, headers, body }: TryItRequest, target: TrialTarget): string {
  const all: Readonly<Record<string, ShownText>> = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ...target.shownHeaders,
  };
  return [
    method === 'HEAD' ? 'curl --head' : `curl -X ${shellWord([method])}`,
    shellWord([target.serviceUrl, path, ...queryText(path, target.shownQuery)]),
    ...Object.entries(all).map(([name, value]) => `-H ${shellWord([`${name}: `, ...value])}`),
    ...(body === undefined ? [] : [`--data-raw ${shellWord([body])}`]),
  ].join(' ');
}

function queryText(path: string, query: TrialTarget['shownQuery']): ShownText {
  return Object.entries(query).flatMap(([name, value], index) => [
    `${index === 0 && !path.includes('?') ? '?' : '&'}${encodeURIComponent(name)}=`,
    ...value,
  ]);
}

/** Of an answer, what says something about the content; nothing that sets a cookie or asks for a credential. */
const HARMLESS: ReadonlySet<string> = new Set([
  'age',
  'allow',
  'cache-control',
  'content-disposition',
  'content-language',
  'content-length',
  'content-range',
  'content-type',
  'date',
  'deprecation',
  'etag',
  'expires',
  'last-modified',
  'link',
  'location',
  'retry-after',
  'sunset',
  'vary',
]);

/** Such as `x-total-count` and `x-ratelimit-remaining`. */
const COUNTS = /^(?:x-)?(?:ratelimit|rate-limit)(?:-|$)|^x-(?:total|page|per-page|next|prev)[\w-]*$/;

function harmlessHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value !== undefined && (HARMLESS.has(name) || COUNTS.test(name)) ? [[name, String(value)]] : [],
    ),
  );
}
