const BYTES = Float64Array.BYTES_PER_ELEMENT;

/** A set of the keys of a list, by their numbers: open addressing over one array, 8 to 24 bytes a key. */
export class KnownKeys {
  #slots = new Float64Array(1_024).fill(Number.NaN);
  #count = 0;

  /** Size in bytes that the set will have with so many more keys. */
  sizeWith(more: number): number {
    return BYTES * Math.max(this.#slots.length, slotsFor(this.#count + more));
  }

  /** Adds keys from an index on and returns the index of the first one that is known already; NaN is passed over. */
  add(keys: Float64Array, from: number): number | undefined {
    this.#reserve(keys.length - from);
    let repeated: number | undefined;
    for (let index = from; index < keys.length; index += 1) {
      const key = keys[index] ?? Number.NaN;
      if (Number.isNaN(key)) continue;
      if (!this.#insert(key)) repeated ??= index;
    }
    return repeated;
  }

  #reserve(more: number): void {
    const slots = slotsFor(this.#count + more);
    if (slots <= this.#slots.length) return;
    const before = this.#slots;
    this.#slots = new Float64Array(slots).fill(Number.NaN);
    this.#count = 0;
    for (const key of before) if (!Number.isNaN(key)) this.#insert(key);
  }

  #insert(key: number): boolean {
    const mask = this.#slots.length - 1;
    const [low, high] = [key | 0, Math.trunc(key / 2 ** 32) | 0];
    let slot = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
    slot = (slot ^ (slot >>> 16)) & mask;
    for (; ; slot = (slot + 1) & mask) {
      const found = this.#slots[slot] ?? Number.NaN;
      if (found === key) return false;
      if (!Number.isNaN(found)) continue;
      this.#slots[slot] = key;
      this.#count += 1;
      return true;
    }
  }
}

/** The number of slots for so many keys, a power of two: two thirds of them are in use at most. */
function slotsFor(keys: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, 1.5 * keys)));
}
