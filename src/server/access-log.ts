import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Log } from '../contract/log.ts';
import type { Principal } from '../contract/principal.ts';
import { shorten } from '../core/shorten.ts';
import { atClose } from './http-server.ts';

/**
 * Writes one entry when a response is finished or its client has disconnected. The entry contains no header
 * but the user agent, no body, and no query parameter that may be a credential.
 */
export function logAccess(log: Log): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const startedAt = performance.now();
    const { method, url = '' } = request;
    atClose(response, () => {
      const fields = {
        id: requestId(request),
        method,
        target: loggableTarget(url),
        status: response.statusCode,
        ms: Math.round((performance.now() - startedAt) * 10) / 10,
        user: SENDERS.get(request),
        remote: request.socket.remoteAddress,
        agent: loggableAgent(request.headers['user-agent'] ?? ''),
      };
      if (!response.writableFinished) log.info({ ...fields, aborted: true }, 'request aborted');
      else if (url.startsWith('/health/')) log.debug(fields, 'request');
      else log.info(fields, 'request');
    });
  };
}

/** Sanitized user agents; few clients make many requests. */
const AGENTS = new LRUCache<string, string>({ max: 100 });

function loggableAgent(agent: string): string {
  const known = AGENTS.get(agent);
  if (known !== undefined) return known;
  const shown = printable(concealCredentials(agent));
  AGENTS.set(agent, shown);
  return shown;
}

/** A request target for the log: without credentials, in printable characters, of limited length. */
function loggableTarget(target: string): string {
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const parameters =
    query < 0
      ? undefined
      : target
          .slice(query + 1)
          .split('&')
          .map(concealParameter)
          .join('&');
  const shown =
    isPlain(path) || (path.search(CREDENTIALS) < 0 && isPlain(decodeOnce(path)))
      ? path
      : path.split('/').map(concealCredentials).join('/');
  return printable(parameters === undefined ? shown : `${shown}?${parameters}`);
}

const REDACTED = '[redacted]';

const CREDENTIAL = /key|token|secret|passw|signature|^sig$|^code$|auth|session/i;

function concealParameter(parameter: string): string {
  const [name = ''] = parameter.split('=', 1);
  if ([name, ...decodings(name)].some((each) => CREDENTIAL.test(each)))
    return `${concealCredentials(name)}=${REDACTED}`;
  return parameter.split('=').map(concealCredentials).join('=');
}

/**
 * API keys of the gateway and parts of them; tokens (RFC 7519, 3.1), including adjacent text; and credentials
 * after a scheme of RFC 9110, 11.4. Matches in linear time, because anonymous clients choose the text.
 */
const CREDENTIALS =
  /duo_[\w-]*|(?<![\w-])(?=[\w-]*\.)[\w-]*?eyJ[\w-]{8,}(?:\.[\w-]*)+|\b(?:bearer|basic)[\s+]+[\w.~+/=-]+/gi;

/** Fast path: nothing is percent-encoded, and the text contains no credential, so no part does. */
function isPlain(text: string): boolean {
  return !text.includes('%') && text.search(CREDENTIALS) < 0;
}

/** Replaces each piece that contains a credential in any encoding. */
function concealCredentials(text: string): string {
  if (isPlain(text)) return text;
  const shown = text.replace(CREDENTIALS, REDACTED);
  return decodings(shown).some((each) => each.search(CREDENTIALS) >= 0) ? REDACTED : shown;
}

/** Percent-encoding may be nested. */
const MOST_DECODINGS = 4;

/** The text decoded once, twice and so on, until it cannot be decoded. */
function decodings(text: string): readonly string[] {
  const decoded = text.includes('%') ? [decodeOnce(text)] : [];
  while (decoded.length < MOST_DECODINGS && decoded.at(-1)?.includes('%')) {
    decoded.push(decodeOnce(decoded.at(-1) ?? ''));
  }
  return decoded;
}

function decodeOnce(text: string): string {
  return text.replace(/%[\da-f]{2}/gi, decodedByte);
}

function decodedByte(text: string): string {
  return String.fromCharCode(Number.parseInt(text.slice(1), 16));
}

const MAX_LOGGED = 2000;

// JSON escapes the control characters below 0x20; terminals also interpret those from 0x7f to 0x9f.
function printable(text: string): string {
  return shorten(text, MAX_LOGGED).replace(
    /[\x7f-\x9f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16)}`,
  );
}

/**
 * Gives the request an id, unless a proxy has. It is stored in the header fields, so that all routes and
 * libraries use the same.
 */
export function identifyRequest(request: IncomingMessage): void {
  const given = request.headers['x-request-id'];
  if (typeof given !== 'string' || !/^[\w.:-]{1,64}$/.test(given)) {
    request.headers['x-request-id'] = randomUUID();
  }
}

export function requestId(request: IncomingMessage): string {
  return String(request.headers['x-request-id']);
}

/** The senders of requests, for the log. */
const SENDERS = new WeakMap<IncomingMessage, string>();

export function noteSender(request: IncomingMessage, principal: Principal): void {
  if (principal.kind === 'user') SENDERS.set(request, principal.id);
}
