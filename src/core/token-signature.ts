import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';

/** Signs tokens together with their URL, so that clients cannot forge them. */
export interface TokenSignature {
  /** The signature of a token's content and target, in 22 characters of base64url. */
  of(said: string, target: string): string;
  isOf(said: string, target: string, signature: string): boolean;
}

const BYTES = 16;

/**
 * `key` must be the same on all instances that may receive the token; `purpose` separates kinds of tokens.
 */
export function tokenSignature(key: string | Uint8Array, purpose: string): TokenSignature {
  // Created once, because it takes longer than signing.
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

/** {@link inOneForm} with a cache for the last text, because all cursors of a page have the same target. */
function inOneFormOnce(): (text: string) => string {
  let last = '';
  let result = '';
  return (text) => {
    if (text !== last) [last, result] = [text, inOneForm(text)];
    return result;
  };
}

/** Normalizes the encoding, because some clients encode links anew, such as `'` to `%27`. */
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
