import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../contract/gateway-error.ts';

/** Whether the request announces a body, be it an empty one (RFC 9112, 6). */
function hasBody(request: IncomingMessage): boolean {
  return (
    request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
  );
}

/**
 * Reads the body to its end; undefined where there is none.
 *
 * Throws PayloadTooLarge at once where the announced length is beyond the limit, and fails with it or with
 * ClientClosedRequest later. What a client sends after that is read and forgotten, so that it gets to see
 * the answer.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<Uint8Array> | undefined {
  if (!hasBody(request)) return undefined;
  admitBody(request, response, limit);
  return collect(request, limit);
}

/** Throws PayloadTooLarge where the announced length is beyond the limit, else lets the client send the body. */
export function admitBody(request: IncomingMessage, response: ServerResponse, limit: number): void {
  const expectsWord = request.headers.expect !== undefined;
  if (Number(request.headers['content-length'] ?? 0) > limit) {
    // Whether a client that asked first sends its body after a no is its choice (RFC 9110, 10.1.1).
    if (expectsWord) response.shouldKeepAlive = false;
    throw tooLarge(limit);
  }
  if (expectsWord) response.writeContinue();
}

function collect(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take).resume();
      reject(tooLarge(limit));
    };
    request.on('data', take);
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on('close', () => {
      if (!request.complete) reject(clientClosed());
    });
  });
}

export function clientClosed(): GatewayError {
  return new GatewayError('ClientClosedRequest', 'The client closed the connection.');
}

function tooLarge(limit: number): GatewayError {
  return new GatewayError('PayloadTooLarge', `The body is larger than ${limit} bytes.`);
}
