import { createHmac, timingSafeEqual } from 'node:crypto';

/** Tokens are signed, so that nobody takes them for something to make up. */
export interface TokenSignature {
  /** In 22 letters of base64url. */
  of(text: string): string;
  isOf(text: string, signature: string): boolean;
}

const BYTES = 16;

/** `key` must be the same wherever a token may come back to; `purpose` tells one kind of token from another. */
export function tokenSignature(key: string | Uint8Array, purpose: string): TokenSignature {
  const sign = (text: string): Buffer =>
    createHmac('sha256', key).update(purpose).update(text).digest().subarray(0, BYTES);
  return {
    of: (text) => sign(text).toString('base64url'),
    isOf(text, signature) {
      const [given, expected] = [Buffer.from(signature, 'base64url'), sign(text)];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
