import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row, Value } from '../../../contract/row.ts';
import { concatenated } from '../../../core/concatenated.ts';
import type { Work } from '../../../core/work.ts';

/** Serialized JSON; long texts are bytes already. */
export type JsonText = string | Uint8Array;

/** A JSON object, without undefined members. */
type JsonMembers = Readonly<Record<string, Value | JsonItems | object | undefined>>;

/**
 * Serializes an object like JSON.stringify. Long lists are written in parts, so that other requests can run,
 * and the work stops once the response is too long.
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
    if (isLong(value)) {
      yield* addItems(value, pieces, '[');
      pieces.add(']');
    } else pieces.add(JSON.stringify(value));
  }
  pieces.add('}');
}

/** Adds the items of a list that is not empty. `first` is what stands in front of the first of them: `[`, or a comma. */
export function* addItems(list: AnyItems, pieces: Pieces, first: string): Work<void> {
  let separator = first;
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
}

/** Makes the bytes of an answer of the portions of its rows. The first piece has rows, except in an empty list. */
export type PortionWriter = (
  portions: AsyncIterable<readonly Row[]>,
  budget: RequestBudget,
) => AsyncIterable<Uint8Array>;

/** The text of a list around and within its portions. */
interface PortionText {
  readonly head: string;
  /** The text behind the last portion. */
  readonly tail: (isEmpty: boolean) => string;
  readonly write: (rows: readonly Row[], pieces: Pieces, isFirst: boolean) => Work<void>;
}

/** The bytes of a list whose rows come in portions. */
export async function* writtenPortions(
  portions: AsyncIterable<readonly Row[]>,
  budget: RequestBudget,
  { head, tail, write }: PortionText,
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const rows of portions) {
    if (rows.length === 0) continue;
    yield await budget.run(writtenPortion(rows, isFirst));
    isFirst = false;
  }
  const end = `${isFirst ? head : ''}${tail(isFirst)}`;
  if (end !== '') yield Buffer.from(end);

  function* writtenPortion(rows: readonly Row[], isFirst: boolean): Work<Uint8Array> {
    const pieces = new Pieces(budget);
    try {
      if (isFirst) pieces.add(head);
      yield* write(rows, pieces, isFirst);
      return yield* pieces.bytes();
    } finally {
      pieces.release();
    }
  }
}

type AnyItems = Pick<JsonItems, 'parts' | 'samples' | 'length' | 'isDeep'>;

/** Estimates the bytes of the items after the first ones, from their size. */
function bytesBehind(list: AnyItems, first: number, bytes: number): number {
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

/** Number of items written at once, including nested ones. */
const AT_ONCE = 128;
/** Sample size for long lists. */
const SAMPLES = 16;

/** A long list whose items are created while it is written. */
export class JsonItems<Item extends Value = Value> {
  readonly #items: readonly Item[];
  readonly #write: (item: Item) => Value;
  /** True if items may contain such lists. */
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
   * Evenly spaced items for an estimate of the size, because items often grow towards the end. Empty for
   * short lists and for items that may be long.
   */
  samples(): readonly Value[] {
    if (this.isDeep || this.length < SAMPLES * AT_ONCE) return [];
    const distance = this.length / SAMPLES;
    return Array.from({ length: SAMPLES }, (_, index) => Math.floor((index + 0.5) * distance)).flatMap(
      (place) => this.#items.slice(place, place + 1).map((item) => this.#write(item)),
    );
  }

  /** All items, for JSON.stringify. */
  toJSON(): readonly Value[] {
    return this.#items.map((item) => this.#write(item));
  }
}

/** Minimum size of a chunk in bytes; also the characters encoded at once. */
const CHUNK = 65_536;
/** Maximum bytes per UTF-16 code unit: a surrogate pair, which is two units, takes four. */
const WIDEST = 3;
/**
 * Size in bytes beyond which a list is written in chunks, because so much memory is not reserved for an
 * estimate.
 */
const LARGEST = 33_554_432;
/** Factor by which the rest of a list may exceed the estimate without a new chunk. */
const SLACK = 1.1;

/** The written part of a response. Its bytes count for the budget until the caller takes the response. */
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

  /** Appends the items of a serialized array. */
  addItems(array: string, separator: string): number {
    this.#flush();
    const start = this.#write(array);
    this.#chunk.write(separator, start);
    this.#used -= 1;
    return this.#used - start;
  }

  /** Reserves room for the expected bytes in one chunk, within limits. */
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

  /** Returns the position of the text in the chunk. */
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
