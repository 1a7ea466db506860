import type { Work } from '../../contract/work.ts';

/** Bytes that are parsed at once: that takes a millisecond or two. */
const PART = 131_072;
/** More levels would be refused by whoever reads the data. */
const LEVELS = 1_000;

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

export interface ParseOptions {
  /** Says for the text of a part with what it is to be revived, as JSON.parse would. */
  readonly reviverFor?: ((text: string) => Reviver | undefined) | undefined;
  /** How many bytes are parsed at once. */
  readonly part?: number;
}

/**
 * What JSON.parse makes of the bytes, part by part, so that others can go first in between.
 *
 * Only arrays and objects longer than a part are taken apart: at the commas between their members, which are then
 * parsed some at a time. It fails with a SyntaxError for what is no JSON.
 */
export function* parseJson(bytes: Uint8Array, { reviverFor, part = PART }: ParseOptions = {}): Work<unknown> {
  const text = new PartedText(bytes, reviverFor);
  if (bytes.length <= 2 * part) return text.parse(0, bytes.length);
  return yield* new PartedParser(text, part).parse();
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
  readonly #reviverFor: ParseOptions['reviverFor'];

  constructor(bytes: Uint8Array, reviverFor: ParseOptions['reviverFor']) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#reviverFor = reviverFor;
  }

  parse(begin: number, end: number, opening = '', closing = ''): unknown {
    const text = opening + this.bytes.toString('utf8', begin, end) + closing;
    return JSON.parse(text, this.#reviverFor?.(text));
  }

  demandBlank(begin: number, end: number): void {
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
  /** Where that begins which is not parsed yet, and the member that is gone through. */
  from: number;
  member: number;
  /** What is parsed of it; undefined as long as it may be short. */
  members: unknown[] | JsonObject | undefined;
  /** The member is parsed: nothing but its end may follow. */
  isParsed: boolean;
}

class PartedParser {
  readonly #text: PartedText;
  readonly #part: number;
  readonly #open: Open[] = [];
  #root: { readonly value: unknown; readonly end: number } | undefined;

  constructor(text: PartedText, part: number) {
    this.#text = text;
    this.#part = part;
  }

  *parse(): Work<unknown> {
    const { length } = this.#text.bytes;
    for (let place = 0; place < length; ) {
      place = this.#scan(place, Math.min(length, place + this.#part));
      yield;
    }
    return this.#result();
  }

  /** Goes through the signs up to the end, or to the end of the text that is there. */
  #scan(begin: number, end: number): number {
    const { bytes } = this.#text;
    let place = begin;
    for (; place < end; place += 1) {
      const sign = bytes[place];
      if (sign === QUOTE) place = endOfText(bytes, place);
      else if (sign === OPEN_ARRAY || sign === OPEN_OBJECT) this.#enter(place, sign === OPEN_ARRAY);
      else if (sign === COMMA) this.#separate(place);
      else if (sign === CLOSE_ARRAY || sign === CLOSE_OBJECT) this.#leave(place, sign === CLOSE_ARRAY);
    }
    return place;
  }

  #result(): unknown {
    const { bytes } = this.#text;
    if (this.#open.length > 0) throw malformed();
    // A text or a number, or short with much white space around.
    if (this.#root === undefined) return this.#text.parse(0, bytes.length);
    this.#text.demandBlank(this.#root.end, bytes.length);
    return this.#root.value;
  }

  #enter(begin: number, isArray: boolean): void {
    if (this.#root !== undefined || this.#open.length >= LEVELS) throw malformed();
    if (this.#open.length === 0) this.#text.demandBlank(0, begin);
    const inside = begin + 1;
    this.#open.push({
      isArray,
      begin,
      from: inside,
      member: inside,
      members: undefined,
      isParsed: false,
    });
  }

  #separate(place: number): void {
    const open = this.#open.at(-1);
    if (open === undefined) throw malformed();
    if (open.isParsed) {
      this.#text.demandBlank(open.from, place);
      open.from = place + 1;
      open.isParsed = false;
    } else if (place - open.from >= this.#part) {
      this.#add(open, place);
      open.from = place + 1;
    }
    open.member = place + 1;
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
    if (open.isParsed) this.#text.demandBlank(open.from, place);
    else this.#add(open, place);
    if (around === undefined) this.#root = { value: open.members, end: place + 1 };
    else this.#attach(around, open, place + 1);
  }

  /** Parses the members from the first that is not parsed to the place, of which there must be one. */
  #add(open: Open, place: number): void {
    const [opening, closing] = open.isArray ? ['[', ']'] : ['{', '}'];
    const parsed = this.#text.parse(open.from, place, opening, closing);
    const added = Array.isArray(parsed) ? addItems(open, parsed) : addMembers(open, parsed as JsonObject);
    if (added === 0) throw malformed();
  }

  /** Makes what is parsed the member of what is around it. */
  #attach(around: Open, { begin, members }: Open, end: number): void {
    if (around.from < around.member) this.#add(around, around.member - 1);
    put(around, this.#nameOf(around, begin), members);
    around.from = end;
    around.isParsed = true;
  }

  /** What stands before the value of a member is its name. */
  #nameOf({ isArray, member }: Open, begin: number): string {
    if (isArray) {
      this.#text.demandBlank(member, begin);
      return '';
    }
    const named = this.#text.parse(member, begin, '{', 'null}') as object;
    const [name, other] = Object.keys(named);
    if (name === undefined || other !== undefined) throw malformed();
    return name;
  }
}

function endOfText(bytes: Uint8Array, begin: number): number {
  for (let place = begin + 1; place < bytes.length; place += 1) {
    const sign = bytes[place];
    if (sign === QUOTE) return place;
    if (sign === BACKSLASH) place += 1;
  }
  throw malformed();
}

function addItems(open: Open, items: readonly unknown[]): number {
  for (const item of items) put(open, '', item);
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
  return new SyntaxError('The text is no JSON.');
}
