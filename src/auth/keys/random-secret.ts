import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** A text that nobody guesses, of 43 characters that may stand in a URL. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** What is kept of a secret. Its 256 random bits need no slow hash: there is nothing to guess. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
