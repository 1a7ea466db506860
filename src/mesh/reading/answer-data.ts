import { decodeBody, isIdentity } from '../upstream/content-coding.ts';
import type { HttpField } from '../upstream/http-field.ts';
import { badResponse } from '../upstream/upstream-failure.ts';
import { ExactNumber, keepDigits, LONG_DECIMAL } from './exact-number.ts';
import { mayHaveLostDigits } from './lenience.ts';
import type { LateReading, Making } from './making.ts';

/** The body of an answer, its content coding undone. */
export interface PlainAnswer {
  readonly body: Buffer;
  readonly mediaType: string | undefined;
}

export async function plainBody(coding: string | undefined, body: Buffer, limit: number): Promise<Buffer> {
  return isIdentity(coding) ? body : await decodeBody(body, coding, limit);
}

/** The data of an answer. `exact`: numbers that no double holds keep their digits. */
export function parseAnswer(field: HttpField, { body, mediaType }: PlainAnswer, exact: boolean): unknown {
  const isJson = isJsonAnswer(field, mediaType);
  if (field.isBytes && !isJson) return body.toString('base64');
  const text = decodeText(body);
  if (!isJson) return field.isText ? text : bareValue(text);
  return parseJson(text, body, exact && LONG_DECIMAL.test(text) ? keepDigits : undefined);
}

/** What an answer is held against, and what is made of it. */
interface Expected {
  readonly field: HttpField;
  /** The answer may have no body, or null for it. */
  readonly mayBeEmpty: boolean;
  readonly making: Making;
}

/** What is made of an answer, whose data may be known already. */
export function readAnswer(
  expected: Expected,
  answer: PlainAnswer,
  data: unknown = parseAnswer(expected.field, answer, expected.making.exact),
): unknown {
  const { field, making } = expected;
  try {
    return made(expected, data);
  } catch (error) {
    const exact = making.exact ? undefined : largeIntegers(field, answer);
    if (exact === undefined) throw error;
    return made(expected, exact);
  }
}

/** In bytes. What is smaller is kept at once: to read it again would cost more than to hold it. */
const LARGE = 256 * 1_024;

/**
 * What is made of an answer to be used once, where there is much of it: rows are not there all at once then.
 * Undefined for an answer that is rather read to be kept.
 */
export function readAnswerOnce(
  { field, making }: Expected,
  answer: PlainAnswer,
  report: LateReading['report'],
): unknown {
  if (making.readOnce === undefined || answer.body.length < LARGE) return undefined;
  const data = parseAnswer(field, answer, making.exact);
  return making.readOnce(data, { again: () => largeIntegers(field, answer), report });
}

/** The data once more, with integers that no number holds; undefined where it has none. */
function largeIntegers(field: HttpField, answer: PlainAnswer): unknown {
  const text = isJsonAnswer(field, answer.mediaType) ? decodeText(answer.body) : '';
  return LONG_NUMBER.test(text) ? parseJson(text, answer.body, keepLargeIntegers) : undefined;
}

function made({ field, mayBeEmpty, making }: Expected, data: unknown): unknown {
  const isEmpty = data === null && mayBeEmpty;
  if (making.checked && !isEmpty) field.check(data);
  return making.read(data);
}

function isJsonAnswer({ isLeaf }: HttpField, mediaType = ''): boolean {
  return !isLeaf || /\bjson\b/i.test(mediaType);
}

/** A number, or true or false, that came as plain text; else the text. */
function bareValue(text: string): unknown {
  try {
    return JSON.parse(text, keepDigits);
  } catch {
    return text;
  }
}

/** Many digits, or an exponent. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d\d/;

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
  if (source === undefined || !mayHaveLostDigits(value)) return value;
  return /^-?\d+$/.test(source) ? BigInt(source) : new ExactNumber(source);
}
