import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** Tokens are signed together with the URL they belong to, so that nobody takes them for something to make up. */
export interface TokenSignature {
  /** Of what a token says of the target, in 22 letters of base64url. */
  of(said: string, target: string): string;
  isOf(said: string, target: string, signature: string): boolean;
}

const BYTES = 16;

/** `key` must be the same wherever a token may come back to; `purpose` tells one kind of token from another. */
export function tokenSignature(key: string | Uint8Array, purpose: string): TokenSignature {
  // Made of the text once: at every signature, it would take longer than signing.
  const secret = createSecretKey(Buffer.from(key));
  const formOf = inOneFormOnce();
  const sign = (said: string, target: string): Buffer =>
    createHmac('sha256', secret)
      .update(`${purpose}${said} ${formOf(target)}`)
      .digest()
      .subarray(0, BYTES);
  return {
    of: (said, target) => sign(said, target).toString('base64url'),
    isOf(said, target, signature) {
      const [given, expected] = [Buffer.from(signature, 'base64url'), sign(said, target)];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** {@link inOneForm}, which is not asked twice in a row for the same text: all cursors of a page belong to one target. */
function inOneFormOnce(): (text: string) => string {
  let last = '';
  let result = '';
  return (text) => {
    if (text !== last) [last, result] = [text, inOneForm(text)];
    return result;
  };
}

/** Some clients encode a link anew, as `'` to `%27`, before they follow it: it is the same URL. */
export function inOneForm(target: string): string {
  return target.split('&').map(inOneEncoding).join('&');
}

function inOneEncoding(piece: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(piece));
  } catch {
    return piece;
  }
}
