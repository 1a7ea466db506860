import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import { retryAfter } from '../contract/memory-allowance.ts';
import type { Principal } from '../contract/principal.ts';
import { plainError } from './json-response.ts';
import type { AdmissionLimits, ServerLimits } from './server-limits.ts';

/** Node's HTTP server with our limits, and with answers of ours to what never becomes a request. */
export function createHttpServer(listener: RequestListener, limits: ServerLimits): Server {
  const current = new WeakMap<object, ServerResponse>();
  const asked = new WeakMap<object, number>();
  const answer: RequestListener = (request, response) => {
    const { socket } = request;
    current.set(socket, response);
    // A connection that waits for its next request would hold what is left of the last one.
    atClose(response, () => {
      if (request.complete && current.get(socket) === response) current.delete(socket);
    });
    const number = (asked.get(socket) ?? 0) + 1;
    asked.set(socket, number);
    // Node says so itself, and then leaves the closing to the client (RFC 9112, 9.6: it is the server's).
    if (number >= limits.connectionRequests) response.shouldKeepAlive = false;
    listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      // Bodies have a time limit of their own: Node knows but one for all, and uploads take as long as they take.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // A missing Host is answered by the route, in its protocol.
      requireHostHeader: false,
      // A request without a body is not made a stream that has to be read to its end.
      optimizeEmptyRequests: true,
    },
    answer,
  );
  server.maxConnections = limits.maxConnections;
  server.maxRequestsPerSocket = limits.connectionRequests;
  server.on('checkContinue', answer);
  // Others than that may be passed over (RFC 9110, 10.1.1); Node would refuse them without a word.
  server.on('checkExpectation', answer);
  // A tunnel is nothing that is served here (RFC 9110, 9.3.6).
  server.on('connect', (_, socket) => refuseTunnel(socket));
  server.on('clientError', (error, socket) => answerClientError(error, socket, current.get(socket)));
  server.setTimeout(limits.silenceTimeoutMs, (socket) => {
    if (!isWorkedOn(current.get(socket))) socket.destroy();
  });
  return server;
}

// Silence is then ours: the route has a deadline of its own.
function isWorkedOn(response: ServerResponse | undefined): boolean {
  return response !== undefined && !response.headersSent;
}

/** Starts to accept connections. Fails with Node's error; later ones, such as a lack of files, are logged. */
export function listen(server: Server, host: string, port: number, log: Log): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      server.on('error', (err) => log.error({ err }, 'the server cannot accept connections'));
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('The server has no port.'));
      else resolve(address);
    });
  });
}

interface Refusal {
  readonly status: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    code: 'BadRequest',
    message: 'The request line and the header fields are too long.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Payload Too Large',
    code: 'PayloadTooLarge',
    message: 'The chunk extensions are too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    code: 'RequestTimeout',
    message: 'The request did not arrive in time.',
  },
};

const MALFORMED: Refusal = {
  status: '400 Bad Request',
  code: 'BadRequest',
  message: 'This is not an HTTP/1.1 request.',
};

const UNKNOWN_METHOD: Refusal = {
  status: '501 Not Implemented',
  code: 'NotImplemented',
  message: 'The method of the request is not known here.',
};

/** A request line with a word in the place of the method: other bytes are no request at all. */
const REQUEST_LINE = /^[!#$%&'*+.^`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/;

function refusalOf({ code = '', rawPacket }: ClientError): Refusal {
  const isUnknown = code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(rawPacket?.toString('latin1') ?? '');
  return isUnknown ? UNKNOWN_METHOD : (REFUSALS[code] ?? MALFORMED);
}

interface ClientError extends NodeJS.ErrnoException {
  /** What could not be read, as far as it had come. */
  readonly rawPacket?: Buffer;
}

/**
 * Answers what never became a request, or stopped being one in its body, and closes the connection.
 *
 * `current` is the latest answer on the socket, if any.
 */
function answerClientError(error: ClientError, socket: Duplex, current: ServerResponse | undefined): void {
  if (error.code === 'ECONNRESET' || !socket.writable || !mayAnswer(current)) {
    socket.destroy();
    return;
  }
  socket.end(writeRefusal(refusalOf(error)), () => socket.destroy());
}

function refuseTunnel(socket: Duplex): void {
  socket.end(writeRefusal(TUNNEL), () => socket.destroy());
}

const TUNNEL: Refusal = {
  status: '405 Method Not Allowed',
  code: 'MethodNotAllowed',
  message: 'CONNECT is not supported here.',
  // RFC 9110, 10.2.1: nothing is possible with what a tunnel would lead to.
  headers: { allow: '' },
};

// An answer that has begun must not be cut in two, and a request gets no second one.
function mayAnswer(current: ServerResponse | undefined): boolean {
  if (current === undefined || !current.headersSent) return true;
  return current.writableFinished && current.req.complete;
}

function writeRefusal({ status, code, message, headers = {} }: Refusal): string {
  const answer = plainError(new GatewayError(code, message, { headers }));
  const body = String(answer.body);
  const fields = {
    ...answer.headers,
    'content-length': String(Buffer.byteLength(body)),
    // Nobody knows what it was to be a request for: a client of OData needs to find its version (Part 1, 8.1.5).
    'odata-version': '4.0',
    connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n');
}

/** Whether the request announces a body, be it an empty one (RFC 9112, 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

const TASKS: unique symbol = Symbol('duogate.atClose');

interface Closing {
  [TASKS]?: (() => void)[];
}

/**
 * Has something done when an answer is finished or its client is gone, in the order in which it was asked for.
 *
 * All of a response's tasks share one listener: nearly everything that counts a request has one, and a listener that
 * is added and removed costs more than what most of them do.
 */
export function atClose(response: ServerResponse & Closing, task: () => void): void {
  const known = response[TASKS];
  if (known !== undefined) {
    known.push(task);
    return;
  }
  const tasks = [task];
  response[TASKS] = tasks;
  response.on('close', () => {
    for (const each of tasks) each();
  });
}

/** An open connection. */
interface Connection {
  /** When it was made. */
  readonly since: number;
  /** Requests that are not answered to the last byte. */
  underWay: number;
  /** What had been read of it when the last of them had been read, and answered. */
  readBytes: number;
}

/**
 * Has the server close none but connections on which nothing is under way. Node's own word on that cannot be taken:
 * to it an answer is done when all of it has been handed over, long before the client has it.
 */
export function trackConnections(server: Server): void {
  const connections = new Map<Socket, Connection>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { since: performance.now(), underWay: 0, readBytes: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  const follow: RequestListener = (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.underWay += 1;
    atClose(response, () => {
      connection.underWay -= 1;
      connection.readBytes = socket.bytesRead;
    });
    // A body that is refused still comes after the answer.
    if (!hasBody(request)) return;
    request.once('close', () => {
      connection.readBytes = socket.bytesRead;
    });
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.prependListener(event, follow);
  server.closeIdleConnections = () => closeIdle(connections);
}

const FIRST_WORD_MS = 500;

/**
 * Closes the connections that are idle now and still are when the event loop has gone round: what has come meanwhile, or
 * while a connection was not read, may be a request.
 */
function closeIdle(connections: ReadonlyMap<Socket, Connection>): void {
  const idle = [...connections].filter(isIdle);
  const close = (): void => {
    for (const entry of idle) if (isIdle(entry)) entry[0].destroy();
  };
  // The first is called in this turn of the event loop, if that has not come to it yet.
  setImmediate(() => setImmediate(close));
}

/** A connection that has not sent a byte yet may be about to; what has begun a request has a time limit for it. */
function isIdle([socket, { since, underWay, readBytes }]: readonly [Socket, Connection]): boolean {
  if (underWay > 0 || socket.writableLength > 0 || socket.isPaused()) return false;
  return socket.bytesRead === readBytes && (readBytes > 0 || since < performance.now() - FIRST_WORD_MS);
}

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
    const { id: user } = principal;
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

/** Where so many requests wait to be begun, connections that have been answered are not read. */
const READ_AHEAD = 64;

export interface RequestStarts {
  /** Begins a request, now or soon. */
  start(response: ServerResponse, begin: () => void): void;
  /**
   * Has connections of the server left unread that have been answered while many requests wait: their next ones wait in
   * the system's memory. A server that the gateway is mounted into is not ours to do so with.
   */
  leaveUnread(server: Server): void;
}

/**
 * Begins some requests before the event loop goes round and the others after it, in the order in which they came.
 *
 * Thousands that come in one turn would otherwise all be begun before the first of them is answered, and thousands of
 * clients would have as many requests wait here: what is made for them lives so long that collecting it takes as much
 * time as the answers.
 */
export function requestStarts(): RequestStarts {
  const waiting: { readonly response: ServerResponse; readonly begin: () => void }[] = [];
  const unread: Socket[] = [];
  let begun = 0;
  let isGoingOn = false;
  const goOn = (): void => {
    begun = 0;
    isGoingOn = false;
    for (const { response, begin } of waiting.splice(0, AT_A_STRETCH)) {
      if (response.destroyed) continue;
      begun += 1;
      begin();
    }
    if (waiting.length < READ_AHEAD) for (const socket of unread.splice(0, AT_A_STRETCH)) socket.resume();
    if (begun > 0 || waiting.length > 0 || unread.length > 0) goOnSoon();
  };
  const goOnSoon = (): void => {
    if (!isGoingOn) setImmediate(goOn);
    isGoingOn = true;
  };
  const leave = (socket: Socket): void => {
    if (waiting.length < READ_AHEAD || socket.destroyed) return;
    socket.pause();
    unread.push(socket);
  };
  return {
    start(response, begin) {
      goOnSoon();
      if (begun >= AT_A_STRETCH || waiting.length > 0) waiting.push({ response, begin });
      else {
        begun += 1;
        begin();
      }
    },
    leaveUnread(server) {
      server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
        atClose(response, () => leave(socket));
      });
    },
  };
}
