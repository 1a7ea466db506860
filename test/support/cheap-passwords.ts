import crypto, { type Argon2Algorithm, type Argon2Parameters } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { argon2 } = crypto;

/**
 * Hashing a password takes 20 ms of processor time on purpose, and tests do so thousands of times: this makes
 * it cheap in their own process, with any parameters. Child processes are not affected.
 */
function hashCheaply(
  algorithm: Argon2Algorithm,
  parameters: Argon2Parameters,
  done: (error: Error | null, tag: Buffer) => void,
): void {
  argon2(algorithm, { ...parameters, memory: 8, passes: 1 }, done);
}

Object.assign(crypto, { argon2: hashCheaply });
syncBuiltinESMExports();
