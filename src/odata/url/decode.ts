import { GatewayError } from '../../contract/gateway-error.ts';
import { targetOf } from './cursor.ts';

const MALFORMED = /%(?![\da-f]{2})/i;
const CONTROL = /\p{Cc}/u;
/** Text may have lines and columns; no other control character has a business in it. */
const CONTROL_OUTSIDE_TEXT = /(?![\t\n\r])\p{Cc}/u;

/**
 * Decodes one piece of a URL, exactly once (Part 2, 2.1). `+` stays `+`.
 *
 * What is not valid percent-encoded UTF-8, or has control characters, is refused.
 */
export function decodePiece(subject: string, raw: string, content: 'name' | 'text'): string {
  const text = decode(raw);
  if (text === undefined) refuse(subject, 'valid percent-encoding', MALFORMED.exec(raw)?.index, raw);
  const control = (content === 'text' ? CONTROL_OUTSIDE_TEXT : CONTROL).exec(text);
  if (control !== null) refuse(subject, 'no control characters', control.index, text);
  return text;
}

function decode(raw: string): string | undefined {
  try {
    const text = decodeURIComponent(raw);
    return text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}

function refuse(subject: string, expected: string, position = 0, text: string): never {
  const found = JSON.stringify(text.slice(position, position + 12).toWellFormed());
  const message = `${subject}: expected ${expected} at position ${position}, found ${found}`;
  throw new GatewayError('BadRequest', message, targetOf(subject));
}
