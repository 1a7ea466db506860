import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../contract/log.ts';
import { isLocked } from './sqlite-dialect.ts';
import { reasonOf } from './unopened-database.ts';

const ATTEMPT_MS = 500;

/**
 * Does the work again for so long as the database cannot be reached: it may be starting, as the gateway is.
 * What does not pass by itself, such as a wrong password, fails at once.
 */
export async function awaitDatabase<Result>(
  work: () => Promise<Result>,
  { waitMs, log }: { readonly waitMs: number; readonly log: Log },
): Promise<Result> {
  const until = performance.now() + waitMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work();
    } catch (err) {
      if (!isPassing(err) || performance.now() + ATTEMPT_MS > until) throw err;
      if (isFirst)
        log.warn(
          { reason: reasonOf(err), waitMs },
          'the accounts cannot be reached yet: waiting for their database',
        );
    }
    await delay(ATTEMPT_MS);
  }
}

/** Of the system, and of PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const PASSING: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** The driver's own, which have no code. */
const LOST = /timeout exceeded when trying to connect|connection terminated|query read timeout/i;

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isLocked(error) || LOST.test(error.message)) return true;
  if ('code' in error && PASSING.has(String(error.code))) return true;
  const within = error instanceof AggregateError ? error.errors : [error.cause];
  return within.some(isPassing);
}
