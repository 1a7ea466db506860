import { AsyncLocalStorage } from 'node:async_hooks';
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

export const LEAST_PASSWORD = 8;
export const LONGEST_PASSWORD = 128;

const derive = promisify(argon2);

/**
 * The minimum that OWASP's password storage cheat sheet recommends for argon2id: 19 MiB, two passes, one
 * lane.
 */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const TAG_BYTES = 32;
const SALT_BYTES = 16;

/** Hashes a password with argon2id to a PHC string, which holds all parameters for verification. */
async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const tag = await derive('argon2id', {
    ...COST,
    message: password.normalize('NFKC'),
    nonce: salt,
    tagLength: TAG_BYTES,
  });
  const { memory, passes, parallelism } = COST;
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;
}

const hashed = new AsyncLocalStorage<string>();

/** Hashes the password before the work begins: hashing within a transaction would block others. */
export async function withHashOf<Result>(password: string, work: () => Promise<Result>): Promise<Result> {
  return hashed.run(await hashPassword(password), work);
}

/** Returns the hash made by {@link withHashOf}, or a new one outside it. */
export async function hashOnce(password: string): Promise<string> {
  return hashed.getStore() ?? hashPassword(password);
}

const PHC =
  /^\$argon2id\$v=19\$m=(?<m>\d{1,7}),t=(?<t>\d{1,2}),p=(?<p>\d{1,2})\$(?<salt>[\w+/]+)\$(?<tag>[\w+/]+)$/;

/** Compares the password with the hash, which may have other cost parameters. */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const { m, t, p, salt = '', tag = '' } = PHC.exec(hash)?.groups ?? {};
  if (m === undefined) return false;
  const expected = Buffer.from(tag, 'base64');
  const found = await derive('argon2id', {
    memory: Number(m),
    passes: Number(t),
    parallelism: Number(p),
    message: password.normalize('NFKC'),
    nonce: Buffer.from(salt, 'base64'),
    tagLength: expected.length,
  });
  return timingSafeEqual(found, expected);
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
