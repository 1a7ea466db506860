import type { Work } from './work.ts';

/** Bytes that are copied at a stretch: memory that nobody has touched costs a millisecond and more for each MiB. */
const AT_ONCE = 1_048_576;

/** The chunks as one: what `Buffer.concat` gives, in stretches between which others may go first. */
export function* concatenated(chunks: readonly Uint8Array[], size: number): Work<Buffer> {
  if (size <= AT_ONCE) return Buffer.concat(chunks, size);
  const whole = Buffer.allocUnsafeSlow(size);
  let copied = 0;
  let rest = AT_ONCE;
  for (const chunk of chunks) {
    whole.set(chunk, copied);
    copied += chunk.length;
    rest -= chunk.length;
    if (rest > 0) continue;
    rest = AT_ONCE;
    yield;
  }
  return whole;
}
