import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { inOneForm } from '../../../contract/token-signature.ts';

/** Hides what a token says: where a list goes on is the upstream's affair, and may be its URL. */
export interface SealedPositions {
  /** In letters of base64url. */
  seal(said: string, target: string): string;
  /** Undefined where it was not sealed by this service, for that target. */
  open(sealed: string, target: string): string | undefined;
}

/** AES in Galois/Counter Mode (NIST SP 800-38D). */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `key` must be the same wherever a token may come back to. */
export function sealedPositions(key: string | Uint8Array): SealedPositions {
  const own = Buffer.from(hkdfSync('sha256', key, '', 'positions of lists', KEY_BYTES));
  return {
    seal(said, target) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, own, nonce).setAAD(Buffer.from(inOneForm(target)));
      const text = Buffer.concat([cipher.update(said, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
    },
    open(sealed, target) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const text = bytes.subarray(NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv(CIPHER, own, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(inOneForm(target)))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
