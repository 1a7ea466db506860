import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type AccountsDatabase, sqliteDialect } from '../../src/auth/database/accounts-database.ts';
import { createRateLimits, type RateLimits } from '../../src/auth/requests/rate-limits.ts';

const TABLES = new Kysely<unknown>({ dialect: sqliteDialect(new DatabaseSync(':memory:')) });
const DATABASE: AccountsDatabase = {
  kind: 'sqlite',
  tables: TABLES,
  records: TABLES,
  exclusively: (work) => work(DATABASE),
  inTurn: (_, work) => work(),
  close: async () => {},
};

/** Two of each kind. */
function limits(): RateLimits {
  const rate = { points: 2, duration: 60 };
  return createRateLimits(DATABASE, {
    guess: rate,
    account: rate,
    address: rate,
    signUp: rate,
    mail: rate,
    mailbox: rate,
    mailboxOfStrangers: rate,
    request: rate,
  });
}

/** The number of admitted attempts. */
async function passed(attempts: readonly (() => Promise<void>)[]): Promise<number> {
  const outcomes = await Promise.allSettled(attempts.map((attempt) => attempt()));
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      expect(outcome.reason).toMatchObject({ code: 'TooManyRequests', headers: { 'retry-after': '60' } });
    }
  }
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

const ANNA = 'anna@example.com';

describe('guesses', () => {
  it.each<readonly [string, (of: RateLimits) => readonly (() => Promise<void>)[], number]>([
    [
      'for one account from many addresses',
      (of) => ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((from) => () => of.count('password', from, ANNA)),
      2,
    ],
    [
      'for one account however it is written',
      (of) =>
        [ANNA, 'Anna@Example.com', ANNA.toUpperCase()].map(
          (email, index) => () => of.count('password', `192.0.2.${index}`, email),
        ),
      2,
    ],
    [
      'from one address for many accounts',
      (of) => ['a@x.y', 'b@x.y', 'c@x.y'].map((email) => () => of.count('password', '192.0.2.1', email)),
      2,
    ],
    [
      'from one IPv6 network',
      (of) =>
        ['2001:db8::1', '2001:db8::ffff:2', '2001:db8:0:0:3::'].map(
          (from) => () => of.count('signUp', from, ANNA),
        ),
      2,
    ],
    [
      'from several IPv6 networks',
      (of) =>
        ['2001:db8::1', '2001:db8:0:1::1', '2001:db8:1::1'].map(
          (from) => () => of.count('signUp', from, ANNA),
        ),
      3,
    ],
    [
      'from several IPv4 addresses',
      (of) => ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((from) => () => of.countRequest(from)),
      3,
    ],
  ])('%s', async (_name, attempts, expected) => {
    expect(await passed(attempts(limits()))).toBe(expected);
  });

  it('are taken back when the password was right', async () => {
    const of = limits();
    for (let times = 0; times < 5; times++) {
      await of.count('password', '192.0.2.1', ANNA);
      await of.forgive('password', '192.0.2.1', ANNA);
    }
  });
});
