import { quote } from '../../../engine/input/mistakes.ts';
import { malformedBatch } from './batch-request.ts';

/**
 * The text of MIME parts and HTTP messages within a batch, each byte of which is one character (Latin-1).
 *
 * Clients end lines with CRLF or LF, leave lines empty in front of what they say, and write header fields
 * with white space or without.
 */
export interface Message {
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is behind the empty line. */
  readonly content: string;
}

interface Line {
  /** Without its end. */
  readonly text: string;
  /** Where the next line starts. */
  readonly next: number;
}

export function lineAt(text: string, start: number): Line {
  const end = text.indexOf('\n', start);
  if (end < 0) return { text: text.slice(start), next: text.length };
  return { text: text.slice(start, text[end - 1] === '\r' ? Math.max(start, end - 1) : end), next: end + 1 };
}

/** Where the first line starts that is not empty. */
export function skipEmptyLines(text: string): number {
  let start = 0;
  for (
    let line = lineAt(text, 0);
    line.text.trim() === '' && start < text.length;
    line = lineAt(text, start)
  ) {
    start = line.next;
  }
  return start;
}

/** Header fields up to an empty line or the end (RFC 9112, 5); a line that starts with white space goes on. */
export function readMessage(text: string, start: number, place: string): Message {
  const fields: string[] = [];
  let next = start;
  while (next < text.length) {
    const line = lineAt(text, next);
    next = line.next;
    if (line.text.trim() === '') break;
    const last = fields.at(-1);
    if (/^[ \t]/.test(line.text) && last !== undefined) fields[fields.length - 1] = last + line.text;
    else fields.push(line.text);
  }
  return { headers: readFields(fields, place), content: text.slice(next) };
}

function readFields(fields: readonly string[], place: string): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const field of fields) {
    const colon = field.indexOf(':');
    if (colon <= 0) throw malformedBatch(place, 'a header field', quote(field));
    const name = field.slice(0, colon).trim().toLowerCase();
    const value = field.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}
