import { readSecretText, refuseUnsetVariables } from './placeholders.ts';
import { type Reader, section } from './project-reader.ts';

/** The headers that go with each call; names in lower case. */
export function readHeaders(value: unknown, place: string, reader: Reader): Record<string, string> {
  const headers: Record<string, string> = {};
  if (value === undefined || value === null) return headers;
  for (const [name, raw] of Object.entries(section(value, place, reader.mistakes) ?? {})) {
    refuseUnsetVariables(raw, `${place}.${name}`, reader);
    const text = readSecretText(raw, `${place}.${name}`, reader);
    const reason = whyNotHeader(name, text);
    if (reason !== undefined) reader.mistakes.push(`"${place}.${name}" ${reason}`);
    else if (text !== '') headers[name.toLowerCase()] = text;
  }
  return headers;
}

/** What is added to the query of each call. Mesh also takes numbers and truth values. */
export function readQuery(value: unknown, place: string, reader: Reader): Record<string, string> {
  const parameters: Record<string, string> = {};
  if (value === undefined || value === null) return parameters;
  for (const [name, raw] of Object.entries(section(value, place, reader.mistakes) ?? {})) {
    const isPlain = typeof raw === 'number' || typeof raw === 'boolean';
    refuseUnsetVariables(raw, `${place}.${name}`, reader);
    const text = readSecretText(isPlain ? String(raw) : raw, `${place}.${name}`, reader);
    if (text !== '') parameters[name] = text;
  }
  return parameters;
}

/** RFC 9110, section 5.1 and 5.5. */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/;

/** These are the connection's, and an upstream's idea of a message must not depend on a setting. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is wrong with a header field, as the rest of a sentence; undefined where it can be sent. */
export function whyNotHeader(name: string, value: string): string | undefined {
  if (!HEADER_NAME.test(name)) return 'is not the name of a header';
  if (CONNECTION_HEADERS.has(name.toLowerCase())) return 'is set by the connection and cannot be configured';
  if (!HEADER_VALUE.test(value)) return 'has a value with line breaks or with characters beyond Latin-1';
  return undefined;
}
