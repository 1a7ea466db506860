import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { type PageLimits, pageLimits, type RequestLimits, requestLimits } from '../core/request-limits.ts';
import { numberOf, readChoice, readNumber, type Variables } from './variables.ts';

/** The bounds an operator may want to move. Whatever is not here is a constant of the part it belongs to. */
export interface Limits {
  /** From the first byte sent upstream to the last one received. */
  readonly upstreamTimeoutMs: number;
  /** Sockets that may be open to one upstream at once. */
  readonly upstreamConnections: number;
  /** The share of streams in these, of all users and of one. */
  readonly upstreamStreams: number;
  readonly userStreams: number;
  /** Calls that may wait for one of them, and how long each may. */
  readonly upstreamQueue: number;
  readonly upstreamQueueMs: number;
  /** Requests that wait for the same GET share the next one that starts. */
  readonly upstreamSharedReads: boolean;
  /** The parameters of lists that are used for conditions and orders. */
  readonly pushDown: 'derived' | 'declared';
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
  /** Processor time for the examination of one document. */
  readonly examinationMs: number;
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
  /** Bytes that a client sends of an upload each second, at least. */
  readonly uploadRate: number;
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
  const read = (name: Parameters<typeof readNumber>[1]): number => readNumber(variables, name);
  const connections = read('UPSTREAM_CONNECTIONS');
  const streams = numberOf(variables, 'UPSTREAM_STREAMS') ?? Math.ceil(connections / 2);
  return {
    upstreamTimeoutMs: read('UPSTREAM_TIMEOUT_MS'),
    upstreamConnections: connections,
    upstreamStreams: streams,
    userStreams: numberOf(variables, 'USER_STREAMS_AT_ONCE') ?? Math.ceil(streams / 4),
    upstreamQueue: read('UPSTREAM_QUEUE'),
    upstreamQueueMs: read('UPSTREAM_QUEUE_MS'),
    upstreamSharedReads: readChoice(variables, 'UPSTREAM_SHARED_READS') === 'on',
    pushDown: readChoice(variables, 'PUSH_DOWN') === 'declared' ? 'declared' : 'derived',
    upstreamBodyBytes: read('UPSTREAM_BODY_MIB') * MIB,
    pages: pageLimits(({ variable }) => read(variable)),
    memoryBytes: read('MEMORY_MIB') * MIB,
    requestBodyBytes: read('REQUEST_BODY_KIB') * KIB,
    uploadBytes: read('UPLOAD_MIB') * MIB,
    shutdownGraceMs: read('SHUTDOWN_GRACE_MS'),
    shutdownLeaveMs: read('SHUTDOWN_LEAVE_MS'),
    examinationMs: read('EXAMINATION_MS'),
    databaseWaitMs: read('DATABASE_WAIT_MS'),
    bodiesBytes: read('BODIES_MIB') * MIB,
    answersBytes: (numberOf(variables, 'ANSWERS_MIB') ?? roomForAnswers()) * MIB,
    answersWaitMs: read('ANSWERS_WAIT_MS'),
    answerRate: read('ANSWER_RATE_KIB') * KIB,
    answerTimeoutMs: read('ANSWER_TIMEOUT_MS'),
    uploadRate: read('UPLOAD_RATE_KIB') * KIB,
    connections: read('MAX_CONNECTIONS'),
    connectionRequests: read('CONNECTION_REQUESTS'),
    requestsAtOnce: read('REQUESTS_AT_ONCE'),
    userRequestsAtOnce: read('USER_REQUESTS_AT_ONCE'),
    requests: requestLimits(({ variable }) => read(variable)),
  };
}

/** The share of the memory of the container, or of the machine where that has no limit (cgroups 1 and 2). */
const SHARE_OF_ALL = 0.25;
/** The share of what V8 lets its heap grow to. */
const SHARE_OF_HEAP = 0.6;

/** How many MiB of answers fit into memory beside all else that is there. */
function roomForAnswers(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const all = Math.min(constrained, totalmem()) * SHARE_OF_ALL;
  const heap = getHeapStatistics().heap_size_limit * SHARE_OF_HEAP;
  return Math.max(16, Math.floor(Math.min(all, heap) / MIB));
}
