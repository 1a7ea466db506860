import { LRUCache } from 'lru-cache';
import type { PageHeaders } from '../exchange/page-headers.ts';

/** One state of the data behind a URL, as it was last read. All of it is shared: never change it. */
export interface RememberedState {
  readonly key: string;
  /** No other state of any data has the same. */
  readonly version: number;
  readonly etag: string | undefined;
  readonly coding: string | undefined;
  /** The answer's bytes, still in their content coding. */
  readonly body: Buffer;
  /** The answer's Content-Type. */
  readonly mediaType: string | undefined;
  /** What the answer's header said of the pages of a list. */
  readonly pageHeaders: PageHeaders | undefined;
}

/**
 * Remembers the last answer of each GET, to recognise data that has not changed.
 *
 * It never answers a call: the upstream is asked each time. What is made of a state (its data, the rows of a
 * query) is kept beside it, counts as its size and goes with it.
 */
export interface UpstreamMemory {
  find(key: string): RememberedState | undefined;
  /** Undefined where it is too large to be remembered. */
  remember(state: Omit<RememberedState, 'version'>): RememberedState | undefined;
  /** Gives a state another entity tag: its data is the same. */
  retag(state: RememberedState, etag: string | undefined): void;
  forget(key: string): void;
  /** What was made of the state for that purpose. */
  derived(state: RememberedState, purpose: object): unknown;
  derive(state: RememberedState, purpose: object, value: unknown, size: number): void;
}

interface Entry extends RememberedState {
  etag: string | undefined;
  readonly ownSize: number;
  size: number;
  made: Map<object, unknown>;
}

/** What an entry takes beside its bytes and its data, as measured with many small ones. */
const ENTRY_OVERHEAD = 1_280;

/** A memory of at most `limit` bytes, estimated; 0 remembers nothing. */
export function createUpstreamMemory(limit: number): UpstreamMemory {
  const entries = limit > 0 ? openEntries(limit) : undefined;
  let lastVersion = 0;

  function weigh(entry: Entry, size: number): void {
    if (entries?.peek(entry.key) !== entry) return;
    // The cache reads an entry's size only when the entry is new to it.
    entries.delete(entry.key);
    entry.size = size;
    entries.set(entry.key, entry);
  }

  return {
    find: (key) => entries?.get(key),
    remember(state) {
      const size = ENTRY_OVERHEAD + state.key.length + state.body.length;
      if (entries === undefined || size > limit) {
        entries?.delete(state.key);
        return undefined;
      }
      lastVersion += 1;
      const entry: Entry = { ...state, version: lastVersion, ownSize: size, size, made: new Map() };
      entries.set(state.key, entry);
      return entry;
    },
    retag(state, etag) {
      (state as Entry).etag = etag;
    },
    forget: (key) => void entries?.delete(key),
    derived: (state, purpose) => (state as Entry).made.get(purpose),
    derive(state, purpose, value, size) {
      const entry = state as Entry;
      if (entry.size + size > limit) {
        entry.made = new Map();
        weigh(entry, entry.ownSize);
      }
      if (entry.size + size > limit) return;
      entry.made.set(purpose, value);
      weigh(entry, entry.size + size);
    },
  };
}

function openEntries(limit: number): LRUCache<string, Entry> {
  return new LRUCache({ maxSize: limit, sizeCalculation: (entry) => entry.size });
}
