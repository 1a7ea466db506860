import { isObject, type JsonObject } from '../core/json-object.ts';
import { GatewayError } from './gateway-error.ts';

/** A JSON object of the body; an empty one where there is no body. Throws what is wrong with it. */
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
