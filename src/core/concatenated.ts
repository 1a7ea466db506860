import type { Work } from './work.ts';

/** Bytes copied between two yields: writing to fresh memory takes a millisecond and more per MiB. */
const AT_ONCE = 1_048_576;

/** Concatenates chunks like `Buffer.concat`, in stretches. */
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
