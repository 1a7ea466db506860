import { GatewayError } from '../../contract/gateway-error.ts';
import { targetOf } from './cursor.ts';

const ENCODED = /(?:%[\da-f]{2})+|%/gi;
/** Which characters have no business there: text has lines and columns, a segment may have an expression with HTAB. */
const UNWANTED = { name: /\p{Cc}/u, segment: /(?!\t)\p{Cc}/u, text: /(?![\t\n\r])\p{Cc}/u };
const FOUND_LENGTH = 12;

/**
 * Decodes one piece of a URL, exactly once (Part 2, 2.1). `+` stays `+`.
 *
 * What is not valid percent-encoded UTF-8, or has control characters, is refused.
 */
export function decodePiece(subject: string, raw: string, content: keyof typeof UNWANTED): string {
  const text = decode(raw) ?? refuse(subject, 'percent-encoded UTF-8', raw, findMalformed(raw));
  const control = UNWANTED[content].exec(text);
  return control === null ? text : refuse(subject, 'no control character', text, control.index);
}

function decode(raw: string): string | undefined {
  try {
    const text = decodeURIComponent(raw);
    return text.isWellFormed() ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Where the run of encoded bytes begins that is no UTF-8; otherwise there is a lone surrogate. */
function findMalformed(raw: string): number {
  const run = raw.matchAll(ENCODED).find(([bytes]) => decode(bytes) === undefined);
  return run?.index ?? raw.search(/\p{Cs}/u);
}

function refuse(subject: string, expected: string, text: string, position: number): never {
  const found = JSON.stringify(text.slice(position, position + FOUND_LENGTH).toWellFormed());
  const message = `${subject}: expected ${expected} at position ${position}, found ${found}`;
  throw new GatewayError('BadRequest', message, targetOf(subject));
}
