import { atOnce, type Work } from '../../contract/work.ts';
import { ExactNumber, keepDigits, LONG_DECIMAL } from '../exchange/exact-number.ts';
import { decodeBody, isIdentity } from '../exchange/upstream-exchange.ts';
import { badResponse } from '../exchange/upstream-failure.ts';
import type { HttpField } from '../fields/http-field.ts';
import { parseJson } from './parse-json.ts';
import type { LazyReading, ResponseDecoder } from './response-decoder.ts';
import { mayHaveLostDigits } from './value-reader.ts';

/** The body of an answer, its content coding undone. */
export interface PlainAnswer {
  readonly body: Buffer;
  readonly mediaType: string | undefined;
}

export async function plainBody(coding: string | undefined, body: Buffer, limit: number): Promise<Buffer> {
  return isIdentity(coding) ? body : await decodeBody(body, coding, limit);
}

/** The data of an answer. `exact`: numbers that no double holds keep their digits. */
export function* parseAnswer(
  field: HttpField,
  { body, mediaType }: PlainAnswer,
  exact: boolean,
): Work<unknown> {
  const isJson = isJsonAnswer(field, mediaType);
  if (field.isBytes && !isJson) return body.toString('base64');
  if (!isJson) return field.isText ? decodeText(body) : bareValue(decodeText(body));
  const reviverFor = (text: string) => (LONG_DECIMAL.test(text) ? keepDigits : undefined);
  return yield* parsed(body, exact ? reviverFor : undefined);
}

/** What an answer is held against, and what is made of it. */
interface Expected {
  readonly field: HttpField;
  /** The answer may have no body, or null for it. */
  readonly mayBeEmpty: boolean;
  readonly making: ResponseDecoder;
}

/** What is made of an answer, whose data may be known already. */
export function* readAnswer(
  expected: Expected,
  answer: PlainAnswer,
  known?: { data: unknown },
): Work<unknown> {
  const { field, making } = expected;
  const data = known === undefined ? yield* parseAnswer(field, answer, making.exact) : known.data;
  try {
    return yield* made(expected, data, answer.body.length);
  } catch (error) {
    const exact = making.exact ? undefined : largeIntegers(field, answer);
    if (exact === undefined) throw error;
    return yield* made(expected, exact, answer.body.length);
  }
}

/** In bytes. What is smaller is kept at once: to read it again would cost more than to hold it. */
const LARGE = 256 * 1_024;

/**
 * What is made of an answer to be used once, where there is much of it: rows are not there all at once then.
 * Undefined for an answer that is rather read to be kept.
 */
export function* readAnswerOnce(
  expected: Expected,
  answer: PlainAnswer,
  report: LazyReading['report'],
): Work<unknown> {
  const { field, making } = expected;
  if (making.readOnce === undefined || answer.body.length < LARGE) return undefined;
  const data = yield* parseAnswer(field, answer, making.exact);
  yield* check(expected, data);
  const again = () => (making.exact ? undefined : largeIntegers(field, answer));
  return making.readOnce(data, { again, report });
}

/** The data once more, with integers that no number holds; undefined where it has none. */
function largeIntegers(field: HttpField, answer: PlainAnswer): unknown {
  const text = isJsonAnswer(field, answer.mediaType) ? decodeText(answer.body) : '';
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepLargeIntegers) : undefined;
}

function* made(expected: Expected, data: unknown, size: number): Work<unknown> {
  const { making } = expected;
  yield* check(expected, data);
  return size < LARGE || making.readInParts === undefined
    ? making.read(data)
    : yield* making.readInParts(data);
}

function check({ field, mayBeEmpty, making }: Expected, data: unknown): Work<void> {
  const isEmpty = data === null && mayBeEmpty;
  return making.checked && !isEmpty ? field.check(data) : atOnce(() => undefined);
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
  return body.toString('utf8', hasByteOrderMark(body) ? 3 : 0);
}

function hasByteOrderMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

function* parsed(body: Buffer, reviverFor?: (text: string) => Reviver | undefined): Work<unknown> {
  const json = hasByteOrderMark(body) ? body.subarray(3) : body;
  try {
    return yield* parseJson(json, { reviverFor });
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
