import type { ServerResponse } from 'node:http';
import { atClose } from './at-close.ts';

export interface ReaderLimits {
  /** Bytes that a client reads each second, at least. */
  readonly answerRate: number;
  /** For the whole of an answer, in milliseconds. */
  readonly answerTimeoutMs: number;
}

/** Every client has so much time, however short the answer. */
const GRACE_MS = 10_000;

/** Breaks off where the client has not read so many bytes in time: they are held until it has. */
export function boundReading(response: ServerResponse, bytes: number, limits: ReaderLimits): void {
  const time = GRACE_MS + (bytes / limits.answerRate) * 1000;
  const timer = setTimeout(() => response.destroy(), Math.min(time, limits.answerTimeoutMs));
  atClose(response, () => clearTimeout(timer));
}
