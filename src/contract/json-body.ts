import { isObject, type JsonObject } from '../core/json-object.ts';
import { GatewayError } from './gateway-error.ts';

/** Parses a JSON object; returns an empty one without a body. Throws BadRequest. */
export function parseJsonObject(contentType: string | undefined, body: Uint8Array): JsonObject {
  if (body.length === 0) return {};
  if (!/^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(contentType ?? '')) {
    throw new GatewayError('UnsupportedMediaType', 'The body must be application/json in UTF-8.');
  }
  const value = parse(body);
  if (isObject(value)) return { ...value };
  throw new GatewayError('BadRequest', 'The body must be a JSON object.');
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new GatewayError('BadRequest', 'The body must be a JSON object in UTF-8.');
  }
}
