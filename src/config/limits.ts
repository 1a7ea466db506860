import { type PageLimits, pageLimits } from '../contract/page-limits.ts';
import { type RequestLimits, requestLimits } from '../contract/request-limits.ts';
import { roomForAnswers } from './memory-limit.ts';
import { readChoice, readWholeNumber, type Variables } from './variables.ts';

/** The bounds an operator may want to move. Whatever is not here is a constant of the part it belongs to. */
export interface Limits {
  /** From the first byte sent upstream to the last one received. */
  readonly upstreamTimeoutMs: number;
  /** Sockets that may be open to one upstream at once. */
  readonly upstreamConnections: number;
  /** Calls that may wait for one of them, and how long each may. */
  readonly upstreamQueue: number;
  readonly upstreamQueueMs: number;
  /** Requests that wait for the same GET share the next one that starts. */
  readonly upstreamSharedReads: boolean;
  /** The size of an upstream's answer after decompression. */
  readonly upstreamBodyBytes: number;
  readonly pages: PageLimits;
  /** What may be kept in memory of unchanged data; 0 keeps nothing. */
  readonly memoryBytes: number;
  readonly requestBodyBytes: number;
  /** The size of a body that is handed on as it comes: a stream is never held as a whole. */
  readonly uploadBytes: number;
  /** How long requests under way may take to finish once the process is told to stop. */
  readonly shutdownGraceMs: number;
  /** How long the port stays open after the word to stop, for balancers to see that readiness says 503. */
  readonly shutdownLeaveMs: number;
  /** How long a start waits for the accounts' database. */
  readonly databaseWaitMs: number;
  /** Of the bodies of all requests that are held at once. */
  readonly bodiesBytes: number;
  /** Of all that is received from upstreams, made of it and not yet sent; and how long a request waits for room. */
  readonly answersBytes: number;
  readonly answersWaitMs: number;
  /** Bytes that a client reads of an answer each second, at least, and how long it may take for all of it. */
  readonly answerRate: number;
  readonly answerTimeoutMs: number;
  /** Connections that clients may have open. */
  readonly connections: number;
  /** Requests of one connection, which is closed behind the last of them. */
  readonly connectionRequests: number;
  /** Requests that are worked on at once: of all clients, and of one user. */
  readonly requestsAtOnce: number;
  readonly userRequestsAtOnce: number;
  readonly requests: RequestLimits;
}

const KIB = 1024;
const MIB = 1024 * 1024;

export function readLimits(variables: Variables): Limits {
  const read = (name: string, fallback: number, least: number, most: number): number =>
    readWholeNumber(variables, name, { fallback, least, most });
  return {
    upstreamTimeoutMs: read('UPSTREAM_TIMEOUT_MS', 15_000, 1, 600_000),
    upstreamConnections: read('UPSTREAM_CONNECTIONS', 64, 1, 4096),
    upstreamQueue: read('UPSTREAM_QUEUE', 8192, 0, 1_000_000),
    upstreamQueueMs: read('UPSTREAM_QUEUE_MS', 5_000, 1, 600_000),
    upstreamSharedReads: readChoice(variables, 'UPSTREAM_SHARED_READS', ['on', 'off'], 'on') === 'on',
    upstreamBodyBytes: read('UPSTREAM_BODY_MIB', 64, 1, 1024) * MIB,
    pages: pageLimits(({ variable, fallback, least, most }) => read(variable, fallback, least, most)),
    memoryBytes: read('MEMORY_MIB', 64, 0, 16_384) * MIB,
    requestBodyBytes: read('REQUEST_BODY_KIB', 1024, 1, 102_400) * KIB,
    uploadBytes: read('UPLOAD_MIB', 1024, 1, 1_048_576) * MIB,
    shutdownGraceMs: read('SHUTDOWN_GRACE_MS', 20_000, 0, 600_000),
    shutdownLeaveMs: read('SHUTDOWN_LEAVE_MS', 5_000, 0, 600_000),
    databaseWaitMs: read('DATABASE_WAIT_MS', 60_000, 0, 600_000),
    bodiesBytes: read('BODIES_MIB', 64, 1, 16_384) * MIB,
    answersBytes: read('ANSWERS_MIB', roomForAnswers(), 1, 65_536) * MIB,
    answersWaitMs: read('ANSWERS_WAIT_MS', 5_000, 0, 600_000),
    answerRate: read('ANSWER_RATE_KIB', 16, 1, 1_048_576) * KIB,
    answerTimeoutMs: read('ANSWER_TIMEOUT_MS', 600_000, 1000, 86_400_000),
    connections: read('MAX_CONNECTIONS', 10_000, 1, 65_536),
    connectionRequests: read('CONNECTION_REQUESTS', 100_000, 1, 999_999_999),
    requestsAtOnce: read('REQUESTS_AT_ONCE', 8192, 1, 1_000_000),
    userRequestsAtOnce: read('USER_REQUESTS_AT_ONCE', 4096, 1, 1_000_000),
    requests: requestLimits(({ variable, fallback, least, most }) => read(variable, fallback, least, most)),
  };
}
