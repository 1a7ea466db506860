import type { AdmissionLimits } from './admission.ts';
import type { ReaderLimits } from './slow-reader.ts';

/** How long clients may take, and how much they may send before any part sees it. */
export interface ServerLimits extends AdmissionLimits, ReaderLimits {
  /** Until the header fields of a request are complete. */
  readonly headersTimeoutMs: number;
  /** Until its body is complete. */
  readonly requestTimeoutMs: number;
  /** Longer than that of the load balancer in front, or it sends requests into closing connections. */
  readonly keepAliveTimeoutMs: number;
  /** How long a client may neither send what is missing nor read what it is sent. */
  readonly silenceTimeoutMs: number;
  readonly timeoutCheckMs: number;
  readonly maxTargetLength: number;
  /** Of all bodies that are held at once. */
  readonly bodiesBytes: number;
  /** Further ones are closed at once. */
  readonly maxConnections: number;
  /** Requests of one connection, which is closed behind the last of them: a balancer can then share them out anew. */
  readonly connectionRequests: number;
  /** Request line and header fields. More than the longest target, so that it can be answered with 414. */
  readonly maxHeaderBytes: number;
  /** How long requests that are under way when the port is closed may take. */
  readonly graceMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  silenceTimeoutMs: 60_000,
  timeoutCheckMs: 5_000,
  maxTargetLength: 8192,
  bodiesBytes: 64 * 1024 * 1024,
  maxConnections: 10_000,
  connectionRequests: 100_000,
  answerRate: 16_384,
  answerTimeoutMs: 600_000,
  requests: 8192,
  userRequests: 4096,
  pipelinedRequests: 16,
  maxHeaderBytes: 98_304,
  graceMs: 20_000,
};
