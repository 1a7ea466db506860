import { hash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** A random text of 43 URL-safe characters. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

/** The stored form of a secret. With 256 random bits, it needs no slow hash. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
