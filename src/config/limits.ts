import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { type PageLimits, pageLimits, type RequestLimits, requestLimits } from '../core/request-limits.ts';
import { numberOf, readChoice, readNumber, type Variables } from './variables.ts';

/** The limits that operators can change. All others are constants of the part that they belong to. */
export interface Limits {
  /** From the first byte sent upstream to the last one received. */
  readonly upstreamTimeoutMs: number;
  /** Sockets that may be open to one upstream at once. */
  readonly upstreamConnections: number;
  /** The shares of upstream connections that streams may use: of all users and of one. */
  readonly upstreamStreams: number;
  readonly userStreams: number;
  /** Calls that may wait for a connection, and for how long. */
  readonly upstreamQueue: number;
  readonly upstreamQueueMs: number;
  /** True if concurrent requests for the same GET share one call. */
  readonly upstreamSharedReads: boolean;
  /** The list parameters used for conditions and orders: derived ones or only declared ones. */
  readonly pushDown: 'derived' | 'declared';
  /** Maximum size of an upstream's response after decompression. */
  readonly upstreamBodyBytes: number;
  readonly pages: PageLimits;
  /** Memory for responses and data of unchanged upstreams; 0 disables it. */
  readonly memoryBytes: number;
  /** Memory for answers that the operator allows to be used again. */
  readonly keptBytes: number;
  readonly requestBodyBytes: number;
  /** Maximum size of a body that is forwarded as a stream. */
  readonly uploadBytes: number;
  /** Time that running requests may take after a signal to stop. */
  readonly shutdownGraceMs: number;
  /**
   * Time that the port stays open after a signal to stop, so that load balancers see readiness report 503.
   */
  readonly shutdownLeaveMs: number;
  /** Processor time for the analysis of one document. */
  readonly examinationMs: number;
  /** Time that the start waits for the accounts' database. */
  readonly databaseWaitMs: number;
  /** Total size of request bodies in memory. */
  readonly bodiesBytes: number;
  /** Total size of received and unsent data in memory, and the time that a request waits for room. */
  readonly answersBytes: number;
  readonly answersWaitMs: number;
  /** Minimum bytes per second that a client must read of a response, and the maximum time for all of it. */
  readonly answerRate: number;
  readonly answerTimeoutMs: number;
  /** Minimum bytes per second that a client must send of an upload. */
  readonly uploadRate: number;
  readonly connections: number;
  /** Requests on one connection, which is closed after the last of them. */
  readonly connectionRequests: number;
  /** Concurrent requests: of all clients, and of one user. */
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
    keptBytes: read('KEPT_MIB') * MIB,
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

/** The share of the container's memory limit, or else of the machine's memory (cgroups 1 and 2). */
const SHARE_OF_ALL = 0.25;
/** The share of V8's heap limit. */
const SHARE_OF_HEAP = 0.6;

/** The MiB of responses that fit into memory next to everything else. */
function roomForAnswers(): number {
  const constrained = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  const all = Math.min(constrained, totalmem()) * SHARE_OF_ALL;
  const heap = getHeapStatistics().heap_size_limit * SHARE_OF_HEAP;
  return Math.max(16, Math.floor(Math.min(all, heap) / MIB));
}
