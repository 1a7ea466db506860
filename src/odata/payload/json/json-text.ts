import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Value } from '../../../contract/row.ts';
import { concatenated } from '../../../core/concatenated.ts';
import type { Work } from '../../../core/work.ts';

/** JSON as it is sent: what is long is in bytes already. */
export type JsonText = string | Uint8Array;

/** A JSON object; members that are undefined are left out. */
type JsonMembers = Readonly<Record<string, Value | JsonItems | object | undefined>>;

/**
 * What JSON.stringify makes of an object. Long lists in it are written part by part, so that others can go first, and
 * it is given up as soon as it is longer than an answer may be.
 */
export function* writeJson(members: JsonMembers, budget: RequestBudget): Work<JsonText> {
  const pieces = new Pieces(budget);
  try {
    if (!holdsLong(members)) return pieces.only(JSON.stringify(members));
    yield* writeMembers(members, pieces);
    return yield* pieces.bytes();
  } finally {
    pieces.release();
  }
}

function* writeMembers(members: JsonMembers, pieces: Pieces): Work<void> {
  let separator = '{';
  for (const [name, value] of Object.entries(members)) {
    if (value === undefined) continue;
    pieces.add(`${separator}${JSON.stringify(name)}:`);
    separator = ',';
    if (isLong(value)) yield* writeItems(value, pieces);
    else pieces.add(JSON.stringify(value));
  }
  pieces.add('}');
}

function* writeItems(list: JsonItems, pieces: Pieces): Work<void> {
  let separator = '[';
  for (const items of list.parts()) {
    if (list.isDeep && items.some(holdsLong)) {
      for (const item of items) {
        pieces.add(separator);
        separator = ',';
        yield* writeMembers(item as JsonMembers, pieces);
      }
    } else {
      const bytes = pieces.addItems(JSON.stringify(items), separator);
      if (separator === '[') pieces.expect(bytesBehind(list, items.length, bytes));
      separator = ',';
    }
    yield;
  }
  pieces.add(']');
}

/** What the items behind the first ones are likely to take, of which so many take so many bytes. */
function bytesBehind(list: JsonItems, first: number, bytes: number): number {
  const samples = list.samples();
  const sampled = samples.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(samples)) / samples.length;
  return Math.max(bytes / first, sampled) * (list.length - first);
}

function isLong(value: unknown): value is JsonItems {
  return value instanceof JsonItems && value.isLong;
}

function holdsLong(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.values(value).some(isLong);
}

/** The items that are written at once, with those within them. */
const AT_ONCE = 128;
/** The items that stand for all of a list that has many times as many. */
const SAMPLES = 16;

/** A list that is long is written part by part: its items are made when they are. */
export class JsonItems<Item extends Value = Value> {
  readonly #items: readonly Item[];
  readonly #write: (item: Item) => Value;
  /** Whether there may be such lists within the items. */
  readonly isDeep: boolean;

  constructor(items: readonly Item[], write: (item: Item) => Value, isDeep = false) {
    this.#items = items;
    this.#write = write;
    this.isDeep = isDeep;
  }

  get length(): number {
    return this.#items.length;
  }

  get isLong(): boolean {
    return this.length > AT_ONCE;
  }

  *parts(): Generator<readonly Value[]> {
    for (let start = 0; start < this.#items.length; start += AT_ONCE) {
      yield this.#items.slice(start, start + AT_ONCE).map((item) => this.#write(item));
    }
  }

  /**
   * Some items at even distances, to be measured: numbers and texts often grow from the first item to the last. None of
   * a short list, nor of one whose items may be long themselves.
   */
  samples(): readonly Value[] {
    if (this.isDeep || this.length < SAMPLES * AT_ONCE) return [];
    const distance = this.length / SAMPLES;
    return Array.from({ length: SAMPLES }, (_, index) => Math.floor((index + 0.5) * distance)).flatMap(
      (place) => this.#items.slice(place, place + 1).map((item) => this.#write(item)),
    );
  }

  /** All of them, for JSON.stringify. */
  toJSON(): readonly Value[] {
    return this.#items.map((item) => this.#write(item));
  }
}

/** Bytes that a chunk has at least; characters that are made bytes of together. */
const CHUNK = 65_536;
/** Bytes that a character takes at most: a surrogate pair, which is two of them, takes four. */
const WIDEST = 3;
/** Bytes beyond which a list is written in chunks: so much is not set aside by an estimate. */
const LARGEST = 33_554_432;
/** How much longer than its beginning suggests the rest of a list may be without a chunk of its own. */
const SLACK = 1.1;

/** What is written of an answer so far. Its bytes are the budget's until whoever has asked for the answer holds it. */
export class Pieces {
  readonly #budget: RequestBudget;
  readonly #full: Buffer[] = [];
  #chunk = Buffer.alloc(0);
  #used = 0;
  #text = '';
  #charged = 0;

  constructor(budget: RequestBudget) {
    this.#budget = budget;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > CHUNK) this.#flush();
  }

  addBytes(bytes: Uint8Array): void {
    this.#flush();
    if (this.#chunk.length - this.#used < bytes.length) this.#open(Math.max(bytes.length, CHUNK));
    this.#chunk.set(bytes, this.#used);
    this.#used += bytes.length;
    this.#charge(bytes.length);
  }

  /** The items of an array that is written already: its first bracket becomes the separator, its last one goes. */
  addItems(array: string, separator: string): number {
    this.#flush();
    const start = this.#write(array);
    this.#chunk.write(separator, start);
    this.#used -= 1;
    return this.#used - start;
  }

  /** Makes room for so many bytes, which are likely to follow, in one chunk with what is there, unless that is more. */
  expect(bytes: number): void {
    if (bytes > LARGEST || lengthOf(this.#full) + this.#used > bytes) return;
    const begun = [...this.#full.splice(0), this.#chunk.subarray(0, this.#used)];
    this.#chunk = Buffer.allocUnsafeSlow(lengthOf(begun) + Math.ceil(bytes * SLACK) + WIDEST * CHUNK);
    this.#used = 0;
    for (const each of begun) {
      this.#chunk.set(each, this.#used);
      this.#used += each.length;
    }
  }

  only(text: string): string {
    this.#charge(text.length);
    return text;
  }

  *bytes(): Work<Uint8Array> {
    this.#flush();
    const last = this.#chunk.subarray(0, this.#used);
    if (this.#full.length === 0) return last;
    const chunks = [...this.#full, last];
    return yield* concatenated(chunks, lengthOf(chunks));
  }

  release(): void {
    this.#budget.returnAnswer(this.#charged);
  }

  #flush(): void {
    const text = this.#text;
    if (text === '') return;
    this.#text = '';
    this.#write(text);
  }

  /** Where in the chunk it begins. */
  #write(text: string): number {
    const most = text.length * WIDEST;
    if (this.#chunk.length - this.#used < most) this.#open(Math.max(most, CHUNK));
    const start = this.#used;
    const length = this.#chunk.write(text, start);
    this.#used += length;
    this.#charge(length);
    return start;
  }

  #open(size: number): void {
    if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = Buffer.allocUnsafeSlow(size);
    this.#used = 0;
  }

  #charge(bytes: number): void {
    this.#charged += bytes;
    this.#budget.chargeAnswer(bytes);
  }
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
