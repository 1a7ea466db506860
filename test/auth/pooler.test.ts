import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createPostgres, HAS_POOLER, startPooler } from '../support/postgres.ts';
import type { Answer } from '../support/running-gateway.ts';
import { ACCESS, bearer, keyOf, signIn, signUp } from './account-client.ts';

if (!HAS_POOLER) console.warn('PgBouncer is not installed: what needs it is not tested.');

function instanceOf({ url }: Gateway) {
  return {
    async fetch(path: string, init?: RequestInit): Promise<Answer> {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

describe.skipIf(!HAS_POOLER)('two instances behind a pooler of transactions', () => {
  it('start, sign users in, make keys, and have their statements given up in time', async () => {
    const postgres = await createPostgres();
    await postgres.start();
    onTestFinished(() => postgres.remove());
    const environment = {
      ...ACCESS,
      DATABASE_URL: await startPooler(postgres, onTestFinished),
      BASE_URL: 'http://gateway.example',
      PORT: '0',
      LOG_LEVEL: 'silent',
      UPSTREAM_URL: 'http://127.0.0.1:1',
    };
    const gateways = await Promise.all([1, 2].map(() => startGateway(readConfig(environment))));
    onTestFinished(async () => void (await Promise.all(gateways.map((gateway) => gateway.close()))));
    const [one, other] = gateways.map(instanceOf);
    if (one === undefined || other === undefined) throw new Error('There are not two gateways.');
    const anna = await signUp(one, 'anna@example.com');
    await signIn(other, anna.email);
    const keys = await Promise.all(
      [one, other, one, other, one, other].map((instance) => keyOf(instance, anna)),
    );
    const statusOf = async (headers: Record<string, string>) =>
      (await other.fetch('/odata', { headers })).status;
    const statuses = await Promise.all(keys.map(({ key }) => statusOf({ 'x-api-key': key })));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);

    const operator = new Client({ connectionString: postgres.url });
    await operator.connect();
    onTestFinished(() => operator.end());
    const count = async (condition: string): Promise<number> =>
      (await operator.query(`SELECT 1 FROM ${condition}`)).rows.length;
    expect(await count("pg_locks WHERE locktype = 'advisory'")).toBe(0);
    await operator.query('BEGIN');
    await operator.query('LOCK TABLE "session"');
    const refused = one.fetch('/odata', { headers: bearer('s'.repeat(32)) });
    const waits = "pg_stat_activity WHERE wait_event_type = 'Lock'";
    await vi.waitFor(async () => expect(await count(waits)).toBe(1), 10_000);
    expect((await refused).status).toBe(503);
    expect(await count(waits)).toBe(0);
    await operator.query('ROLLBACK');
  });
});
