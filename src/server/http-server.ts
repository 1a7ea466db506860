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

/** Node's HTTP server with the gateway's limits, and the gateway's responses to malformed requests. */
export function createHttpServer(listener: RequestListener, limits: ServerLimits): Server {
  const current = new WeakMap<object, ServerResponse>();
  const requestNumbers = new WeakMap<object, number>();
  const answer: RequestListener = (request, response) => {
    const { socket } = request;
    current.set(socket, response);
    // An idle connection would keep the objects of its last request alive.
    atClose(response, () => {
      if (request.complete && current.get(socket) === response) current.delete(socket);
    });
    const number = (requestNumbers.get(socket) ?? 0) + 1;
    requestNumbers.set(socket, number);
    // Node would only announce the close and leave it to the client; RFC 9112, 9.6 asks the server to close.
    if (number >= limits.connectionRequests) response.shouldKeepAlive = false;
    listener(request, response);
  };
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      // Bodies have separate limits, because Node has only one for all and uploads may take long.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: limits.timeoutCheckMs,
      maxHeaderSize: limits.maxHeaderBytes,
      // The route reports a missing Host, in its protocol.
      requireHostHeader: false,
      // Avoids a stream that has to be read to its end for requests without a body.
      optimizeEmptyRequests: true,
    },
    answer,
  );
  server.maxConnections = limits.maxConnections;
  server.maxRequestsPerSocket = limits.connectionRequests;
  server.on('checkContinue', answer);
  // Unknown expectations may be ignored (RFC 9110, 10.1.1); Node would reject them without a body.
  server.on('checkExpectation', answer);
  // Tunnels are not supported (RFC 9110, 9.3.6).
  server.on('connect', (_, socket) => refuseTunnel(socket));
  server.on('clientError', (error, socket) => answerClientError(error, socket, current.get(socket)));
  server.setTimeout(limits.silenceTimeoutMs, (socket) => {
    if (!isWorkedOn(current.get(socket))) socket.destroy();
  });
  return server;
}

// While a request is being handled, the route's own deadline applies.
function isWorkedOn(response: ServerResponse | undefined): boolean {
  return response !== undefined && !response.headersSent;
}

/**
 * Starts to accept connections. Throws Node's error; later errors, such as a lack of file descriptors, are
 * logged.
 */
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

/** A request line with any method; other bytes are not an HTTP request. */
const REQUEST_LINE = /^[!#$%&'*+.^`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/;

function refusalOf({ code = '', rawPacket }: ClientError): Refusal {
  const isUnknown = code === 'HPE_INVALID_METHOD' && REQUEST_LINE.test(rawPacket?.toString('latin1') ?? '');
  return isUnknown ? UNKNOWN_METHOD : (REFUSALS[code] ?? MALFORMED);
}

interface ClientError extends NodeJS.ErrnoException {
  /** The unparsed bytes of the request. */
  readonly rawPacket?: Buffer;
}

/**
 * Responds to requests that could not be parsed or broke off in their body, and closes the connection.
 *
 * `current` is the latest response on the socket, if any.
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
  // RFC 9110, 10.2.1: no method is allowed for the target of a tunnel.
  headers: { allow: '' },
};

// Whether a response may be written: none has begun, and the request has not been answered.
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
    // The target is unknown, and a client of OData needs the version (Part 1, 8.1.5).
    'odata-version': '4.0',
    connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status}`, ...lines, '', body].join('\r\n');
}

/** Whether the request has a body, even an empty one (RFC 9112, 6). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

const TASKS: unique symbol = Symbol('duogate.atClose');

interface Closing {
  [TASKS]?: (() => void)[];
}

/**
 * Runs a task when a response is finished or its client has disconnected, in the order of registration.
 *
 * All tasks of a response share one listener, because adding and removing listeners costs more than most
 * tasks.
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

interface Connection {
  readonly since: number;
  /** Requests whose response is not sent completely. */
  underWay: number;
  /** The number of bytes read when the last request was finished. */
  readBytes: number;
}

/**
 * Makes the server close only idle connections. Node considers a response finished once it is handed to the
 * socket, long before the client has received it.
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
    // The body of a rejected request still arrives after the response.
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
 * Closes the connections that are idle now and still idle after a turn of the event loop: data that arrived
 * meanwhile may be a request.
 */
function closeIdle(connections: ReadonlyMap<Socket, Connection>): void {
  const idle = [...connections].filter(isIdle);
  const close = (): void => {
    for (const entry of idle) if (isIdle(entry)) entry[0].destroy();
  };
  // Twice, because the first callback may run in the current turn.
  setImmediate(() => setImmediate(close));
}

/** A new connection may be about to send its first byte; a started request has a time limit. */
function isIdle([socket, { since, underWay, readBytes }]: readonly [Socket, Connection]): boolean {
  if (underWay > 0 || socket.writableLength > 0 || socket.isPaused()) return false;
  return socket.bytesRead === readBytes && (readBytes > 0 || since < performance.now() - FIRST_WORD_MS);
}

/** Paths for monitoring, which are always served. */
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
 * Limits the number of concurrent requests.
 *
 * Others are rejected at once with a prepared response: a rejection must cost much less than a response, or
 * it would slow down the accepted requests.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #bySocket = new WeakMap<object, number>();
  readonly #byUser = new Map<string, number>();
  #underWay = 0;

  constructor(limits: AdmissionLimits) {
    this.#limits = limits;
  }

  /** Returns whether the request is admitted; sends the rejection otherwise. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket } = request;
    const pipelined = (this.#bySocket.get(socket) ?? 0) + 1;
    this.#bySocket.set(socket, pipelined);
    // The connection is about to be closed, so further requests on it are ignored.
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

  /**
   * Throws TooManyRequests if the user has too many concurrent requests; counts the request until its
   * response is finished.
   */
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
 * Closes the connection after the current response and ignores pipelined requests. There may be thousands,
 * and Node creates two errors for each when the connection is closed. The parser has these members, but no
 * type.
 */
function hangUp(socket: Socket): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser === 'object' && parser !== null) {
    if ('onIncoming' in parser) parser.onIncoming = () => SKIP_BODY;
    if ('pause' in parser && typeof parser.pause === 'function') parser.pause();
  }
  socket.destroySoon();
}

/** The parser's constant for a request without a body. */
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

/** Requests that are started per turn of the event loop. */
const AT_A_STRETCH = 32;

/** With this many waiting requests, further ones are not read from connections. */
const READ_AHEAD = 64;

export interface RequestStarts {
  /** Starts a request, at once or later. */
  start(response: ServerResponse, begin: () => void): void;
  /**
   * Stops reading from connections while many requests wait, so that further ones stay in the system's
   * buffers. Not used for servers that the gateway is mounted into.
   */
  leaveUnread(server: Server): void;
}

/**
 * Starts some requests in this turn of the event loop and the others in later ones, in order.
 *
 * Otherwise thousands of requests of one turn would all be started before the first response: their objects
 * would live so long that garbage collection takes as much time as the responses.
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
