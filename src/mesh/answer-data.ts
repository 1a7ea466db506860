import type { IncomingHttpHeaders } from 'node:http';
import { decodeBody, isIdentity } from './content-coding.ts';
import { keepDigits, LONG_DECIMAL } from './exact-number.ts';
import type { HttpField } from './http-field.ts';
import { badResponse } from './upstream-failure.ts';

/** What an answer is held against. */
export interface Expected {
  readonly field: HttpField;
  /** The answer may have no body, or null for it. */
  readonly mayBeEmpty: boolean;
}

export async function plainBody(coding: string | undefined, body: Buffer, limit: number): Promise<Buffer> {
  return isIdentity(coding) ? body : await decodeBody(body, coding, limit);
}

/** The same data with all its digits; the data itself where it has no others. */
export function exactData(expected: Expected, body: Buffer, data: unknown): unknown {
  // Text has no other digits, and need not be JSON.
  if (typeof data === 'string') return data;
  const text = decodeText(body);
  return LONG_DECIMAL.test(text) ? checked(expected, parseJson(text, body, keepDigits)) : data;
}

/**
 * The data of a body, checked. `exact`: numbers that no double holds keep their digits.
 */
export function parseAnswer(
  expected: Expected,
  body: Buffer,
  headers: IncomingHttpHeaders,
  exact: boolean,
): unknown {
  const { field } = expected;
  const isJson = !field.isLeaf || /\bjson\b/i.test(headers['content-type'] ?? '');
  if (field.isBytes && !isJson) return checked(expected, body.toString('base64'));
  const text = decodeText(body);
  if (!isJson) return checked(expected, field.isText ? text : bareValue(text));
  if (exact && LONG_DECIMAL.test(text)) return checked(expected, parseJson(text, body, keepDigits));
  const data = parseJson(text, body);
  try {
    return checked(expected, data);
  } catch (error) {
    // Only an integer that no number holds is worth a second, slower look.
    if (!LONG_NUMBER.test(text)) throw error;
    return checked(expected, parseJson(text, body, keepLargeIntegers));
  }
}

/** A number, or true or false, that came as plain text; else the text. */
function bareValue(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    return text;
  }
}

const LONG_NUMBER = /\d{16}/;

function checked({ field, mayBeEmpty }: Expected, data: unknown): unknown {
  if (data !== null || !mayBeEmpty) field.check(data);
  return data;
}

function decodeText(body: Buffer): string {
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  return body.toString('utf8', hasByteOrderMark ? 3 : 0);
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

function parseJson(text: string, body: Buffer, reviver?: Reviver): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    throw badResponse(`the body is not JSON: ${(error as Error).name}`, body);
  }
}

function keepLargeIntegers(
  this: unknown,
  _: string,
  value: unknown,
  { source }: { source?: string } = {},
): unknown {
  const isInexact = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isInexact && source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
