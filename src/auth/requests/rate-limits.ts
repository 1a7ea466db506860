import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { AccountsDatabase } from '../database/accounts-database.ts';
import { accountsUnavailable } from '../database/accounts-store.ts';
import { networkOf } from './client-address.ts';

/** A number of points in a number of seconds. */
interface Rate {
  readonly points: number;
  readonly duration: number;
}

export interface Rates {
  /** Wrong passwords for one account from one network. */
  readonly guess: Rate;
  /** Wrong passwords for one account from all networks that it has not been used from. */
  readonly account: Rate;
  /** Wrong passwords from one address, for whatever accounts. */
  readonly address: Rate;
  /** Accounts made from one address. */
  readonly signUp: Rate;
  /** Messages that are caused from one address. */
  readonly mail: Rate;
  /** Messages to one e-mail address that are caused from one network. */
  readonly mailbox: Rate;
  /** Messages to one e-mail address that are caused from all networks that its account has not been used from. */
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
 * Counts what may be guessing, in memory, or in the database that several instances share.
 *
 * All of it counts before the password is looked at, so that many guesses at once are no way round, and for
 * accounts that do not exist as for others. Nobody locks an account's owner out: the guesses of a network count
 * against that network, and those of all strangers together against strangers alone, which are networks that nobody
 * has signed in from to the account for a while. Whoever has a session is no stranger.
 */
export interface RateLimits {
  /** Throws TooManyRequests, with the seconds to wait; so do the others that count. */
  countRequest(address: string): Promise<void>;
  /** Counts a message that the address causes, whether it is sent or not. */
  countMail(address: string): Promise<void>;
  /**
   * Counts a message to an account; false if it must not be sent, which the client does not see: others may have
   * caused the messages before.
   */
  admitMail(address: string, account: string): Promise<boolean>;
  /** Takes back a message that was counted and admitted, and is not sent. */
  takeBackMail(address: string, account: string): Promise<void>;
  count(attempt: Attempt, address: string, account: string): Promise<void>;
  /** Takes back what guesses have counted, and knows the network from then on: the password was right. */
  forgive(attempt: Attempt, address: string, account: string): Promise<void>;
  /** Takes back one attempt that nobody could judge; where the database is away, before the next one counts. */
  takeBack(attempt: Attempt, address: string, account: string): Promise<void>;
}

/** What may be guessing: `ownPassword` is that of somebody whose session is known. */
export type Attempt = 'signUp' | 'password' | 'ownPassword';

/** Attempts that are to be taken back; more of them are no accident. */
const MOST_OWED = 10_000;

const TABLE = 'rateLimit';

export function createRateLimits(database: AccountsDatabase, rates: Rates = DEFAULT_RATES): RateLimits {
  const limiter = (name: keyof Rates): RateLimiterAbstract => createLimiter(database, name, rates[name]);
  const owed = new LRUCache<string, number>({ max: MOST_OWED });
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
  // These are too many to be worth a write to a database.
  const request = new RateLimiterMemory({ keyPrefix: 'request', ...rates.request });
  const isKnown = (from: string, of: string): Promise<boolean> => has(known, placeKey(from, of));

  /** What counts an attempt. Where the network is known, the account does not count it. */
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
          [guess, sessionKey(of)],
        ];
    }
  }

  /** The counters of a message to an account. */
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

/** How long a network that an account was used from is known; no timer waits for a month. */
const KNOWN: Rate = { points: 1, duration: 14 * 86_400 };

async function has(limiter: RateLimiterAbstract, key: string): Promise<boolean> {
  try {
    return (await limiter.get(key)) !== null;
  } catch (error) {
    throw accountsUnavailable(error);
  }
}

function sessionKey(account: string): string {
  return `${accountKey(account)} session`;
}

function placeKey(address: string, account: string): string {
  return `${accountKey(account)} ${networkOf(address)}`;
}

/** Creates the table of the limiters, which would all create it at once. No other instance may do so at the same time. */
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
    // It would remove all at once, without an index.
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
