import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/server/logger.ts';
import { outcome } from '../cli/command.ts';
import { createPostgres, HAS_POSTGRES, type Postgres } from '../support/postgres.ts';
import type { Answer } from '../support/running-gateway.ts';
import { createProject } from '../support/temporary-project.ts';
import { ACCESS, bearer, keyOf, PASSWORD, send, signIn, signUp, tokenOf } from './account-client.ts';

interface Instance {
  readonly gateway: Gateway;
  readonly lines: readonly string[];
  fetch(path: string, init?: RequestInit): Promise<Answer>;
}

async function startOn(
  database: string,
  lines: string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Instance> {
  const config = readConfig({
    ...ACCESS,
    ...environment,
    DATABASE_URL: database,
    BASE_URL: 'http://gateway.example',
    PORT: '0',
    UPSTREAM_URL: 'http://127.0.0.1:1',
  });
  const log = createLogger({ level: 'warn', destination: { write: (line) => lines.push(line) } });
  const gateway = await startGateway(config, log);
  return {
    gateway,
    lines,
    async fetch(path, init) {
      const response = await fetch(`${gateway.url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

const statusOf = async (instance: Instance, headers: Record<string, string>): Promise<number> =>
  (await instance.fetch('/odata', { headers })).status;

describe.skipIf(!HAS_POSTGRES)('PostgreSQL', () => {
  let postgres: Postgres;
  let one: Instance;
  beforeAll(async () => {
    postgres = await createPostgres();
    const lines: string[] = [];
    const starting = startOn(postgres.url, lines);
    await vi.waitFor(() => expect(lines.join('')).toContain('waiting for it'), 10_000);
    await postgres.start();
    one = await starting;
  });
  afterAll(async () => {
    await one.gateway.close();
    await postgres.remove();
  });

  /** A connection beside the gateway's. */
  const connected = async (): Promise<Client> => {
    const client = new Client({ connectionString: postgres.url });
    client.on('error', () => {});
    await client.connect();
    return client;
  };

  /** The number of statements that wait for a lock. */
  const waiting = async (client: Client): Promise<number> => {
    const { rows } = await client.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    return rows.length;
  };

  it('is waited for at a start', async () => {
    const { email } = await signUp(one, 'early@example.com');
    expect(email).toBe('early@example.com');
  });

  it('may be restarted while its connections are in use: none of them ends the process', async () => {
    const { email } = await signUp(one, 'anna@example.com');
    const signingIn = () => send(one, '/sign-in/email', { email, password: PASSWORD });
    for (let time = 0; time < 10; time += 1) {
      const [holder, looker] = await Promise.all([connected(), connected()]);
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE "user"');
      const clients = Array.from({ length: 4 }, signingIn);
      await vi.waitFor(async () => expect(await waiting(looker)).toBeGreaterThan(0), 10_000);
      await postgres.stop();
      expect((await Promise.all(clients)).map(({ status }) => status)).toStrictEqual([503, 503, 503, 503]);
      await postgres.start();
    }
    expect((await signingIn()).status).toBe(200);
  });

  it('keeps nobody waiting who needs no table that is locked, and gives up what waits for it', async () => {
    const admin = await signUp(one, 'root@example.com');
    await outcome(['user', 'role', admin.email, 'Admin'], { DATABASE_URL: postgres.url });
    const { session } = await signIn(one, admin.email);
    const other = await signUp(one, 'other@example.com');
    const [holder, looker] = await Promise.all([connected(), connected()]);
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE "auditEvent"');
    const pages = Array.from({ length: 12 }, () =>
      one.fetch('/api/auth/audit', { headers: bearer(session) }),
    );
    await vi.waitFor(async () => expect(await waiting(looker)).toBeGreaterThan(0), 10_000);
    const { key } = await keyOf(one, other);
    expect(await statusOf(one, { 'x-api-key': key })).toBe(200);
    const statuses = (await Promise.all(pages)).map(({ status }) => status);
    expect(new Set(statuses)).toStrictEqual(new Set([503]));
    // The server itself has given them up: the lock is held for longer than any of them waits.
    await vi.waitFor(async () => expect(await waiting(looker)).toBe(0), 20_000);
    const ready = await one.fetch('/health/ready');
    expect([ready.status, JSON.parse(ready.text)]).toStrictEqual([200, { status: 'ready' }]);
    await holder.query('ROLLBACK');
    expect((await one.fetch('/api/auth/audit', { headers: bearer(session) })).status).toBe(200);
    await Promise.all([holder.end(), looker.end()]);
  });

  it('reads a page of the audit that is far back by an index', async () => {
    const operator = await connected();
    await operator.query('SET enable_seqscan = off');
    const plan = await operator.query(
      `EXPLAIN SELECT * FROM "auditEvent" WHERE ("at", "id") < (now(), 'x') ORDER BY "at" DESC, "id" DESC LIMIT 101`,
    );
    const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toContain('auditEvent_at_id_idx');
    expect(text).toContain('Index Cond: (ROW(at, id) <');
    await operator.end();
  });

  it('loses what has ended at the next start, in portions', async () => {
    const operator = await connected();
    await operator.query(
      `INSERT INTO "session" (id, "expiresAt", token, "createdAt", "updatedAt", "userId")
        SELECT 'ended ' || n, now() - interval '1 hour', 'ended ' || n, now(), now(), (SELECT id FROM "user" LIMIT 1)
        FROM generate_series(1, 1200) n`,
    );
    await operator.query(
      `INSERT INTO "verification" (id, identifier, value, "expiresAt", "createdAt", "updatedAt")
        SELECT 'ended ' || n, 'x', 'x', now() - interval '1 hour', now(), now() FROM generate_series(1, 600) n`,
    );
    await operator.query(
      `INSERT INTO "rateLimit" (key, points, expire) SELECT 'ended ' || n, 1, 1000 FROM generate_series(1, 600) n`,
    );
    const left = async (): Promise<unknown> => {
      const { rows } = await operator.query(
        `SELECT (SELECT count(*) FROM "session" WHERE id LIKE 'ended%') AS sessions,
          (SELECT count(*) FROM "verification" WHERE id LIKE 'ended%') AS verifications,
          (SELECT count(*) FROM "rateLimit" WHERE key LIKE 'ended%') AS limits`,
      );
      return rows[0];
    };
    expect(await left()).toEqual({ sessions: '1200', verifications: '600', limits: '600' });
    const { gateway } = await startOn(postgres.url);
    await vi.waitFor(
      async () => expect(await left()).toEqual({ sessions: '0', verifications: '0', limits: '0' }),
      20_000,
    );
    await gateway.close();
    await operator.end();
  });

  it('does not count what it could not judge as wrong passwords', async () => {
    const { email } = await signUp(one, 'ben@example.com');
    const right = () => send(one, '/sign-in/email', { email, password: PASSWORD });
    const operator = await connected();
    await operator.query('ALTER TABLE "user" RENAME TO "away"');
    const statuses = [];
    for (let time = 0; time < 6; time += 1) statuses.push((await right()).status);
    await operator.query('ALTER TABLE "away" RENAME TO "user"');
    await operator.end();
    expect([...statuses, (await right()).status]).toStrictEqual([503, 503, 503, 503, 503, 503, 200]);
  });

  it('is not needed for tokens and for sessions that it was asked for within five minutes', async () => {
    const cat = await signUp(one, 'cat@example.com');
    const other = await signIn(one, cat.email);
    const token = await tokenOf(one, cat);
    const asAll = () =>
      Promise.all([cat.session, other.session, token].map((credential) => statusOf(one, bearer(credential))));
    expect(await Promise.all([cat.session, token].map((each) => statusOf(one, bearer(each))))).toStrictEqual([
      200, 200,
    ]);
    await postgres.stop();
    const now = performance.now.bind(performance);
    let later = 60_000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
    try {
      expect(await asAll()).toStrictEqual([200, 503, 200]);
      later = 240_000;
      expect(await asAll()).toStrictEqual([200, 503, 200]);
      later = 310_000;
      expect(await statusOf(one, bearer(cat.session))).toBe(503);
    } finally {
      clock.mockRestore();
      await postgres.start();
    }
  });
});

it('a database is waited for no longer than DATABASE_WAIT_MS', async () => {
  const starting = startOn('postgres://duogate@127.0.0.1:1/none', [], { DATABASE_WAIT_MS: '0' });
  await expect(starting).rejects.toMatchObject({
    code: 'AccountsUnavailable',
    cause: { code: 'ECONNREFUSED' },
  });
});

it('a SQLite file loses what has ended at the next start', async () => {
  const path = createProject({}).path('accounts.sqlite');
  const first = await startOn(path);
  const { id, session } = await signUp(first, 'anna@example.com');
  await first.gateway.close();
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    'INSERT INTO session (id, expiresAt, token, createdAt, updatedAt, userId) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const past = '2001-01-01T00:00:00.000Z';
  for (let number = 0; number < 1200; number += 1)
    insert.run(`ended ${number}`, past, `ended ${number}`, past, past, id);
  const count = () => database.prepare('SELECT count(*) AS number FROM session').get()?.['number'];
  const second = await startOn(path);
  await vi.waitFor(() => expect(count()).toBe(1), 20_000);
  expect(await statusOf(second, bearer(session))).toBe(200);
  await second.gateway.close();
  database.close();
});

describe('a SQLite file that another process has locked', () => {
  it('keeps only those waiting who write to it', async () => {
    const path = createProject({}).path('accounts.sqlite');
    const one = await startOn(path);
    const { session } = await signUp(one, 'anna@example.com');
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    let isAnswered = false;
    const signingUp = send(one, '/sign-up/email', {
      name: 'Ben',
      email: 'ben@example.com',
      password: PASSWORD,
    }).finally(() => {
      isAnswered = true;
    });
    // The lock is waited for no longer than for some seconds.
    for (let time = 0; time < 5; time += 1) {
      expect((await one.fetch('/health/live')).status).toBe(200);
      expect(await statusOf(one, bearer(session))).toBe(200);
    }
    expect(isAnswered).toBe(false);
    other.exec('COMMIT');
    other.close();
    expect((await signingUp).status).toBe(200);
    await one.gateway.close();
  });
});
