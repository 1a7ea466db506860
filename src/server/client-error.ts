import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../contract/gateway-error.ts';
import { plainError } from './json-response.ts';

interface Refusal {
  readonly status: string;
  readonly message: string;
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The request line and the header fields are too long.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: '413 Payload Too Large',
    message: 'The chunk extensions are too long.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: '408 Request Timeout',
    message: 'The request did not arrive in time.',
  },
};

const MALFORMED: Refusal = { status: '400 Bad Request', message: 'This is not an HTTP/1.1 request.' };

const UNKNOWN_METHOD: Refusal = {
  status: '501 Not Implemented',
  message: 'The request has a method that is not known here.',
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
export function answerClientError(
  error: ClientError,
  socket: Duplex,
  current: ServerResponse | undefined,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable || !mayAnswer(current)) {
    socket.destroy();
    return;
  }
  socket.end(writeRefusal(refusalOf(error)), () => socket.destroy());
}

export function refuseTunnel(socket: Duplex): void {
  socket.end(writeRefusal(TUNNEL), () => socket.destroy());
}

const TUNNEL: Refusal = { status: '405 Method Not Allowed', message: 'CONNECT is not possible here.' };

// An answer that has begun must not be cut in two, and a request gets no second one.
function mayAnswer(current: ServerResponse | undefined): boolean {
  if (current === undefined || !current.headersSent) return true;
  return current.writableFinished && current.req.complete;
}

function writeRefusal(refusal: Refusal): string {
  const { body } = plainError(new GatewayError('BadRequest', refusal.message));
  const text = String(body);
  return [
    `HTTP/1.1 ${refusal.status}`,
    'Content-Type: application/json; charset=utf-8',
    'Content-Language: en',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    // Nobody knows what it was to be a request for: a client of OData needs to find its version (Part 1, 8.1.5).
    'OData-Version: 4.0',
    'Connection: close',
    '',
    text,
  ].join('\r\n');
}
