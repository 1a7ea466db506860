import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Gives the request a name, unless what is in front of the gateway has given it one. It is kept among the
 * header fields, so that every part and library sees the same.
 */
export function identifyRequest(request: IncomingMessage, _response: unknown, next: () => void): void {
  const given = request.headers['x-request-id'];
  if (typeof given !== 'string' || !/^[\w.:-]{1,64}$/.test(given)) {
    request.headers['x-request-id'] = randomUUID();
  }
  next();
}

/** The name that {@link identifyRequest} has given. */
export function requestId(request: IncomingMessage): string {
  return String(request.headers['x-request-id']);
}
