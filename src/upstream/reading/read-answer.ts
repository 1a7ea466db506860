import { isUtf8 } from 'node:buffer';
import { GatewayError } from '../../contract/gateway-error.ts';
import { ExactNumber, keepDigits, LONG_NUMBER } from '../../core/exact-number.ts';
import type { Work } from '../../core/work.ts';
import { decodeBody, isIdentity } from '../exchange/upstream-exchange.ts';
import { badResponse } from '../exchange/upstream-failure.ts';
import type { HttpField } from '../fields/http-field.ts';
import { type LazyReading, mayHaveLostDigits, type ResponseDecoder } from './value-reader.ts';

/** The body of an answer, its content coding undone. */
interface PlainAnswer {
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
  const bytes = inUtf8(body, mediaType);
  if (!isJson) return field.isText ? decodeText(bytes) : bareValue(decodeText(bytes));
  const reviverFor = (text: string) => (LONG_NUMBER.test(text) ? keepDigits : undefined);
  return yield* parsed(bytes, exact ? reviverFor : undefined);
}

/** The expected response and its decoder. */
interface Expected {
  readonly field: HttpField;
  readonly decoder: ResponseDecoder;
}

/** Decodes a response, whose data may be parsed already. */
export function* readAnswer(
  expected: Expected,
  answer: PlainAnswer,
  known?: { data: unknown },
): Work<unknown> {
  const { field, decoder } = expected;
  const data = known === undefined ? yield* parseAnswer(field, answer, decoder.exact) : known.data;
  try {
    return yield* decoded(decoder, data, answer.body.length);
  } catch (error) {
    const exact = decoder.exact ? undefined : largeIntegers(field, answer);
    if (exact === undefined) throw error;
    return yield* decoded(decoder, exact, answer.body.length);
  }
}

/** In bytes. What is smaller is kept at once: to read it again would cost more than to hold it. */
const LARGE = 256 * 1_024;

/**
 * Decodes a large response for one use, without creating all rows at once. Undefined for a response that is
 * worth caching.
 */
export function* readAnswerOnce(
  expected: Expected,
  answer: PlainAnswer,
  report: LazyReading['report'],
): Work<unknown> {
  const { field, decoder } = expected;
  if (decoder.readOnce === undefined || answer.body.length < LARGE) return undefined;
  const data = yield* parseAnswer(field, answer, decoder.exact);
  const again = () => (decoder.exact ? undefined : largeIntegers(field, answer));
  return decoder.readOnce(data, { again, report });
}

/** The data once more, with integers that no number holds; undefined where it has none. */
function largeIntegers(field: HttpField, answer: PlainAnswer): unknown {
  const { body, mediaType } = answer;
  const text = isJsonAnswer(field, mediaType) ? decodeText(inUtf8(body, mediaType)) : '';
  return LARGE_NUMBER.test(text) ? JSON.parse(text, keepLargeIntegers) : undefined;
}

function* decoded(decoder: ResponseDecoder, data: unknown, size: number): Work<unknown> {
  return size < LARGE || decoder.readInParts === undefined
    ? decoder.read(data)
    : yield* decoder.readInParts(data);
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
const LARGE_NUMBER = /\d{16}|\d[eE]\+?\d\d/;

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)/i;

/** The body in UTF-8, if its media type declares another charset that is known. */
function inUtf8(body: Buffer, mediaType = ''): Buffer {
  const [, label] = CHARSET.exec(mediaType) ?? [];
  if (label === undefined || /^utf-?8$/i.test(label) || isUtf8(body)) return body;
  try {
    return Buffer.from(new TextDecoder(label).decode(body));
  } catch {
    return body;
  }
}

function decodeText(body: Buffer): string {
  return utf8Text(body, hasByteOrderMark(body) ? 3 : 0, body.length);
}

/** Throws UpstreamBadResponse for other bytes than those of UTF-8: their text would be another one. */
function utf8Text(bytes: Buffer, begin: number, end: number): string {
  if (!isUtf8(bytes.subarray(begin, end))) throw badResponse('the body is not UTF-8', bytes);
  return bytes.toString('utf8', begin, end);
}

function hasByteOrderMark(body: Buffer): boolean {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
}

function* parsed(body: Buffer, reviverFor: ReviverFor): Work<unknown> {
  const json = hasByteOrderMark(body) ? body.subarray(3) : body;
  try {
    return yield* parseJson(json, reviverFor);
  } catch (error) {
    if (error instanceof GatewayError) throw error;
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

/** Bytes that are parsed at once: that takes a millisecond or two. */
const PART = 131_072;
/**
 * The parts that are parsed at once where they take little time: texts longer than a mebibyte are not copied into
 * V8's heap.
 */
const PARTS = 9;
/** The milliseconds that a byte takes at most where parts take little time. */
const QUICK = 2 / PART;
/** Maximum nesting of the data. */
const LEVELS = 1_000;

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

/** Says for the text of a part with what it is to be revived, as JSON.parse would. */
type ReviverFor = ((text: string) => Reviver | undefined) | undefined;

/**
 * Parses the bytes like JSON.parse, in parts, so that other requests can run.
 *
 * Only long arrays and objects are divided, at the commas between members, and several members are parsed
 * together. Throws SyntaxError.
 */
function* parseJson(bytes: Uint8Array, reviverFor: ReviverFor): Work<unknown> {
  const text = new PartedText(bytes, reviverFor);
  if (bytes.length <= 2 * PART) return text.parse(0, bytes.length);
  return yield* new PartedParser(text).parse();
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The text of parts of the bytes, each of which begins and ends at a sign of JSON's. */
class PartedText {
  readonly bytes: Buffer;
  readonly #reviverFor: ReviverFor;

  constructor(bytes: Uint8Array, reviverFor: ReviverFor) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#reviverFor = reviverFor;
  }

  parse(begin: number, end: number): unknown {
    return this.#parse(utf8Text(this.bytes, begin, end));
  }

  /** Members of an array or an object, with what stands in front of the first and behind the last. */
  parseMembers(begin: number, end: number, isArray: boolean): unknown {
    return this.#parse(this.#enclosed(begin - 1, end, isArray));
  }

  /** The member of an object up to its value, as an object where that is null. */
  parseName(begin: number, end: number): unknown {
    return JSON.parse(`{${utf8Text(this.bytes, begin, end)}null}`);
  }

  #parse(text: string): unknown {
    return JSON.parse(text, this.#reviverFor?.(text));
  }

  /** Brackets stand in the bytes while they are read: they, and a text that is joined, would take a copy more. */
  #enclosed(first: number, last: number, isArray: boolean): string {
    const { bytes } = this;
    const [before, after] = [bytes.readUInt8(first), bytes.readUInt8(last)];
    bytes[first] = isArray ? OPEN_ARRAY : OPEN_OBJECT;
    bytes[last] = isArray ? CLOSE_ARRAY : CLOSE_OBJECT;
    try {
      return utf8Text(bytes, first, last + 1);
    } finally {
      bytes[first] = before;
      bytes[last] = after;
    }
  }

  assertBlank(begin: number, end: number): void {
    if (this.bytes.toString('utf8', begin, end).trim() !== '') throw malformed();
  }
}

interface JsonObject {
  [name: string]: unknown;
}

/** An array or an object that has begun. */
interface Open {
  readonly isArray: boolean;
  readonly begin: number;
  /** The position of the unparsed rest, and of the current member. */
  from: number;
  member: number;
  /** The parsed members; undefined while the container may be short. */
  members: unknown[] | JsonObject | undefined;
  /** The member is parsed: nothing but its end may follow. */
  isParsed: boolean;
  /** The bytes between the members of a long array, as far as known. */
  separator: Uint8Array | undefined;
}

class PartedParser {
  readonly #text: PartedText;
  readonly #open: Open[] = [];
  /** True if parsing the last part took little time. */
  #isQuick = false;
  #root: { readonly value: unknown; readonly end: number } | undefined;

  constructor(text: PartedText) {
    this.#text = text;
  }

  *parse(): Work<unknown> {
    const { length } = this.#text.bytes;
    for (let place = 0; place < length; ) {
      place = this.#leap(place) ?? this.#scan(place, Math.min(length, place + PART));
      yield;
    }
    return this.#result();
  }

  /**
   * Parses a part of a long array without scanning it, and returns its end.
   *
   * The part ends at a presumed separator, which is confirmed if the part can be parsed: within a string or
   * member, the part would be invalid. Otherwise the array is scanned.
   */
  #leap(begin: number): number | undefined {
    const open = this.#open.at(-1);
    if (open?.separator === undefined || open.from !== begin) return undefined;
    const end = this.#endOfPart(open.separator, begin);
    open.separator = undefined;
    if (end <= begin || !this.#canAdd(open, end)) return undefined;
    this.#begin(open, end);
    return end + 1;
  }

  /** The position of the last separator in reach; before the start without one. */
  #endOfPart(separator: Uint8Array, begin: number): number {
    const reach = begin + PART * (this.#isQuick ? PARTS : 1);
    return begin + this.#text.bytes.subarray(begin, reach).lastIndexOf(separator);
  }

  #canAdd(open: Open, end: number): boolean {
    try {
      this.#add(open, end);
      return true;
    } catch {
      return false;
    }
  }

  /** Goes through the signs up to the end, to the end of a part that is parsed, or to that of the text that is there. */
  #scan(begin: number, end: number): number {
    const { bytes } = this.#text;
    let place = begin;
    for (; place < end; place += 1) {
      const sign = bytes[place];
      if (sign === QUOTE) place = endOfText(bytes, place);
      else if (sign === OPEN_ARRAY || sign === OPEN_OBJECT) {
        if (this.#enter(place, sign === OPEN_ARRAY)) return place + 1;
      } else if (sign === COMMA && this.#separate(place)) return place + 1;
      else if (sign === CLOSE_ARRAY || sign === CLOSE_OBJECT) this.#leave(place, sign === CLOSE_ARRAY);
    }
    return place;
  }

  #result(): unknown {
    const { bytes } = this.#text;
    if (this.#open.length > 0) throw malformed();
    // A text or a number, or short with much white space around.
    if (this.#root === undefined) return this.#text.parse(0, bytes.length);
    this.#text.assertBlank(this.#root.end, bytes.length);
    return this.#root.value;
  }

  /** Begins an array or an object, and says whether it is likely to be left in parts. */
  #enter(begin: number, isArray: boolean): boolean {
    if (this.#root !== undefined || this.#open.length >= LEVELS) throw malformed();
    if (this.#open.length === 0) this.#text.assertBlank(0, begin);
    const inside = begin + 1;
    const isList = isArray && this.#open.length <= WRAPPED && this.#text.bytes.length - begin > PART;
    const separator = isList ? separatorAt(this.#text.bytes, begin) : undefined;
    this.#open.push({
      isArray,
      begin,
      from: inside,
      member: inside,
      members: undefined,
      isParsed: false,
      separator,
    });
    return separator !== undefined;
  }

  /** Ends a member, and says whether it ends a part. */
  #separate(place: number): boolean {
    const open = this.#open.at(-1);
    if (open === undefined) throw malformed();
    if (open.isParsed) {
      this.#text.assertBlank(open.from, place);
      open.from = place + 1;
      open.isParsed = false;
    } else if (place - open.from >= PART) {
      this.#add(open, place);
      this.#begin(open, place);
      return true;
    }
    open.member = place + 1;
    return false;
  }

  /** Begins a part after the comma. */
  #begin(open: Open, comma: number): void {
    open.from = comma + 1;
    open.member = comma + 1;
    if (open.isArray) open.separator = separatorAt(this.#text.bytes, comma);
  }

  #leave(place: number, isArray: boolean): void {
    const open = this.#open.pop();
    if (open === undefined || open.isArray !== isArray) throw malformed();
    const around = this.#open.at(-1);
    if (open.members === undefined) {
      if (around === undefined)
        this.#root = { value: this.#text.parse(open.begin, place + 1), end: place + 1 };
      return;
    }
    if (open.isParsed) this.#text.assertBlank(open.from, place);
    else this.#add(open, place);
    if (around === undefined) this.#root = { value: open.members, end: place + 1 };
    else this.#attach(around, open, place + 1);
  }

  /** Parses the members from the first that is not parsed to the place, of which there must be one. */
  #add(open: Open, place: number): void {
    const started = performance.now();
    const parsed = this.#text.parseMembers(open.from, place, open.isArray);
    const added = Array.isArray(parsed) ? addItems(open, parsed) : addMembers(open, parsed as JsonObject);
    if (added === 0) throw malformed();
    this.#isQuick = performance.now() - started < (place - open.from) * QUICK;
  }

  /** Makes what is parsed the member of what is around it. */
  #attach(around: Open, { begin, members }: Open, end: number): void {
    if (around.from < around.member) this.#add(around, around.member - 1);
    put(around, this.#nameOf(around, begin), members);
    around.from = end;
    around.isParsed = true;
  }

  /** The name of the member before the value. */
  #nameOf({ isArray, member }: Open, begin: number): string {
    if (isArray) {
      this.#text.assertBlank(member, begin);
      return '';
    }
    const named = this.#text.parseName(member, begin) as object;
    const [name, other] = Object.keys(named);
    if (name === undefined || other !== undefined) throw malformed();
    return name;
  }
}

/** A list of an API stands by itself, or in an object or two. */
const WRAPPED = 2;
/** Many signs would not be found again. */
const SEPARATOR = 64;

/** A comma and what follows the sign up to the first name of an object: likely what is between all members. */
function separatorAt(bytes: Buffer, sign: number): Uint8Array {
  const following = bytes.toString('latin1', sign + 1, sign + SEPARATOR);
  const [signs] = /^\s*(?:\[\s*)*(?:\{\s*"\w*)?/.exec(following) ?? [''];
  return Buffer.from(`,${signs}`, 'latin1');
}

function endOfText(bytes: Uint8Array, begin: number): number {
  for (let place = begin + 1; place < bytes.length; place += 1) {
    const sign = bytes[place];
    if (sign === QUOTE) return place;
    if (sign === BACKSLASH) place += 1;
  }
  throw malformed();
}

function addItems(open: Open, items: unknown[]): number {
  if (open.members === undefined) open.members = items;
  else for (const item of items) put(open, '', item);
  return items.length;
}

function addMembers(open: Open, members: JsonObject): number {
  const names = Object.keys(members);
  for (const name of names) put(open, name, members[name]);
  return names.length;
}

/** Members are the object's own, whatever their names. */
function put(open: Open, name: string, value: unknown): void {
  open.members ??= open.isArray ? [] : {};
  if (Array.isArray(open.members)) open.members.push(value);
  else if (name === '__proto__') {
    const own = { value, enumerable: true, configurable: true, writable: true };
    Object.defineProperty(open.members, name, own);
  } else open.members[name] = value;
}

function malformed(): SyntaxError {
  return new SyntaxError('The text is not JSON.');
}
