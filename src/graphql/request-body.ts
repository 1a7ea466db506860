import { LRUCache } from 'lru-cache';
import type { GatewayRequest } from '../contract/exchange.ts';
import { GatewayError } from '../contract/gateway-error.ts';
import { duplicateNames } from '../engine/input/duplicate-names.ts';
import { isObject } from '../engine/input/input-value.ts';
import { quote } from '../engine/input/mistakes.ts';

const JSON_MEDIA = /^application\/(?:graphql\+)?json\s*(?:;|$)/i;

/** In characters. */
const MOST_TEXT = 4 * 1024 * 1024;
const MOST_BODIES = 1000;

/**
 * Reads the JSON of requests (GraphQL over HTTP, 5.1); undefined where the URL says all. A browser asks before it sends
 * JSON for a page of another origin, and would not for a form or a plain text (Fetch Standard, 2.2.2).
 *
 * Clients send the same few documents over and over: a body that is nothing but one is read once. Those with variables
 * have values in them, and are not kept.
 */
export function createBodyReader(): (request: GatewayRequest) => unknown {
  const known = new LRUCache<string, object>({
    max: MOST_BODIES,
    maxSize: MOST_TEXT,
    sizeCalculation: (_, text) => text.length + 1,
  });
  return ({ method, headers, body }) => {
    if (method !== 'POST') return undefined;
    demandJson(headers['content-type']);
    const text = decoded(body);
    const found = known.get(text);
    if (found !== undefined) return found;
    const params = parsed(text);
    if (isObject(params) && Object.keys(params).join() === 'query') known.set(text, params);
    return params;
  };
}

function demandJson(contentType = ''): void {
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

/** Yoga would answer with what was sent, and log it. */
function parsed(text: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw unreadable();
  }
  // RFC 8259, section 4: of names that come twice, nobody could say which is meant.
  const [twice] = duplicateNames(text);
  if (twice === undefined) return json;
  const message = `${twice.path}: expected each name once, found ${quote(twice.name)} twice.`;
  throw new GatewayError('BadRequest', message, { target: twice.path });
}

function unreadable(): GatewayError {
  return new GatewayError('BadRequest', 'The body must be JSON in UTF-8.');
}
