import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Log } from '../../contract/log.ts';
import type { AccountsDatabase } from './accounts-database.ts';
import { sqlValuesOf } from './sql-values.ts';

/** A table whose rows expire. */
interface PrunedTable {
  readonly table: string;
  readonly key: string;
  /** The indexed column with the moment of expiry. */
  readonly column: string;
  readonly form: 'moment' | 'milliseconds';
  /** Milliseconds for which rows are kept after they expire. */
  readonly keptMs: number;
}

const DAY_MS = 86_400_000;
const EVERY_MS = 3_600_000;
/** Maximum number of rows per statement: few enough for others to write in between. */
const PORTION = 500;
const PAUSE_MS = 20;

const AUDIT = { table: 'auditEvent', key: 'id', column: 'at', form: 'moment' } as const;
const ENDED: readonly PrunedTable[] = [
  { table: 'session', key: 'id', column: 'expiresAt', form: 'moment', keptMs: 0 },
  { table: 'verification', key: 'id', column: 'expiresAt', form: 'moment', keptMs: 0 },
];
const RATE_LIMITS: PrunedTable = {
  table: 'rateLimit',
  key: 'key',
  column: 'expire',
  form: 'milliseconds',
  keptMs: 0,
};

/** Removes expired rows in portions, at the start and every hour. */
export interface Pruner {
  /** Resolves after the current portion. */
  close(): Promise<void>;
}

export function startPruner(database: AccountsDatabase, auditDays: number, log: Log): Pruner {
  const ending = new AbortController();
  const tables = [
    { ...AUDIT, keptMs: auditDays * DAY_MS },
    ...ENDED,
    ...(database.kind === 'postgres' ? [RATE_LIMITS] : []),
  ];
  const pruneAll = async (): Promise<void> => {
    try {
      for (const table of tables) await prune(database, table, ending.signal);
    } catch (err) {
      if (!ending.signal.aborted) log.warn({ err }, 'rows that have ended could not be removed');
    }
  };
  let running = pruneAll();
  const timer = setInterval(() => {
    running = running.then(pruneAll);
  }, EVERY_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      ending.abort();
      await running;
    },
  };
}

async function prune(
  database: AccountsDatabase,
  { table, key, column, form, keptMs }: PrunedTable,
  signal: AbortSignal,
): Promise<void> {
  const until = new Date(Date.now() - keptMs);
  const value = form === 'moment' ? sqlValuesOf(database).moment(until) : until.getTime();
  const [name, id, moment] = [sql.table(table), sql.ref(key), sql.ref(column)];
  // Several instances that prune at once remove different rows.
  const others = database.kind === 'postgres' ? sql`FOR UPDATE SKIP LOCKED` : sql``;
  const portion = sql`DELETE FROM ${name} WHERE ${id} IN (SELECT ${id} FROM ${name} WHERE ${moment} < ${value} ORDER BY ${moment} LIMIT ${sql.lit(PORTION)} ${others})`;
  while (!signal.aborted) {
    const { numAffectedRows = 0n } = await portion.execute(database.records);
    if (numAffectedRows < PORTION) return;
    await delay(PAUSE_MS, undefined, { ref: false });
  }
}

/** Indexes for pruning and paging: name, table and columns. */
const INDEXES = [
  ['auditEvent_at_id_idx', 'auditEvent', 'at, id'],
  ['session_expiresAt_idx', 'session', 'expiresAt'],
  ['verification_expiresAt_idx', 'verification', 'expiresAt'],
] as const;

export async function createIndexes({ kind, tables }: AccountsDatabase): Promise<void> {
  const indexes = [
    ...INDEXES,
    ...(kind === 'postgres' ? [['rateLimit_expire_idx', 'rateLimit', 'expire']] : []),
  ];
  for (const [name = '', table = '', columns = ''] of indexes)
    await createIndex(tables, name, table, columns.split(', '));
  // The index of two columns replaces this one.
  await sql`DROP INDEX IF EXISTS ${sql.ref('auditEvent_at_idx')}`.execute(tables);
}

async function createIndex(
  tables: Kysely<unknown>,
  name: string,
  table: string,
  columns: readonly string[],
): Promise<void> {
  const list = sql.join(columns.map((column) => sql.ref(column)));
  await sql`CREATE INDEX IF NOT EXISTS ${sql.ref(name)} ON ${sql.table(table)} (${list})`.execute(tables);
}
