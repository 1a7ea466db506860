import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Log } from '../contract/log.ts';
import type { Principal } from '../contract/principal.ts';
import { shorten } from '../core/shorten.ts';
import { atClose } from './http-server.ts';

/**
 * Writes one entry when an answer is finished or its client is gone. It holds no header but the user agent,
 * no body, and no query parameter that may be a credential.
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
        user: senderOf(request),
        remote: request.socket.remoteAddress,
        agent: loggableAgent(request.headers['user-agent'] ?? ''),
      };
      if (!response.writableFinished) log.info({ ...fields, aborted: true }, 'request aborted');
      else if (url.startsWith('/health/')) log.debug(fields, 'request');
      else log.info(fields, 'request');
    });
  };
}

/** What has been made of user agents: few clients make many requests. */
const AGENTS = new LRUCache<string, string>({ max: 100 });

function loggableAgent(agent: string): string {
  const known = AGENTS.get(agent);
  if (known !== undefined) return known;
  const shown = printable(concealCredentials(agent));
  AGENTS.set(agent, shown);
  return shown;
}

/** A request target as the log may hold it: without credentials, in printable characters, not endless. */
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
  const shown = isHarmless(path) ? path : path.split('/').map(concealCredentials).join('/');
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
 * Keys of ours, also parts of them; tokens (RFC 7519, 3.1), with what stands right before them; and what a scheme of
 * RFC 9110, 11.4, begins. Whoever has not signed in chooses the text: a word is looked at but once.
 */
const CREDENTIALS =
  /duo_[\w-]*|(?<![\w-])(?=[\w-]*\.)[\w-]*?eyJ[\w-]{8,}(?:\.[\w-]*)+|\b(?:bearer|basic)[\s+]+[\w.~+/=-]+/gi;

/** Nothing is encoded in it, and there is no credential in the whole of it: then there is none in any part. */
function isPlain(text: string): boolean {
  return !text.includes('%') && text.search(CREDENTIALS) < 0;
}

/** Nothing is encoded more than once, and there is no credential in the whole of it, as it is and decoded. */
function isHarmless(text: string): boolean {
  return isPlain(text) || (text.search(CREDENTIALS) < 0 && isPlain(decodeOnce(text)));
}

/** A credential is one wherever it stands, and however it is encoded: then the whole piece is left out. */
function concealCredentials(text: string): string {
  if (isPlain(text)) return text;
  const shown = text.replace(CREDENTIALS, REDACTED);
  return decodings(shown).some((each) => each.search(CREDENTIALS) >= 0) ? REDACTED : shown;
}

/** Percent-encoding may be encoded itself. */
const MOST_DECODINGS = 4;

/** The text decoded once, twice and so on. What cannot be decoded stays as it is. */
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

// JSON escapes the control characters below 0x20; a terminal also obeys those from 0x7f to 0x9f.
function printable(text: string): string {
  return shorten(text, MAX_LOGGED).replace(
    /[\x7f-\x9f]/g,
    (character) => `\\x${character.charCodeAt(0).toString(16)}`,
  );
}

/**
 * Gives the request a name, unless what is in front of the gateway has given it one. It is kept among the
 * header fields, so that every route and library sees the same.
 */
export function identifyRequest(request: IncomingMessage): void {
  const given = request.headers['x-request-id'];
  if (typeof given !== 'string' || !/^[\w.:-]{1,64}$/.test(given)) {
    request.headers['x-request-id'] = randomUUID();
  }
}

/** The name that {@link identifyRequest} has given. */
export function requestId(request: IncomingMessage): string {
  return String(request.headers['x-request-id']);
}

/** Who has sent a request, once that is known: for its line in the log. */
const SENDERS = new WeakMap<IncomingMessage, string>();

export function noteSender(request: IncomingMessage, principal: Principal): void {
  if (principal.kind === 'user') SENDERS.set(request, principal.id);
}

/** The id of the user; undefined where nobody has been asked for, or is known. */
function senderOf(request: IncomingMessage): string | undefined {
  return SENDERS.get(request);
}
