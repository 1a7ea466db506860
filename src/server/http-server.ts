import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ErrorCode, GatewayError } from '../contract/gateway-error.ts';
import type { Log } from '../contract/log.ts';
import { plainError } from './json-response.ts';
import type { ServerLimits } from './server-limits.ts';

/** Node's HTTP server with our limits, and with answers of ours to what never becomes a request. */
export function createHttpServer(listener: RequestListener, limits: ServerLimits): Server {
  const current = new WeakMap<object, ServerResponse>();
  const asked = new WeakMap<object, number>();
  const answer: RequestListener = (request, response) => {
    current.set(request.socket, response);
    const number = (asked.get(request.socket) ?? 0) + 1;
    asked.set(request.socket, number);
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
