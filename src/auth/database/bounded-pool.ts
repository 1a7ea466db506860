import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult as KyselyResult,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import pg, { type Client, type ClientConfig, type PoolClient, type QueryConfig, type QueryResult } from 'pg';

/**
 * Time limits in milliseconds that the database server enforces, so that an abandoned statement frees its
 * connection.
 */
interface StatementLimits {
  readonly statement: number;
  /** For waiting for a lock. */
  readonly lock: number;
  /** For a transaction without a statement. */
  readonly idle: number;
}

export const REQUEST_LIMITS: StatementLimits = { statement: 4_500, lock: 3_000, idle: 30_000 };
/** Limits for creating tables and indexes, which takes long if there are many rows. */
export const MIGRATION_LIMITS: StatementLimits = { statement: 1_800_000, lock: 60_000, idle: 60_000 };

const CONNECT_TIMEOUT_MS = 2_000;
/** The client waits longer than the server's limit, so only an unreachable server lets it time out. */
const ANSWER_GRACE_MS = 1_000;

export function connectionOptions(url: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'duogate',
  };
}

function startupLimits({ statement, lock, idle }: StatementLimits): ClientConfig {
  return { statement_timeout: statement, lock_timeout: lock, idle_in_transaction_session_timeout: idle };
}

/**
 * Whether the server keeps limits that are sent at the start of a connection. Connection poolers reject or
 * ignore them; limits are then set in each transaction.
 */
export async function acceptsStartupLimits(url: string): Promise<boolean> {
  const client = new pg.Client({ ...connectionOptions(url), ...startupLimits(REQUEST_LIMITS) });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      "SELECT FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') AND setting <> '0'",
    );
    return rows.length === 3;
  } catch (error) {
    if (error instanceof pg.DatabaseError && /startup parameter/i.test(error.message)) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface PoolOptions {
  readonly url: string;
  readonly limits: StatementLimits;
  readonly hasStartupLimits: boolean;
  readonly most: number;
  readonly onLoss: (error: Error) => void;
}

/**
 * A pool whose statements the server ends in time. A connection that does not answer is closed and never
 * reused.
 */
export class BoundedPool {
  readonly #pool: pg.Pool;
  readonly #localLimits: string | undefined;

  constructor({ url, limits, hasStartupLimits, most, onLoss }: PoolOptions) {
    this.#pool = new pg.Pool({
      ...connectionOptions(url),
      ...(hasStartupLimits ? startupLimits(limits) : {}),
      query_timeout: limits.statement + ANSWER_GRACE_MS,
      max: most,
    });
    this.#localLimits = hasStartupLimits ? undefined : localLimits(limits);
    // An idle connection that breaks fails no request: the next request gets another one.
    this.#pool.on('error', onLoss);
    // An error of a connection in use reaches its statement; without a listener, it would also end the
    // process.
    this.#pool.on('connect', (client) => client.on('error', onLoss));
  }

  async connect(): Promise<BoundedClient> {
    return new BoundedClient(await this.#pool.connect(), this.#localLimits);
  }

  async query(statement: QueryConfig): Promise<QueryResult> {
    const client = await this.connect();
    try {
      return await client.query(statement);
    } finally {
      client.release();
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

function localLimits({ statement, lock, idle }: StatementLimits): string {
  return `SET LOCAL statement_timeout = ${statement}; SET LOCAL lock_timeout = ${lock}; SET LOCAL idle_in_transaction_session_timeout = ${idle}`;
}

class BoundedClient implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #localLimits: string | undefined;
  #isInTransaction = false;
  #failure: Error | undefined;

  constructor(client: PoolClient, limits: string | undefined) {
    this.#client = client;
    this.#localLimits = limits;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<KyselyResult<Row>> {
    const { command, rowCount, rows } = await this.query({ text: sql, values: [...parameters] });
    return CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
  }

  streamQuery(): never {
    throw new Error('PostgreSQL gives all rows at once.');
  }

  async begin(): Promise<void> {
    await this.#send(this.#localLimits === undefined ? 'BEGIN' : `BEGIN; ${this.#localLimits}`);
    this.#isInTransaction = true;
  }

  async end(how: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    this.#isInTransaction = false;
    await this.#send(how);
  }

  async query({ name, text, values = [] }: QueryConfig): Promise<QueryResult> {
    if (this.#localLimits === undefined)
      return this.#send({ text, values, ...(name !== undefined && { name }) });
    // Not a prepared statement: the next transaction may get another connection of the server.
    const statement = { text, values };
    if (this.#isInTransaction) return this.#send(statement);
    await this.begin();
    try {
      const result = await this.#send(statement);
      await this.end('COMMIT');
      return result;
    } catch (error) {
      await this.end('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }

  release(): void {
    this.#client.release(this.#failure);
  }

  async #send(statement: string | QueryConfig): Promise<QueryResult> {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      return await (typeof statement === 'string'
        ? this.#client.query(statement)
        : this.#client.query(statement));
    } catch (error) {
      // Unless the server itself reported the error, it may still be executing the statement.
      if (!(error instanceof pg.DatabaseError))
        this.#failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
}

const CHANGES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/** A Kysely dialect for such a pool. */
export function postgresDialect(pool: BoundedPool): Dialect {
  return {
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: () => pool.connect(),
      beginTransaction: (connection) => clientOf(connection).begin(),
      commitTransaction: (connection) => clientOf(connection).end('COMMIT'),
      rollbackTransaction: (connection) => clientOf(connection).end('ROLLBACK'),
      releaseConnection: async (connection) => clientOf(connection).release(),
      destroy: () => pool.end(),
    }),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

function clientOf(connection: DatabaseConnection): BoundedClient {
  if (connection instanceof BoundedClient) return connection;
  throw new Error('The connection is another pool’s.');
}

/**
 * The code for an advisory lock that another client holds.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Begins a transaction and takes an advisory lock until it ends. A lock of the session would stay with a
 * pooler's connection.
 */
export async function takeAdvisoryLock(client: Client, lock: string, waitMs: number): Promise<void> {
  await client.query(
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${waitMs}; SELECT pg_advisory_xact_lock(${lock})`,
  );
}
