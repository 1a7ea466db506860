import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../contract/log.ts';
import { requestId } from './request-id.ts';

/**
 * Writes one entry when an answer is finished or its client is gone. It holds no header but the user agent,
 * no body, and no query parameter that may be a credential.
 */
export function logAccess(
  log: Log,
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  return (request, response, next) => {
    const startedAt = performance.now();
    const { method, url = '' } = request;
    response.on('close', () => {
      const fields = {
        id: requestId(request),
        method,
        target: loggableTarget(url),
        status: response.statusCode,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        remote: request.socket.remoteAddress,
        agent: printable(request.headers['user-agent'] ?? ''),
      };
      if (!response.writableFinished) log.info({ ...fields, aborted: true }, 'request aborted');
      else if (url.startsWith('/health/')) log.debug(fields, 'request');
      else log.info(fields, 'request');
    });
    next();
  };
}

/** A request target as the log may hold it: without credentials, in printable characters, not endless. */
function loggableTarget(target: string): string {
  const query = target.indexOf('?');
  if (query < 0) return printable(target);
  const parameters = target
    .slice(query + 1)
    .split('&')
    .map(concealCredential)
    .join('&');
  return printable(`${target.slice(0, query)}?${parameters}`);
}

const CREDENTIAL = /key|token|secret|passw|signature|^sig$|^code$|auth|session/i;

function concealCredential(parameter: string): string {
  const [name = ''] = parameter.split('=', 1);
  return CREDENTIAL.test(decodeName(name)) ? `${name}=[redacted]` : parameter;
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const MAX_LOGGED = 2000;

// JSON escapes the control characters below 0x20; a terminal also obeys those from 0x7f to 0x9f.
function printable(text: string): string {
  const short = text.length > MAX_LOGGED ? `${text.slice(0, MAX_LOGGED)}…` : text;
  return short.replace(/[\x7f-\x9f]/g, (character) => `\\x${character.charCodeAt(0).toString(16)}`);
}
