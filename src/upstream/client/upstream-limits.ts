import type { MemoryAllowance } from '../../contract/memory-allowance.ts';

/** The settings of connections. Times in milliseconds. */
export interface ConnectionSettings {
  readonly idleMs: number;
  /** Older ones are replaced, and the upstream's name is looked up again. */
  readonly ageMs: number;
  /** HTTP/2 is offered where there is TLS. */
  readonly http2: boolean;
  readonly proxy?: { readonly http: string; readonly https: string; readonly none: string } | undefined;
}

/** The limits of upstream calls. Times in milliseconds, sizes in bytes. */
export interface UpstreamLimits {
  readonly connectTimeout: number;
  /** From the request's last byte to the answer's headers. */
  readonly headersTimeout: number;
  /** Between two pieces of the body. */
  readonly idleBodyTimeout: number;
  /** For the whole of it: the wait for a connection, a repeated call and the body. */
  readonly deadline: number;
  /** Of a body, before and after its content coding is undone. */
  readonly bodySize: number;
  /** The limit for received data; not counted if undefined. */
  readonly memory?: MemoryAllowance | undefined;
  readonly connecting: ConnectionSettings;
  /** Connections, each with one call at a time. */
  readonly connections: number;
  /** The share of streams in these, of all users and of one. */
  readonly streams: number;
  readonly userStreams: number;
  /** Calls that may wait for a connection. */
  readonly queueLength: number;
  readonly queueTimeout: number;
  /** Requests that wait for the same GET share the next one that starts. */
  readonly sharedReads: boolean;
  /** Time that a shared GET waits for the running one. */
  readonly sharedWait: number;
  /** A GET is repeated at most once, after a pause between these two. */
  readonly retryPauseMin: number;
  readonly retryPauseMax: number;
  /** Repeated calls per call. */
  readonly retryBudget: number;
  /** Number of failures within the window that open the circuit breaker. */
  readonly breakerFailures: number;
  readonly breakerWindow: number;
  /** Time that the open circuit breaker rejects calls. */
  readonly breakerPause: number;
}

const MEBIBYTE = 1024 * 1024;

export const DEFAULT_UPSTREAM_LIMITS: UpstreamLimits = {
  connectTimeout: 2_000,
  headersTimeout: 10_000,
  idleBodyTimeout: 5_000,
  deadline: 15_000,
  bodySize: 64 * MEBIBYTE,
  connecting: { idleMs: 4_000, ageMs: 300_000, http2: false },
  connections: 64,
  streams: 32,
  userStreams: 8,
  queueLength: 8192,
  queueTimeout: 5_000,
  sharedReads: true,
  sharedWait: 20,
  retryPauseMin: 50,
  retryPauseMax: 150,
  retryBudget: 0.1,
  breakerFailures: 20,
  breakerWindow: 10_000,
  breakerPause: 10_000,
};
