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
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import pg from 'pg';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import { accountsUnavailable } from './accounts-store.ts';
import {
  acceptsStartupLimits,
  BoundedPool,
  connectionOptions,
  LOCK_NOT_AVAILABLE,
  MIGRATION_LIMITS,
  postgresDialect,
  REQUEST_LIMITS,
  takeAdvisoryLock,
} from './bounded-pool.ts';
import { isWrongSecret } from './secret-check.ts';

/**
 * The database of the accounts: a SQLite file for one instance, or a PostgreSQL database that several
 * instances share.
 */
export type AccountsPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string };

interface Opened {
  /**
   * Runs the queries of requests. There is one, because a transaction of one query builder blocks the others.
   */
  readonly tables: Kysely<unknown>;
  /**
   * Runs queries that read or remove many rows, on connections of their own, so that no sign-in waits for
   * them.
   */
  readonly records: Kysely<unknown>;
  /**
   * Runs the work while no other process does so with this database. Its statements have the time limits of a
   * migration.
   */
  exclusively<Result>(work: (database: AccountsDatabase) => Promise<Result>): Promise<Result>;
  /**
   * Runs the work while no other process on this database runs work of the same name. No time limit. Throws
   * AccountsUnavailable if the database cannot be reached.
   */
  inTurn<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export type AccountsDatabase = Opened &
  ({ readonly kind: 'sqlite' } | { readonly kind: 'postgres'; readonly connection: BoundedPool });

export async function openAccountsDatabase(place: AccountsPlace, log: Log): Promise<AccountsDatabase> {
  return place.kind === 'sqlite' ? openSqlite(place.path) : openPostgres(place.url, log);
}

/** Only the operator's system user may read the file: it holds password hashes and sessions. */
async function openSqlite(path: string): Promise<AccountsDatabase> {
  const isFile = path !== ':memory:';
  if (isFile) makeFolder(dirname(path));
  const connection = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  if (isFile) chmodSync(path, 0o600);
  await onceUnlocked(() => connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL'));
  const turns = new NamedTurns();
  const tables: Kysely<unknown> = new Kysely({ dialect: sqliteDialect(connection) });
  const database: AccountsDatabase = {
    kind: 'sqlite',
    tables,
    records: tables,
    async exclusively(work) {
      await onceUnlocked(() => connection.exec('BEGIN IMMEDIATE'));
      try {
        const result = await work(database);
        connection.exec('COMMIT');
        return result;
      } catch (error) {
        if (connection.isTransaction) connection.exec('ROLLBACK');
        throw error;
      }
    },
    // A SQLite file belongs to one instance, so a lock in memory is enough.
    inTurn: (name, work) => turns.take(name, work),
    async close() {
      connection.close();
    },
  };
  return database;
}

/**
 * Creates a folder and its parents. Node's own `recursive` option never returns where the system refuses, as
 * in /proc.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another instance may have created the folder meanwhile.
    if (!existsSync(path)) throw error;
  }
}

/** Short, because the lock blocks the whole process; callers retry instead. */
const LOCK_TIMEOUT_MS = 10;

/** The key of an advisory lock that no other program uses on this database: "duogate" in ASCII. */
const LOCK = '28274058640717925';

const ADVISORY_LOCK_WAIT_MS = 60_000;
/** Maximum numbers of connections: for requests, for reading or removing many rows, and for migrations. */
const CONNECTIONS = { requests: 8, records: 2, migration: 2 } as const;

async function openPostgres(url: string, log: Log): Promise<AccountsDatabase> {
  const hasStartupLimits = await acceptsStartupLimits(url);
  const onLoss = (err: Error) => log.warn({ err }, 'a connection to the accounts was lost');
  const shared = { url, hasStartupLimits, limits: REQUEST_LIMITS, onLoss };
  const connection = new BoundedPool({ ...shared, most: CONNECTIONS.requests });
  const records = new BoundedPool({ ...shared, most: CONNECTIONS.records });
  const turns = new NamedTurns();
  const database: AccountsDatabase = {
    kind: 'postgres',
    connection,
    tables: postgresTables(connection),
    records: postgresTables(records),
    // Two instances that create the same tables at once would both fail.
    exclusively: (work) =>
      whileLocked(url, LOCK, async () => {
        const slow = new BoundedPool({ ...shared, limits: MIGRATION_LIMITS, most: CONNECTIONS.migration });
        const tables = postgresTables(slow);
        try {
          return await work({ ...database, kind: 'postgres', connection: slow, tables, records: tables });
        } finally {
          await slow.end();
        }
      }),
    // Local turns come first, because each lock occupies a connection.
    inTurn: (name, work) => turns.take(name, () => whileLocked(url, lockOf(name), work)),
    async close() {
      await Promise.all([connection.end(), records.end()]);
    },
  };
  return database;
}

function postgresTables(pool: BoundedPool): Kysely<unknown> {
  return new Kysely({ dialect: postgresDialect(pool) });
}

/** The advisory lock of a name; PostgreSQL identifies locks by number. */
function lockOf(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}

async function lockBy(client: pg.Client, lock: string): Promise<void> {
  try {
    await client.connect();
    await takeAdvisoryLock(client, lock, ADVISORY_LOCK_WAIT_MS);
  } catch (error) {
    throw error instanceof pg.DatabaseError && error.code === LOCK_NOT_AVAILABLE
      ? lockedByAnother(error)
      : accountsUnavailable(error);
  }
}

function lockedByAnother(cause: Error): GatewayError {
  const message = 'Another process is doing the same for a long time. Repeat the request later.';
  return new GatewayError('Overloaded', message, { cause, headers: { 'retry-after': '5' } });
}

/** The name of the lock for changes of the project. */
export const PROJECT_LOCK = 'project';

/** Does the work while no other process changes the project, for a process that has not opened the database. */
export function whileProjectLocked<Result>(url: string, work: () => Promise<Result>): Promise<Result> {
  return whileLocked(url, lockOf(PROJECT_LOCK), work);
}

/** Uses a connection of its own, because the work may need those of the pool. */
async function whileLocked<Result>(url: string, lock: string, work: () => Promise<Result>): Promise<Result> {
  const client = new pg.Client(connectionOptions(url));
  // PostgreSQL releases the lock with the connection; the work still runs to its end.
  client.on('error', () => undefined);
  try {
    await lockBy(client, lock);
    return await work();
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Runs work of the same name one after the other, in the order of the calls. */
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

/**
 * Time that a statement retries while another process holds the file's lock, and the pause between attempts.
 */
const LOCK_WAIT_MS = 5_000;
const ATTEMPT_MS = 20;

/**
 * A Kysely dialect for Node's SQLite module.
 *
 * Statements run synchronously, so none needs the connection for itself; a transaction holds it until its
 * end. While another process holds the file's lock, only the statement waits: the event loop continues, and
 * so do reads, which need no lock in WAL mode.
 */
export function sqliteDialect(database: DatabaseSync): Dialect {
  return {
    createDriver: () => new SqliteDriver(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Retries the work while the file is locked. The work must be synchronous. */
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

/** SQLITE_BUSY without its extended code: https://www.sqlite.org/rescode.html#busy */
const BUSY = 5;

function isLocked(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === BUSY
  );
}

/** A queue for the connection, which one transaction holds at a time. */
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
      // A transaction that begins with a read could not write after another process has written.
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
      // When the disk is full, SQLite rolls back by itself.
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
 * Explains which database cannot be opened and why, if the system or the database gave a reason; returns
 * internal errors unchanged. The address is shown without its credentials.
 */
export function unopenedDatabase(place: AccountsPlace, cause: unknown): unknown {
  if (isWrongSecret(cause) || !isExplained(cause)) return cause;
  const message = `The accounts database ${shownPlace(place)} cannot be opened: ${reasonOf(cause)}`;
  return new GatewayError('AccountsUnavailable', message, { cause });
}

/** If a name resolves to several addresses, each attempt to connect fails with an error of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

function isExplained(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof AggregateError ||
    'code' in error ||
    isExplained(error.cause) ||
    DRIVER.test(error.message)
  );
}

/** Errors of the PostgreSQL driver have no code, only these messages. */
const DRIVER = /timeout|terminated/i;

function shownPlace(place: AccountsPlace): string {
  if (place.kind === 'sqlite') return place.path;
  const { host, pathname } = new URL(place.url);
  return `postgres://${host}${pathname}`;
}

const ATTEMPT_INTERVAL_MS = 500;

/**
 * Retries the work while the database cannot be reached, because both may be starting. Errors that do not
 * pass, such as a wrong password, fail at once.
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
 * Temporary errors of the system and of PostgreSQL:
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

/** Temporary errors of the driver, which have no code. */
const LOST = /timeout exceeded when trying to connect|connection terminated|query read timeout/i;

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isLocked(error) || LOST.test(error.message)) return true;
  if ('code' in error && PASSING.has(String(error.code))) return true;
  const within = error instanceof AggregateError ? error.errors : [error.cause];
  return within.some(isPassing);
}
