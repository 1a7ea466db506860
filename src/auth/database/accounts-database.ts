import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresDialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { Client, Pool, type QueryConfig } from 'pg';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import { accountsUnavailable } from './accounts-store.ts';

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

/**
 * Makes a folder and those above it. Node's own way never comes to an end where the system lets none be made, as in
 * /proc.
 */
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

const ADVISORY_LOCK_WAIT_MS = 60_000;

function waitForLock(lock: string): QueryConfig & { query_timeout: number } {
  return { text: 'SELECT pg_advisory_lock($1)', values: [lock], query_timeout: ADVISORY_LOCK_WAIT_MS };
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

/** How long another process that holds the file's lock is waited for, between attempts, by whoever needs it. */
const LOCK_WAIT_MS = 5_000;
const ATTEMPT_MS = 20;

/**
 * SQLite by Node's own module, for Kysely.
 *
 * Statements run at once, so that none of them needs the connection for itself; a transaction has it until its
 * end. Where another process holds the file's lock, nobody but the statement waits: the loop goes on, and so do
 * reads, which need no lock in WAL mode.
 */
export function sqliteDialect(database: DatabaseSync): Dialect {
  return {
    createDriver: () => new SqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Does the work again while the file is locked. It must not wait itself. */
async function onceUnlocked<Result>(work: () => Result): Promise<Result> {
  const until = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() > until) throw error;
    }
    await delay(ATTEMPT_MS);
  }
}

/** SQLITE_BUSY, whatever it is extended by: https://www.sqlite.org/rescode.html#busy */
const BUSY = 5;

function isLocked(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === BUSY
  );
}

/** The transaction that has the connection, and those that wait for it. */
class Turns {
  #holder: object | undefined;
  #waiting: (() => void)[] = [];

  async untilFree(asking: object): Promise<void> {
    while (this.#holder !== undefined && this.#holder !== asking) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async take(asking: object): Promise<void> {
    await this.untilFree(asking);
    this.#holder = asking;
  }

  leave(asking: object): void {
    if (this.#holder !== asking) return;
    this.#holder = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #turns = new Turns();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new SqliteConnection(this.#database, this.#turns);
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#turns.take(connection);
    try {
      // What has read already could not become a writer after another process has written.
      await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    } catch (error) {
      this.#turns.leave(connection);
      throw error;
    }
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
    this.#turns.leave(connection);
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      // A full disk has SQLite take the transaction back by itself.
      if (this.#database.isTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'));
    } finally {
      this.#turns.leave(connection);
    }
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #database: DatabaseSync;
  readonly #turns: Turns;

  constructor(database: DatabaseSync, turns: Turns) {
    this.#database = database;
    this.#turns = turns;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    await this.#turns.untilFree(this);
    return onceUnlocked(() => this.#run<Row>(sql, parameters as readonly SQLInputValue[]));
  }

  streamQuery(): never {
    throw new Error('SQLite gives all rows at once.');
  }

  #run<Row>(sql: string, parameters: readonly SQLInputValue[]): QueryResult<Row> {
    const statement = this.#database.prepare(sql);
    if (statement.columns().length > 0) return { rows: statement.all(...parameters) as Row[] };
    const { changes } = statement.run(...parameters);
    return { rows: [], numAffectedRows: BigInt(changes) };
  }
}

/**
 * Says which database cannot be opened, and why, where the system or the database has said so; any other error, which
 * is a fault of ours, comes back as it is. The place is shown without its credentials.
 */
export function unopenedDatabase(place: AccountsPlace, cause: unknown): unknown {
  if (!isTold(cause)) return cause;
  const message = `The accounts database ${shownPlace(place)} cannot be opened: ${reasonOf(cause)}`;
  return new GatewayError('AccountsUnavailable', message, { cause });
}

/** Where a name has several addresses, each attempt to connect has failed for a reason of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

function isTold(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof AggregateError || 'code' in error || isTold(error.cause) || DRIVER.test(error.message)
  );
}

/** What the PostgreSQL driver says has no code. */
const DRIVER = /timeout|terminated/i;

function shownPlace(place: AccountsPlace): string {
  if (place.kind === 'sqlite') return place.path;
  const { host, pathname } = new URL(place.url);
  return `postgres://${host}${pathname}`;
}

const ATTEMPT_INTERVAL_MS = 500;

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
      if (!isPassing(err) || performance.now() + ATTEMPT_INTERVAL_MS > until) throw err;
      if (isFirst)
        log.warn(
          { reason: reasonOf(err), waitMs },
          'the accounts database cannot be reached yet: waiting for it',
        );
    }
    await delay(ATTEMPT_INTERVAL_MS);
  }
}

/**
 * The error codes of the system and of PostgreSQL that pass by themselves:
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
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
