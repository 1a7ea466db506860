import { GatewayError } from '../../../contract/gateway-error.ts';
import { describe, ExactNumber, type InputObject, isObject } from '../../../engine/input/input-value.ts';

import { malformedPlace } from './malformed-json.ts';

/** How deep arrays and objects may nest in a request's body. */
const MAX_DEPTH = 64;

/** The body as text: UTF-8, without a byte order mark. Malformed bytes are refused unless they are to be forwarded. */
export function decodeBody(body: Uint8Array | undefined, isForwarded: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isForwarded }).decode(body);
  } catch (cause) {
    throw new GatewayError('BadRequest', 'Body: expected UTF-8, found other bytes.', { cause });
  }
}

/** The body's JSON object, whose numbers keep their digits. */
export function parseObject(text: string): InputObject {
  demandDepth(text);
  const value = parseJson(text);
  if (!isObject(value)) {
    throw new GatewayError('BadRequest', `Body: expected a JSON object, found ${describe(value)}.`);
  }
  return value;
}

/** JSON that stands in a text of the body; throws for what is none. */
export function parseNested(text: string): unknown {
  demandDepth(text);
  return parseJson(text);
}

/** So many digits, or more, may not fit into a double. */
const LONG_NUMBER = /\d[\d.]{15}/;

function parseJson(text: string): unknown {
  if (text === '') throw new GatewayError('BadRequest', 'Body: expected a JSON object, found nothing.');
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch (cause) {
    const message = `Body: expected a JSON object, found malformed JSON at ${malformedPlace(text)}.`;
    throw new GatewayError('BadRequest', message, { cause });
  }
}

function keepDigits(this: unknown, _: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value !== 'number' || source === undefined || !Number.isFinite(value)) return value;
  return source.length < 16 || String(value) === source ? value : new ExactNumber(source);
}

/** Counted before parsing, so that nothing deep is ever built. */
function demandDepth(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === '\\') index++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > MAX_DEPTH) {
      throw new GatewayError('BadRequest', `Body: expected at most ${MAX_DEPTH} levels of nesting.`);
    }
  }
}
