import { setFlagsFromString } from 'node:v8';

/** Limits of time and size that apply before a route is called. */
export interface ServerLimits extends AdmissionLimits, ReaderLimits {
  /** For the complete header fields of a request. */
  readonly headersTimeoutMs: number;
  /** For its complete body. */
  readonly requestTimeoutMs: number;
  /**
   * Longer than that of the load balancer in front, which would otherwise send requests into closing
   * connections.
   */
  readonly keepAliveTimeoutMs: number;
  /** Longest silence of a client that should send or read data. */
  readonly silenceTimeoutMs: number;
  readonly timeoutCheckMs: number;
  readonly maxTargetLength: number;
  /** For all request bodies in memory. */
  readonly bodiesBytes: number;
  /** Further connections are closed at once. */
  readonly maxConnections: number;
  /** Requests per connection, which is then closed so that a load balancer can redistribute. */
  readonly connectionRequests: number;
  /** Request line and header fields. Larger than the longest target, so that the response can be 414. */
  readonly maxHeaderBytes: number;
  /** Time for running requests after the port is closed. */
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
  uploadRate: 16_384,
  paceGraceMs: 10_000,
  answerTimeoutMs: 600_000,
  requests: 8192,
  userRequests: 4096,
  pipelinedRequests: 16,
  maxHeaderBytes: 98_304,
  graceMs: 20_000,
};

/** The minimum speed of a client in bytes per second, while the gateway waits for it. */
export interface PaceLimits {
  /** For uploads. */
  readonly uploadRate: number;
  /** Milliseconds for which a client may be slower. */
  readonly paceGraceMs: number;
}

export interface ReaderLimits extends PaceLimits {
  /** Minimum bytes per second that a client must read. */
  readonly answerRate: number;
  /** For a whole response, in milliseconds. */
  readonly answerTimeoutMs: number;
}

/**
 * The release line that the scripts and the image use: other versions of V8 would warn about an unknown flag.
 */
const RELEASE_LINE = 'v24.';

/**
 * Makes V8 count external memory of bodies in proportion to the heap. Takes effect at once.
 *
 * By default, V8 collects the whole heap after every 64 MB of external memory: with the mesh in the heap,
 * that takes longer than the work for the responses. Freeing later costs memory, but never beyond the heap
 * limit (--max-old-space-size).
 */
export function countBodiesWithHeap(): void {
  if (process.version.startsWith(RELEASE_LINE)) {
    setFlagsFromString('--external-memory-accounted-in-global-limit');
  }
}

export interface AdmissionLimits {
  /** Concurrent requests of all clients. */
  readonly requests: number;
  /** Concurrent requests of one user. */
  readonly userRequests: number;
  /** Requests that a connection may send ahead of their responses. */
  readonly pipelinedRequests: number;
}
