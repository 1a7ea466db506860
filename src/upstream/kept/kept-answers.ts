import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';

/** An answer that may be used again. Times in milliseconds, by the clock. */
export interface KeptAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** The time at which the API made it. */
  readonly madeAt: number;
  readonly freshUntil: number;
}

/**
 * Keeps answers of the APIs whose operator allows it. Keys name the URL, the owner of the credential and the header fields
 * that were sent; an instance of the gateway may share what it keeps with others.
 */
export interface KeptAnswers {
  find(source: string, key: string): Promise<KeptAnswer | undefined>;
  /** Keeps an answer, unless the data of its source was changed since it was requested in that state. */
  keep(source: string, key: string, answer: KeptAnswer, state: number): Promise<void>;
  /** A number that is another one after each change of the source's data. */
  stateOf(source: string): Promise<number>;
  /** Drops all answers of a source: its data was changed. */
  drop(source: string): Promise<void>;
}

/** In bytes, beside the body. */
const OVERHEAD = 1_024;

/** Keeps answers in memory, within so many bytes; those that were not used for longest go first. */
export function createKeptAnswers(maxBytes: number): KeptAnswers {
  const states = new Map<string, number>();
  const current = (source: string): number => states.get(source) ?? 0;
  const keyOf = (source: string, key: string): string => `${source} ${current(source)} ${key}`;
  const answers =
    maxBytes > 0
      ? new LRUCache<string, KeptAnswer>({
          maxSize: maxBytes,
          sizeCalculation: ({ body }, key) => body.length + 2 * key.length + OVERHEAD,
        })
      : undefined;
  return {
    find: async (source, key) => answers?.get(keyOf(source, key)),
    async keep(source, key, answer, state) {
      if (state === current(source)) answers?.set(keyOf(source, key), answer);
    },
    stateOf: async (source) => current(source),
    async drop(source) {
      states.set(source, current(source) + 1);
    },
  };
}
