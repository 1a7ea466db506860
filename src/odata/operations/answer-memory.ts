import { LRUCache } from 'lru-cache';
import type { GatewayResponse } from '../../contract/exchange.ts';

/** What an answer weighs beside its body: its headers, its key and its place in the memory. */
const OVERHEAD_BYTES = 512;

/**
 * Written answers, kept for as long as the data they were made of has not changed.
 *
 * The upstream is asked all the same: it tells which version of the data is the present one.
 */
export interface AnswerMemory {
  /** The answer of that query in that format over that version, written now if it is not known. */
  answer(version: number | undefined, query: string, write: () => GatewayResponse): GatewayResponse;
}

/** A memory of at most so many bytes; none at all for 0. */
export function createAnswerMemory(maxBytes: number): AnswerMemory {
  if (maxBytes === 0) return { answer: (_version, _query, write) => write() };
  const answers = new LRUCache<string, GatewayResponse>({
    maxSize: maxBytes,
    sizeCalculation: (answer, key) => key.length + (answer.body?.length ?? 0) + OVERHEAD_BYTES,
  });
  return {
    answer(version, query, write) {
      if (version === undefined) return write();
      const key = `${version} ${query}`;
      const known = answers.get(key);
      if (known !== undefined) return known;
      const written = asBytes(write());
      answers.set(key, written);
      return written;
    },
  };
}

/** Bytes are sent as they are, where text would be encoded again each time. */
function asBytes(answer: GatewayResponse): GatewayResponse {
  return typeof answer.body === 'string' ? { ...answer, body: Buffer.from(answer.body) } : answer;
}
