import { setFlagsFromString } from 'node:v8';

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
  uploadRate: 16_384,
  paceGraceMs: 10_000,
  answerTimeoutMs: 600_000,
  requests: 8192,
  userRequests: 4096,
  pipelinedRequests: 16,
  maxHeaderBytes: 98_304,
  graceMs: 20_000,
};

/** The least speed of a client, in bytes a second, while the gateway waits for it. */
export interface PaceLimits {
  /** At which it sends an upload. */
  readonly uploadRate: number;
  /** For how long it may be slower, in milliseconds. */
  readonly paceGraceMs: number;
}

export interface ReaderLimits extends PaceLimits {
  /** Bytes that a client reads each second, at least. */
  readonly answerRate: number;
  /** For the whole of an answer, in milliseconds. */
  readonly answerTimeoutMs: number;
}

/** The release line that the scripts and the image run on: V8 reports a flag that it does not know at every start. */
const RELEASE_LINE = 'v24.';

/**
 * Lets bodies take memory as the heap does, in proportion to what is alive. Takes effect at once.
 *
 * V8 would else collect all of the heap whenever 64 MB of bodies have come: a heap that holds the mesh is then
 * marked after every eighth answer of some MB, which takes longer than the work on them. What is freed later
 * costs memory, yet not beyond the limit of the heap (--max-old-space-size).
 */
export function countBodiesWithHeap(): void {
  if (process.version.startsWith(RELEASE_LINE)) {
    setFlagsFromString('--external-memory-accounted-in-global-limit');
  }
}

export interface AdmissionLimits {
  /** Requests of all clients that are worked on at once. */
  readonly requests: number;
  /** How many of these may be one user's. */
  readonly userRequests: number;
  /** Requests that one connection sends before it has been given the answers to those before. */
  readonly pipelinedRequests: number;
}
