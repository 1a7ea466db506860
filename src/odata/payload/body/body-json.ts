import { GatewayError } from '../../../contract/gateway-error.ts';
import { keepDigits, LONG_NUMBER } from '../../../core/exact-number.ts';
import { jsonExcess } from '../../../core/json-excess.ts';
import { describe, type InputObject, isInputObject } from '../../../engine/input/mistakes.ts';

/**
 * The body as UTF-8 text without a byte order mark. Malformed bytes are rejected unless they are forwarded.
 */
export function decodeBody(body: Uint8Array | undefined, isForwarded: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isForwarded }).decode(body);
  } catch (cause) {
    throw new GatewayError('BadRequest', 'Body: expected UTF-8, found other bytes.', { cause });
  }
}

/** The body's JSON object; numbers keep their digits. */
export function parseObject(text: string): InputObject {
  assertBounds(text);
  const value = parseJson(text);
  if (!isInputObject(value)) {
    throw new GatewayError('BadRequest', `Body: expected a JSON object, found ${describe(value)}.`);
  }
  return value;
}

/** Parses JSON in a text of the body; throws if malformed. */
export function parseNested(text: string): unknown {
  assertBounds(text);
  return parseJson(text);
}

function parseJson(text: string): unknown {
  if (text === '') throw new GatewayError('BadRequest', 'Body: expected a JSON object, found nothing.');
  try {
    return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch (cause) {
    const message = `Body: expected a JSON object, found malformed JSON at ${malformedPlace(text)}.`;
    throw new GatewayError('BadRequest', message, { cause });
  }
}

function assertBounds(text: string): void {
  const excess = jsonExcess(text);
  if (excess !== undefined) throw new GatewayError('BadRequest', `Body: expected at most ${excess}.`);
}

/** The position of a JSON syntax error: `line 2, column 14`, both from 1. */
function malformedPlace(json: string): string {
  const before = json.slice(0, firstMalformed(json)).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

// Each matches one run of one character class, or a fixed form, so it cannot backtrack.
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const CHARACTERS = /[^"\\\p{Cc}]+|[\x7f-\x9f]+/uy;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-f]{4})/iy;

/**
 * The index of the first invalid character (RFC 8259), or the length if the text ends early. The nesting has
 * been limited before.
 */
function firstMalformed(json: string): number {
  let at = 0;
  const match = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isFound = pattern.test(json);
    if (isFound) at = pattern.lastIndex;
    return isFound;
  };
  const take = (sign: string): boolean => {
    match(SPACE);
    const isFound = json[at] === sign;
    if (isFound) at += 1;
    return isFound;
  };
  const string = (): boolean => {
    if (!take('"')) return false;
    while (match(CHARACTERS) || match(ESCAPE));
    const isClosed = json[at] === '"';
    if (isClosed) at += 1;
    return isClosed;
  };
  const listed = (item: () => boolean): boolean => {
    do {
      if (!item()) return false;
    } while (take(','));
    return true;
  };
  const member = (): boolean => string() && take(':') && value();
  const value = (): boolean => {
    if (take('{')) return take('}') || (listed(member) && take('}'));
    if (take('[')) return take(']') || (listed(value) && take(']'));
    return json[at] === '"' ? string() : match(WORD) || match(NUMBER);
  };
  if (value()) match(SPACE);
  return at;
}
