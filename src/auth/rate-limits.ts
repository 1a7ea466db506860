import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { GatewayError } from '../contract/gateway-error.ts';
import type { AccountsDatabase } from './accounts-database.ts';
import { accountsUnavailable } from './accounts-store.ts';

/** So many in so many seconds. */
interface Rate {
  readonly points: number;
  readonly duration: number;
}

export interface Rates {
  /** Wrong passwords for one account, from wherever they come. */
  readonly account: Rate;
  /** Wrong passwords from one address, for whatever accounts. */
  readonly address: Rate;
  /** Accounts made from one address. */
  readonly signUp: Rate;
  /** Requests of any kind from one address. */
  readonly request: Rate;
}

const DEFAULT_RATES: Rates = {
  account: { points: 5, duration: 900 },
  address: { points: 50, duration: 900 },
  signUp: { points: 50, duration: 3600 },
  request: { points: 600, duration: 60 },
};

/**
 * Counts what may be guessing, in memory, or in the database that several instances share.
 *
 * All of it counts before the password is looked at, so that many guesses at once are no way round, and for
 * accounts that do not exist as for others.
 */
export interface RateLimits {
  /** Throws TooManyRequests, with the seconds to wait. */
  countRequest(address: string): Promise<void>;
  countSignUp(address: string): Promise<void>;
  countPassword(address: string, account: string): Promise<void>;
  /** Takes back what {@link countPassword} counted: the password was right. */
  forgive(address: string, account: string): Promise<void>;
}

const TABLE = 'rateLimit';

export function createRateLimits(database: AccountsDatabase, rates: Rates = DEFAULT_RATES): RateLimits {
  const limiter = (name: keyof Rates): RateLimiterAbstract => createLimiter(database, name, rates[name]);
  const account = limiter('account');
  const address = limiter('address');
  const signUp = limiter('signUp');
  // These are too many to be worth a write to a database.
  const request = new RateLimiterMemory({ keyPrefix: 'request', ...rates.request });
  return {
    countRequest: (from) => count(request, network(from)),
    countSignUp: (from) => count(signUp, network(from)),
    async countPassword(from, of) {
      await count(address, network(from));
      await count(account, accountKey(of));
    },
    async forgive(from, of) {
      await Promise.all([address.reward(network(from)), account.delete(accountKey(of))]);
    },
  };
}

/** To be called where no other instance does the same: the limiters would create it all at once. */
export async function createRateLimitTable(database: AccountsDatabase): Promise<void> {
  if (database.kind === 'sqlite') return;
  await database.connection.query(
    `CREATE TABLE IF NOT EXISTS "${TABLE}" (key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint)`,
  );
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
    clearExpiredByTimeout: true,
  });
}

async function count(limiter: RateLimiterAbstract, key: string): Promise<void> {
  try {
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

/** Who has an IPv6 address has 2^64 of them. */
function network(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - front.length - back.length;
  return [...front, ...Array.from({ length: zeros }, () => '0'), ...back].slice(0, 4).join(':');
}

function accountKey(email: string): string {
  return hash('sha256', email.toLowerCase(), 'base64url');
}
