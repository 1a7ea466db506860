import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool, type QueryConfig } from 'pg';
import type { Log } from '../../contract/log.ts';
import { accountsUnavailable } from './accounts-store.ts';
import { onceUnlocked, sqliteDialect } from './sqlite-dialect.ts';

/** Where accounts are kept: a SQLite file of one instance, or a PostgreSQL database that several share. */
export type AccountsPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

interface Opened {
  /** Its tables, for whoever builds queries: one for all, as a transaction of one keeps the others waiting. */
  readonly tables: Kysely<unknown>;
  /** Does the work while no other process does the like with this database. */
  exclusively(work: () => Promise<void>): Promise<void>;
  /**
   * Does the work while nobody else on this database does what has the same name. It may take its time. Fails with
   * AccountsUnavailable where the database cannot be reached.
   */
  inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export type AccountsDatabase = Opened &
  ({ readonly kind: 'sqlite' } | { readonly kind: 'postgres'; readonly connection: Pool });

export async function openAccountsDatabase(place: AccountsPlace, log: Log): Promise<AccountsDatabase> {
  return place.kind === 'sqlite' ? openSqlite(place.path) : openPostgres(place.url, log);
}

/** Only who runs the gateway may read the file: it holds the hashes of passwords and the sessions. */
async function openSqlite(path: string): Promise<AccountsDatabase> {
  const isFile = path !== ':memory:';
  if (isFile) makeFolder(dirname(path));
  const connection = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  if (isFile) chmodSync(path, 0o600);
  await onceUnlocked(() => connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL'));
  const turns = new NamedTurns();
  return {
    kind: 'sqlite',
    tables: new Kysely({ dialect: sqliteDialect(connection) }),
    async exclusively(work) {
      await onceUnlocked(() => connection.exec('BEGIN IMMEDIATE'));
      try {
        await work();
        connection.exec('COMMIT');
      } catch (error) {
        if (connection.isTransaction) connection.exec('ROLLBACK');
        throw error;
      }
    },
    // The file is one instance's: others may not have to wait for its locks.
    inTurn: (name, work) => turns.take(name, work),
    async close() {
      connection.close();
    },
  };
}

/** Makes a folder and those above it. Node's own way never comes to an end where the system lets none be made, as in /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another instance may have been faster.
    if (!existsSync(path)) throw error;
  }
}

/** The whole process waits so long: whoever needs the lock asks again without keeping others. */
const LOCK_TIMEOUT_MS = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const QUERY_TIMEOUT_MS = 5_000;

/** Any number that nobody else takes for an advisory lock of the same database: "duogate" in ASCII. */
const LOCK = '28274058640717925';

const LOCK_WAIT_MS = 60_000;

function waitForLock(lock: string): QueryConfig & { query_timeout: number } {
  return { text: 'SELECT pg_advisory_lock($1)', values: [lock], query_timeout: LOCK_WAIT_MS };
}

function openPostgres(url: string, log: Log): AccountsDatabase {
  const connection = new Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    application_name: 'duogate',
  });
  const turns = new NamedTurns();
  const noteLoss = (err: Error) => log.warn({ err }, 'a connection to the accounts was lost');
  // An idle connection that breaks is no request's failure: the next one gets another.
  connection.on('error', noteLoss);
  // One that is in use tells whoever waits for its answer, and itself besides, which would end the process.
  connection.on('connect', (client) => client.on('error', noteLoss));
  return {
    kind: 'postgres',
    connection,
    tables: new Kysely({ dialect: new PostgresDialect({ pool: connection }) }),
    // Two instances that create the same tables at once would both fail to.
    async exclusively(work) {
      const client = await connection.connect();
      try {
        await client.query(waitForLock(LOCK));
        await work();
      } finally {
        // The lock ends with its connection, whatever state that is in.
        client.release(true);
      }
    },
    // First among ourselves: each lock takes a connection.
    inTurn: (name, work) => turns.take(name, () => whileLocked(url, lockOf(name), work)),
    close: () => connection.end(),
  };
}

/** An advisory lock is a number. */
function lockOf(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}

async function lockBy(client: Client, lock: string): Promise<void> {
  try {
    await client.connect();
    await client.query(waitForLock(lock));
  } catch (error) {
    throw accountsUnavailable(error);
  }
}

/** Has a connection of its own: the work may need those of the pool. */
async function whileLocked<Result>(url: string, lock: string, work: () => Promise<Result>): Promise<Result> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'duogate',
  });
  // The lock ends with the connection; the work comes to its end all the same.
  client.on('error', () => undefined);
  try {
    await lockBy(client, lock);
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Has things of the same name done one after the other, in the order in which they were asked for. */
class NamedTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const done = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const settled = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(name) === settled) this.#last.delete(name);
      });
    this.#last.set(name, settled);
    return done;
  }
}
