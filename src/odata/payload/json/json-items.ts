import type { Value } from '../../../contract/row.ts';

/** So many items, and those within them, are written at once. */
const AT_ONCE = 128;

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

  /** All of them, for JSON.stringify. */
  toJSON(): readonly Value[] {
    return this.#items.map((item) => this.#write(item));
  }
}
