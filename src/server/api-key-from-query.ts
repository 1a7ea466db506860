import type { IncomingMessage } from 'node:http';
import { takeParameter } from '../contract/query-parameter.ts';

/**
 * Turns the query parameter that holds an API key into the header field `X-API-Key`, for clients that can send
 * no header. From here on it is no part of the target: no log, no link and no part sees it.
 *
 * A header field that is there stays as it is.
 */
export function apiKeyFromQuery(request: IncomingMessage, name: string): void {
  const taken = takeParameter(request.url ?? '', name);
  if (taken === undefined) return;
  request.url = taken.target;
  request.headers['x-api-key'] ??= taken.value;
}
