import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { ACCESS } from '../auth/account-client.ts';
import { outcome } from '../cli/command.ts';
import { createPostgres, HAS_POSTGRES, type Postgres } from '../support/postgres.ts';
import { documentOf } from '../support/temporary-project.ts';
import { postsProject } from './registry-gateway.ts';

const UPSTREAM = 'http://127.0.0.1:9';

describe.skipIf(!HAS_POSTGRES)('a project whose gateways have their accounts in PostgreSQL', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await createPostgres();
    await postgres.start();
  }, 60_000);
  afterAll(() => postgres.remove());

  /** Every lock that a session of the database has or waits for. */
  async function advisoryLocks(client: pg.Client): Promise<readonly { classid: string; granted: boolean }[]> {
    const { rows } = await client.query(
      "select classid::text || ' ' || objid::text as classid, granted from pg_locks where locktype = 'advisory'",
    );
    return rows;
  }

  it('has commands wait for the lock that gateways take for a change', async () => {
    const project = postsProject(UPSTREAM);
    project.write('bees.yaml', documentOf('Bee'));
    const environment = {
      ...ACCESS,
      DATABASE_URL: postgres.url,
      MESH_CONFIG: project.path('.meshrc.yaml'),
      REGISTRY_HOSTS: '127.0.0.1',
    };
    const gateway = await startGateway(readConfig({ ...environment, PORT: '0', LOG_LEVEL: 'silent' }));
    await gateway.close();
    const other = new pg.Client(postgres.url);
    await other.connect();
    // The number of the lock, as the documentation of several instances has it: SHA-256 of its name.
    await other.query(
      "select pg_advisory_lock(('x' || substr(encode(sha256('project'), 'hex'), 1, 16))::bit(64)::bigint)",
    );
    const ended: string[] = [];
    const run = async (...args: readonly string[]) => {
      const { code, stderr } = await outcome(args, environment, '', project.directory);
      ended.push(String(args[0]));
      return [code, stderr];
    };
    const bees = project.path('bees.yaml');
    const commands = [
      run('api', 'register', 'Bees', bees, '--service-url', UPSTREAM),
      run('grant', 'Guest', 'Post', 'View'),
    ];
    await expect
      .poll(async () => (await advisoryLocks(other)).filter(({ granted }) => !granted).length, {
        timeout: 20_000,
      })
      .toBe(2);
    expect(ended).toStrictEqual([]);
    await other.end();
    expect(await Promise.all(commands)).toStrictEqual([
      [0, ''],
      [0, ''],
    ]);
  }, 60_000);

  it('is not changed by a command that cannot reach the database', async () => {
    const project = postsProject(UPSTREAM);
    const environment = {
      ...ACCESS,
      DATABASE_URL: 'postgres://duogate@127.0.0.1:1/postgres',
      MESH_CONFIG: project.path('.meshrc.yaml'),
    };
    const { code, stderr } = await outcome(
      ['grant', 'Guest', 'Post', 'View'],
      environment,
      '',
      project.directory,
    );
    expect([code, stderr]).toStrictEqual([1, expect.stringContaining('cannot be reached')]);
    expect(existsSync(project.path('openapi/posts.overlay.yaml'))).toBe(false);
  });
});
