import { LRUCache } from 'lru-cache';
import type { GatewayRequest } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { keepDigits, LONG_NUMBER } from '../core/exact-number.ts';
import { jsonExcess } from '../core/json-excess.ts';
import { duplicateNames } from '../engine/input/duplicate-names.ts';
import { isInputObject, quote } from '../engine/input/mistakes.ts';
import { DOCUMENT_ID } from './plugins/persisted-documents.ts';

/** Maximum size of the cache in characters. */
const MOST_TEXT = 4 * 1024 * 1024;
const MOST_REQUESTS = 1000;

/**
 * Parses the parameters of requests (GraphQL over HTTP, 5.1): of a POST from its JSON body, of a GET from its
 * URL; undefined if the executor has to report a mistake in the URL.
 *
 * Only JSON is accepted, because browsers send it across origins only after a preflight, unlike forms and
 * plain text (Fetch Standard, 2.2.2).
 *
 * Clients repeat the same few documents, so requests with a document only are parsed once and cached.
 * Requests with variables are not.
 */
export function createParamsReader(): (request: GatewayRequest) => unknown {
  const inUrl = remembering(paramsInUrl);
  const inBody = remembering(parsed);
  return ({ method, target, headers, body }) => {
    if (method === 'GET') return inUrl(target);
    if (method !== 'POST') return undefined;
    assertJson(headers['content-type']);
    return inBody(decoded(body));
  };
}

function remembering(read: (text: string) => unknown): (text: string) => unknown {
  const known = new LRUCache<string, object>({
    max: MOST_REQUESTS,
    maxSize: MOST_TEXT,
    sizeCalculation: (_, text) => text.length + 1,
  });
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const params = read(text);
    if (isInputObject(params) && hasNoVariables(params)) known.set(text, params);
    return params;
  };
}

function hasNoVariables({ variables = {} }: Readonly<Record<string, unknown>>): boolean {
  return variables === null || (isInputObject(variables) && Object.keys(variables).length === 0);
}

const TEXT_PARAMS: ReadonlySet<string> = new Set(['query', 'operationName', DOCUMENT_ID]);
const JSON_PARAMS: ReadonlySet<string> = new Set(['variables', 'extensions']);

/** The parameters of a URL with known parameters only, each once. */
function paramsInUrl(target: string): unknown {
  const start = target.indexOf('?');
  if (start < 0) return undefined;
  const params: Record<string, unknown> = {};
  let isKnown = true;
  for (const [name, text] of new URLSearchParams(target.slice(start))) {
    const isJson = JSON_PARAMS.has(name);
    isKnown &&= !(name in params) && (isJson || TEXT_PARAMS.has(name));
    const value = isJson && text !== '' ? jsonOf(name, text) : text;
    params[name] = text === '' ? undefined : value;
  }
  return isKnown ? params : undefined;
}

function jsonOf(name: string, text: string): unknown {
  try {
    return exactJson(text);
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError('BadRequest', `${name}: expected JSON, found another text.`, { target: name });
  }
}

/** JSON with exact numbers. */
function exactJson(text: string): unknown {
  const excess = jsonExcess(text);
  if (excess !== undefined) {
    throw new GatewayError('BadRequest', `Expected at most ${excess} in JSON.`);
  }
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

const JSON_MEDIA = /^application\/(?:graphql\+)?json\s*(?:;|$)/i;

function assertJson(contentType = ''): void {
  if (JSON_MEDIA.test(contentType)) return;
  throw new GatewayError(
    'UnsupportedMediaType',
    'The body must be JSON, with the Content-Type application/json.',
    { target: 'Content-Type' },
  );
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true });

function decoded(body: Uint8Array | undefined): string {
  try {
    return UTF_8.decode(body);
  } catch {
    throw unreadable();
  }
}

function parsed(text: string): unknown {
  let json: unknown;
  try {
    json = exactJson(text);
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : unreadable();
  }
  // RFC 8259, section 4: rejects duplicate names.
  const [twice] = duplicateNames(text);
  if (twice === undefined) return json;
  const message = `${twice.path}: expected each name once, found ${quote(twice.name)} twice.`;
  throw new GatewayError('BadRequest', message, { target: twice.path });
}

function unreadable(): GatewayError {
  return new GatewayError('BadRequest', 'The body must be JSON in UTF-8.');
}
