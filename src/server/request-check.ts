import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../contract/gateway-error.ts';
import type { Part } from './part.ts';
import type { RouteDependencies } from './route-dependencies.ts';

/** Throws what is wrong with a request before any part looks at it. */
export function checkRequest(
  request: IncomingMessage,
  { crossOrigin = false }: Part,
  { maxTargetLength, checkPage }: RouteDependencies,
): void {
  if ((request.url ?? '').length > maxTargetLength) {
    throw new GatewayError(
      'UriTooLong',
      `The URL is longer than ${maxTargetLength} characters (URL_LENGTH).`,
    );
  }
  checkHost(request);
  checkPage(request, crossOrigin);
}

const HOST = /^(?:[\w.~!$&'()*+,;=%-]*|\[(?:[\da-f:.]+|v[\da-f]+\.[\w.~!$&'()*+,;=:-]+)\])(?::\d*)?$/i;

/**
 * RFC 9112, 3.2: exactly one Host, in the form of RFC 3986. Its value is never used for an answer, but who sends a
 * broken one may be trying to make two servers see two different requests.
 */
function checkHost(request: IncomingMessage): void {
  const { host } = request.headers;
  if (host === undefined && request.httpVersion === '1.0') return;
  if (host === undefined || !HOST.test(host) || countHosts(request.rawHeaders) !== 1) {
    throw new GatewayError('BadRequest', 'The request needs exactly one valid Host header.', {
      target: 'Host',
    });
  }
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}
