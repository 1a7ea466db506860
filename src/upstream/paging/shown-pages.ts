import { LRUCache } from 'lru-cache';
import { entryLimit } from '../../core/entry-limit.ts';
import { isUsualCap } from './strategies/size-only.ts';

/**
 * Facts that an API has shown about the pages of one operation, to calls with one credential. They save the call that
 * would see whether a short first page is the whole list.
 */
export class ShownPages {
  /** Number of the first page. */
  first: 0 | 1 | undefined;
  /** Pages within lists have fewer items than others, so a short page says nothing. */
  hasGaps = false;
  /** Rows have the same key although they differ. */
  hasEqualKeys = false;
  /** Number of a key that came twice in a list whose rows had been passed on: the next read compares its rows. */
  repeatedKey: number | undefined;
  /** Items on the longest first page that was seen to be the only one. */
  #whole = 0;

  /** Takes note that a first page with that number of items has nothing behind it. */
  addWhole(length: number): void {
    this.#whole = Math.max(this.#whole, length);
  }

  /** Whether a first page with that number of items is the whole list: pages can be longer, or no server caps them there. */
  isWhole(length: number): boolean {
    if (this.hasGaps || length > this.#whole) return false;
    return length < this.#whole || !isUsualCap(length);
  }
}

/** Maximum number of operations, per credential, that are remembered. */
const MOST = 2_000;
/** An API may change its pages without notice. */
const KEPT_MS = 600_000;

export class ShownPagesMemory {
  readonly #kept = new LRUCache<string, ShownPages>({ ...entryLimit(MOST), ttl: KEPT_MS });

  /** The facts about an operation for the owner of a credential. */
  of(operation: string, owner: string): ShownPages {
    const key = JSON.stringify([operation, owner]);
    const known = this.#kept.get(key) ?? new ShownPages();
    if (!this.#kept.has(key)) this.#kept.set(key, known);
    return known;
  }
}
