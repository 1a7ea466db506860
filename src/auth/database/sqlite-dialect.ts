import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

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
export async function onceUnlocked<Result>(work: () => Result): Promise<Result> {
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

export function isLocked(error: unknown): boolean {
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
