import { Readable } from 'node:stream';
import type { StreamBody } from '../../../contract/exchange.ts';

/** A piece of an answer. */
export type Chunk = string | Uint8Array;

/** In bytes. A shorter answer is written at once. */
const LONG = 262_144;

/**
 * The chunks one behind the other. A long answer is put together while it is sent, and what has been sent is let go: as a
 * whole, all of its parts would be in memory twice.
 */
export function batchBody(chunks: readonly Chunk[]): Uint8Array | StreamBody {
  const length = chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0);
  if (length < LONG) return Buffer.concat(chunks.map(bytesOf), length);
  return { bytes: Readable.from(inTurn([...chunks])), length, isHeld: true };
}

function* inTurn(chunks: Chunk[]): Generator<Uint8Array> {
  for (const [place, chunk] of chunks.entries()) {
    chunks[place] = '';
    yield bytesOf(chunk);
  }
}

function bytesOf(chunk: Chunk): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
