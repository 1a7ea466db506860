import { LRUCache } from 'lru-cache';
import type { WholeResponse } from './exchange.ts';

/** What an answer weighs beside its body: its headers, its key and its place in the memory. */
const OVERHEAD_BYTES = 512;

/**
 * Written answers, kept for as long as the data they were made of has not changed.
 *
 * The upstream is asked all the same: it tells which version of the data is the present one.
 */
export interface AnswerMemory {
  /** The answer of that query over that version, written now if it is not known. */
  answer(version: AnswerVersion | undefined, query: string, write: WriteAnswer): Promise<WholeResponse>;
}

/** The version of the data, with whatever else the answer hangs on. */
type AnswerVersion = number | string;

type WriteAnswer = () => WholeResponse | Promise<WholeResponse>;

interface Remembered {
  readonly version: AnswerVersion;
  /** Undefined until the version has come twice: data that changes at every read is not worth keeping. */
  readonly answer: WholeResponse | undefined;
}

/** A memory of at most so many bytes; none at all for 0. */
export function createAnswerMemory(maxBytes: number): AnswerMemory {
  if (maxBytes === 0) return { answer: async (_version, _query, write) => write() };
  const memory = new LRUCache<string, Remembered>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, query) => query.length + (answer?.body?.length ?? 0) + OVERHEAD_BYTES,
  });
  return {
    async answer(version, query, write) {
      if (version === undefined) return write();
      const known = memory.get(query);
      if (known?.version !== version) {
        memory.set(query, { version, answer: undefined });
        return write();
      }
      if (known.answer !== undefined) return known.answer;
      const answer = asBytes(await write());
      memory.set(query, { version, answer });
      return answer;
    },
  };
}

/** In characters. A shorter text is written in one piece with its header, which costs less than to write two. */
const LONG_TEXT = 2_048;

/** Bytes are sent as they are, where text would be encoded again each time. */
function asBytes(answer: WholeResponse): WholeResponse {
  const { body } = answer;
  return typeof body === 'string' && body.length >= LONG_TEXT
    ? { ...answer, body: Buffer.from(body) }
    : answer;
}
