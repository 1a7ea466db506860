import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { GatewayError } from '../contract/gateway-error.ts';
import { retryAfter } from '../contract/memory-allowance.ts';
import { ownerName, type Principal } from '../contract/principal.ts';
import { atClose } from './http-server.ts';
import type { AdmissionLimits } from './server-limits.ts';

/** Paths that are asked by whoever watches over the process: they are always answered. */
const ALWAYS = /^\/(?:health|metrics)(?:[/?]|$)/;

const BUSY = Buffer.from(
  JSON.stringify({
    error: {
      code: 'Overloaded',
      message: 'The gateway has too many requests in progress: try again later (REQUESTS_AT_ONCE).',
    },
  }),
);

/**
 * Lets as many requests in as can be worked on at once.
 *
 * Others are refused before anybody looks at them, with an answer that is ready: a refusal has to cost much less than
 * an answer, or it takes from those who are answered.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #bySocket = new WeakMap<object, number>();
  readonly #byUser = new Map<string, number>();
  #underWay = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Whether the request may go on; else it is answered. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const pipelined = (this.#bySocket.get(socket) ?? 0) + 1;
    this.#bySocket.set(socket, pipelined);
    // What a connection sends behind that is not looked at: it is about to be closed.
    const excess = pipelined - this.#limits.pipelinedRequests;
    if (excess > 1) return false;
    if (excess === 1 || (this.#underWay >= this.#limits.requests && !ALWAYS.test(request.url ?? ''))) {
      refuse(response);
      if (excess === 1) hangUp(socket);
      return false;
    }
    this.#underWay += 1;
    atClose(response, () => {
      this.#underWay -= 1;
      this.#bySocket.set(socket, (this.#bySocket.get(socket) ?? 1) - 1);
    });
    return true;
  }

  /** Fails with TooManyRequests where the user has no share left; the request is counted until it is answered. */
  countFor(principal: Principal, response: ServerResponse): void {
    if (principal.kind !== 'user') return;
    const user = ownerName(principal);
    const requests = this.#byUser.get(user) ?? 0;
    if (requests >= this.#limits.userRequests) throw tooMany();
    this.#byUser.set(user, requests + 1);
    atClose(response, () => {
      const left = (this.#byUser.get(user) ?? 1) - 1;
      if (left === 0) this.#byUser.delete(user);
      else this.#byUser.set(user, left);
    });
  }
}

/**
 * Closes the connection behind what has been answered. What has come with the last request is not heard of any more: there
 * may be a thousand requests in one piece, of each of very many connections, and Node makes two errors for each that it
 * has told of when the connection is closed. Its parser has these members, but no type.
 */
function hangUp(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null) {
    if ('onIncoming' in parser) parser.onIncoming = () => SKIP_BODY;
    if ('pause' in parser && typeof parser.pause === 'function') parser.pause();
  }
  socket.destroySoon();
}

/** What Node's parser is told of a request whose body is not wanted. */
const SKIP_BODY = 1;

function refuse(response: ServerResponse): void {
  response.writeHead(503, {
    'content-type': 'application/json',
    'content-length': BUSY.length,
    'cache-control': 'no-store',
    connection: 'close',
    'retry-after': retryAfter(),
  });
  response.end(BUSY);
}

function tooMany(): GatewayError {
  return new GatewayError(
    'TooManyRequests',
    'You have too many requests in progress: wait for their answers (USER_REQUESTS_AT_ONCE).',
    { headers: { 'retry-after': retryAfter() }, limit: 'USER_REQUESTS_AT_ONCE' },
  );
}

/** Requests that are begun before the event loop goes round. */
const AT_A_STRETCH = 32;

/** Begins a request, now or soon. */
export type StartRequest = (response: ServerResponse, begin: () => void) => void;

/**
 * Begins some requests before the event loop goes round and the others after it, in the order in which they came.
 *
 * Thousands that come in one turn would otherwise all be begun before the first of them is answered: what is made for them
 * lives so long that collecting it takes as much time as the answers.
 */
export function requestStarts(): StartRequest {
  const waiting: { readonly response: ServerResponse; readonly begin: () => void }[] = [];
  let begun = 0;
  const goOn = (): void => {
    begun = 0;
    for (const { response, begin } of waiting.splice(0, AT_A_STRETCH)) {
      if (response.destroyed) continue;
      begun += 1;
      begin();
    }
    if (begun > 0 || waiting.length > 0) setImmediate(goOn);
  };
  return (response, begin) => {
    if (begun === 0 && waiting.length === 0) setImmediate(goOn);
    if (begun >= AT_A_STRETCH || waiting.length > 0) waiting.push({ response, begin });
    else {
      begun += 1;
      begin();
    }
  };
}
