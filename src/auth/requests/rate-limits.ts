import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { GatewayError } from '../../contract/gateway-error.ts';
import { entryLimit } from '../../core/entry-limit.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import { accountsUnavailable } from '../database/accounts-store.ts';
import { networkOf } from './client-address.ts';

interface Rate {
  readonly points: number;
  readonly duration: number;
}

export interface Rates {
  /** Wrong passwords for one account from one network. */
  readonly guess: Rate;
  /** Wrong passwords for one account from all unknown networks. */
  readonly account: Rate;
  /** Wrong passwords for any accounts from one address. */
  readonly address: Rate;
  /** Accounts created from one address. */
  readonly signUp: Rate;
  /** Messages caused by one address. */
  readonly mail: Rate;
  /** Messages to one e-mail address caused by one network. */
  readonly mailbox: Rate;
  /** Messages to one e-mail address caused by all unknown networks. */
  readonly mailboxOfStrangers: Rate;
  /** Requests of any kind from one address. */
  readonly request: Rate;
}

const DEFAULT_RATES: Rates = {
  guess: { points: 5, duration: 900 },
  account: { points: 50, duration: 3600 },
  address: { points: 50, duration: 900 },
  signUp: { points: 50, duration: 3600 },
  mail: { points: 30, duration: 3600 },
  mailbox: { points: 5, duration: 3600 },
  mailboxOfStrangers: { points: 20, duration: 3600 },
  request: { points: 600, duration: 60 },
};

/**
 * Counts possible guesses of passwords, in memory or in the database that several instances share.
 *
 * Attempts are counted before the password is checked, so that concurrent guesses cannot evade the limits,
 * and for unknown accounts as for others. An account's owner cannot be locked out: guesses count against
 * their network, and those of all unknown networks together only against unknown networks, which are those
 * without a recent sign-in to the account. A client with a session counts as known.
 */
export interface RateLimits {
  /** Throws TooManyRequests with the seconds to wait, like all methods that count. */
  countRequest(address: string): Promise<void>;
  /** Counts a message that the address causes, whether or not it is sent. */
  countMail(address: string): Promise<void>;
  /**
   * Counts a message to an account; false if it must not be sent. The client does not learn this, because
   * other clients may have caused the earlier messages.
   */
  admitMail(address: string, account: string): Promise<boolean>;
  /** Takes back a message that was counted but not sent. */
  takeBackMail(address: string, account: string): Promise<void>;
  count(attempt: Attempt, address: string, account: string): Promise<void>;
  /** Takes back the attempts and remembers the network, because the password was right. */
  forgive(attempt: Attempt, address: string, account: string): Promise<void>;
  /**
   * Takes back one attempt that could not be checked; while the database is unavailable, before the next one
   * is counted.
   */
  takeBack(attempt: Attempt, address: string, account: string): Promise<void>;
}

/** The kind of attempt; `ownPassword` is that of a user with a session. */
export type Attempt = 'signUp' | 'password' | 'ownPassword';

/** Maximum number of attempts that are waiting to be taken back. */
const MOST_OWED = 10_000;

const TABLE = 'rateLimit';

export function createRateLimits(database: AccountsDatabase, rates: Rates = DEFAULT_RATES): RateLimits {
  const limiter = (name: keyof Rates): RateLimiterAbstract => createLimiter(database, name, rates[name]);
  const owed = new LRUCache<string, number>(entryLimit(MOST_OWED));
  const count = async (counter: RateLimiterAbstract, key: string): Promise<void> => {
    const owedName = `${counter.keyPrefix} ${key}`;
    const debt = owed.get(owedName) ?? 0;
    await consume(counter, key, debt);
    if (debt > 0) owed.delete(owedName);
  };
  const takeBack = async (counter: RateLimiterAbstract, key: string): Promise<void> => {
    try {
      await counter.reward(key);
    } catch {
      const owedName = `${counter.keyPrefix} ${key}`;
      owed.set(owedName, (owed.get(owedName) ?? 0) + 1);
    }
  };
  const [guess, account, address, signUp] = [
    limiter('guess'),
    limiter('account'),
    limiter('address'),
    limiter('signUp'),
  ];
  const [mail, mailbox, strangers] = [limiter('mail'), limiter('mailbox'), limiter('mailboxOfStrangers')];
  const known = createLimiter(database, 'known', KNOWN);
  // Too frequent for a write to the database.
  const request = new RateLimiterMemory({ keyPrefix: 'request', ...rates.request });
  const isKnown = (from: string, of: string): Promise<boolean> => has(known, placeKey(from, of));

  /** The counters of an attempt. A known network does not count against the account. */
  function countersOf(attempt: Attempt, from: string, of: string, isStranger: boolean): readonly Counter[] {
    switch (attempt) {
      case 'signUp':
        return [[signUp, networkOf(from)]];
      case 'password':
        return [
          [address, networkOf(from)],
          [guess, placeKey(from, of)],
          ...(isStranger ? [[account, accountKey(of)] as const] : []),
        ];
      case 'ownPassword':
        return [
          [address, networkOf(from)],
          [guess, `${accountKey(of)} session`],
        ];
    }
  }

  async function mailCounters(from: string, of: string): Promise<readonly Counter[]> {
    const own: Counter = [mailbox, placeKey(from, of)];
    return (await isKnown(from, of)) ? [own] : [own, [strangers, accountKey(of)]];
  }

  return {
    countRequest: (from) => count(request, networkOf(from)),
    countMail: (from) => count(mail, networkOf(from)),
    async admitMail(from, of) {
      try {
        for (const [counter, key] of await mailCounters(from, of)) await count(counter, key);
        return true;
      } catch (error) {
        if (error instanceof GatewayError && error.code === 'TooManyRequests') return false;
        throw error;
      }
    },
    async takeBackMail(from, of) {
      await takeBack(mail, networkOf(from));
      for (const [counter, key] of await mailCounters(from, of).catch(() => [])) await takeBack(counter, key);
    },
    async count(attempt, from, of) {
      const isStranger = attempt === 'password' && !(await isKnown(from, of));
      for (const [counter, key] of countersOf(attempt, from, of, isStranger)) await count(counter, key);
    },
    async forgive(attempt, from, of) {
      if (attempt === 'signUp') return;
      const isStranger = attempt === 'password' && !(await isKnown(from, of));
      await Promise.all([
        ...countersOf(attempt, from, of, isStranger).map(([counter, key]) =>
          counter === guess ? guess.delete(key) : counter.reward(key),
        ),
        ...(attempt === 'password' ? [known.set(placeKey(from, of), 1, KNOWN.duration)] : []),
      ]);
    },
    async takeBack(attempt, from, of) {
      const isStranger = attempt === 'password' && !(await isKnown(from, of).catch(() => true));
      for (const [counter, key] of countersOf(attempt, from, of, isStranger)) await takeBack(counter, key);
    },
  };
}

type Counter = readonly [counter: RateLimiterAbstract, key: string];

/** Time that a network is known after a sign-in. Checked on use, because timers cannot run for a month. */
const KNOWN: Rate = { points: 1, duration: 14 * 86_400 };

async function has(limiter: RateLimiterAbstract, key: string): Promise<boolean> {
  try {
    return (await limiter.get(key)) !== null;
  } catch (error) {
    throw accountsUnavailable(error);
  }
}

function placeKey(address: string, account: string): string {
  return `${accountKey(account)} ${networkOf(address)}`;
}

/** Creates the table of the limiters once, since each would try to. The caller excludes other instances. */
export async function createRateLimitTable(database: AccountsDatabase): Promise<void> {
  if (database.kind === 'sqlite') return;
  await database.connection.query({
    text: `CREATE TABLE IF NOT EXISTS "${TABLE}" (key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint)`,
  });
}

function createLimiter(database: AccountsDatabase, keyPrefix: string, rate: Rate): RateLimiterAbstract {
  if (database.kind === 'sqlite') return new RateLimiterMemory({ keyPrefix, ...rate });
  return new RateLimiterPostgres({
    ...rate,
    keyPrefix,
    storeClient: database.connection,
    storeType: 'pool',
    tableName: TABLE,
    tableCreated: true,
    // The library would remove all rows at once, without an index.
    clearExpiredByTimeout: false,
  });
}

async function consume(limiter: RateLimiterAbstract, key: string, debt: number): Promise<void> {
  try {
    if (debt > 0) await limiter.reward(key, debt);
    await limiter.consume(key);
  } catch (error) {
    throw error instanceof RateLimiterRes ? tooMany(error.msBeforeNext) : accountsUnavailable(error);
  }
}

function tooMany(waitMs: number): GatewayError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new GatewayError('TooManyRequests', `Too many attempts: try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  });
}

function accountKey(email: string): string {
  return hash('sha256', email.toLowerCase(), 'base64url');
}
