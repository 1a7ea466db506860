import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Secret } from '../../core/secret.ts';

/**
 * Encrypts stored texts. Each is bound to its place: a text that was copied to another row cannot be
 * decrypted.
 */
export interface TextSeal {
  seal(text: Secret, place: string): string;
  /** Undefined if the text was not sealed with the same secret for this place. */
  open(sealed: string, place: string): Secret | undefined;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D, 5.2.1.1 and 8.2.2: with random nonces, a key may encrypt 2^32 texts. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Names the use of the key (RFC 5869, 3.2) and the version of the format. */
type Purpose = 'duogate upstream credentials 1' | 'duogate sign-in 1';

const FORM = '1.';

/** Derives a key for one purpose from the secret. */
export function createTextSeal(secret: string, purpose: Purpose): TextSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
  return {
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(
        Buffer.from(place),
      );
      const body = Buffer.concat([cipher.update(text.reveal(), 'utf8'), cipher.final()]);
      return FORM + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed, place) {
      if (!sealed.startsWith(FORM)) return undefined;
      const bytes = Buffer.from(sealed.slice(FORM.length), 'base64url');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(place))
          .setAuthTag(tag);
        const body = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
        return new Secret(Buffer.concat([body, decipher.final()]).toString('utf8'));
      } catch {
        return undefined;
      }
    },
  };
}
