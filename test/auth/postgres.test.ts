import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { outcome } from '../cli/command.ts';
import { notesProject } from '../mesh/upstream-credentials/notes-scene.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { ownAddress } from '../support/own-name.ts';
import { createPostgres, HAS_POSTGRES, type Postgres } from '../support/postgres.ts';
import type { Answer } from '../support/running-gateway.ts';
import {
  ACCESS,
  bearer,
  keyOf,
  PASSWORD,
  type SignedIn,
  send,
  signIn,
  signUp,
  tokenOf,
} from './account-client.ts';

interface Instance {
  fetch(path: string, init?: RequestInit): Promise<Answer>;
}

const ROOT = 'root@example.com';

let postgres: Postgres;
let gateways: readonly Gateway[];
let one: Instance;
let other: Instance;

function instanceOf({ url }: Gateway): Instance {
  return {
    async fetch(path, init) {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

if (!HAS_POSTGRES) console.warn('PostgreSQL is not installed: what needs it is not tested.');

// An earlier test makes the administrator that a later one is.
describe.skipIf(!HAS_POSTGRES)('two instances on one PostgreSQL', { shuffle: false }, () => {
  beforeAll(async () => {
    postgres = await createPostgres();
    await postgres.start();
    const project = notesProject(
      'http://127.0.0.1:1',
      { userKey: { header: 'X-Key' } },
      undefined,
      atEndOfFile,
    );
    const environment = {
      ...ACCESS,
      DATABASE_URL: postgres.url,
      BASE_URL: 'http://gateway.example',
      PORT: '0',
      LOG_LEVEL: 'silent',
      MESH_CONFIG: project.path('.meshrc.yaml'),
      UPSTREAM_CREDENTIALS: project.path('credentials.yaml'),
    };
    // The database is empty: both find that the tables are missing.
    gateways = await Promise.all([1, 2].map(() => startGateway(readConfig(environment))));
    [one, other] = gateways.map(instanceOf) as [Instance, Instance];
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await postgres.remove();
  });

  const status = async (instance: Instance, headers: Record<string, string>): Promise<number> =>
    (await instance.fetch('/odata', { headers })).status;

  it('know the same accounts, sessions, tokens and keys', async () => {
    await signUp(one, 'anna@example.com');
    const anna = await signIn(other, 'anna@example.com');
    const credentials = [
      bearer(anna.session),
      bearer(await tokenOf(one, anna)),
      bearer(await tokenOf(other, anna)),
      { 'x-api-key': (await keyOf(other, anna)).key },
    ];
    for (const headers of credentials) {
      expect([await status(one, headers), await status(other, headers)]).toStrictEqual([200, 200]);
    }
  });

  it('sign tokens with one key', async () => {
    const keys = await Promise.all([one, other].map((instance) => instance.fetch('/api/auth/jwks')));
    expect(JSON.parse(keys[0]?.text ?? '').keys).toHaveLength(1);
    expect(keys[1]?.text).toBe(keys[0]?.text);
  });

  it('give a user no more keys than there may be, when they are asked for at once', async () => {
    const { session } = await signUp(one, ownAddress('kim'));
    const make = (_: unknown, index: number) =>
      send(index % 2 === 0 ? one : other, '/keys', { name: 'Excel' }, bearer(session));
    const answers = await Promise.all(Array.from({ length: 55 }, make));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toStrictEqual([...Array(50).fill(201), ...Array(5).fill(409)]);
  });

  it('store a key for an upstream several times at once', async () => {
    const { session } = await signUp(one, ownAddress('kim'));
    const headers = { ...bearer(session), 'content-type': 'application/json' };
    const store = async (_: unknown, index: number) => {
      const init = { method: 'PUT', body: JSON.stringify({ key: `key ${index}` }), headers };
      return (await (index % 2 === 0 ? one : other).fetch('/api/auth/upstream-keys/Notes', init)).status;
    };
    expect(await Promise.all(Array.from({ length: 8 }, store))).toStrictEqual(Array(8).fill(204));
  });

  it('end what was ended at the other', async () => {
    const ben = await signUp(one, 'ben@example.com');
    await send(other, '/sign-out', '', bearer(ben.session));
    expect(await status(one, bearer(ben.session))).toBe(401);
  });

  it('count guesses together', async () => {
    const email = ownAddress('cat');
    await signUp(one, email);
    const statuses = [];
    for (const instance of [one, other, one, other, one, other, one]) {
      const body = { email, password: 'wrong horse' };
      statuses.push((await send(instance, '/sign-in/email', body)).status);
    }
    expect(statuses).toStrictEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  it('keep an administrator where each of two takes the role from the other', async () => {
    const operate = (...args: readonly string[]) => outcome(args, { DATABASE_URL: postgres.url });
    const emails = ['ada@example.com', 'eve@example.com'];
    for (const email of emails) await signUp(one, email);
    await operate('user', 'role', 'ada@example.com', 'Admin');
    // Where another test has made it, it would be the administrator that is left.
    await operate('user', 'remove', ROOT, '--yes');
    for (let round = 0; round < 5; round += 1) {
      for (const email of emails) await operate('user', 'role', email, 'Admin');
      const [ada, eve] = await Promise.all(emails.map((email) => signIn(one, email)));
      const demote = async (instance: Instance, by?: SignedIn, whom?: SignedIn) => {
        const headers = { 'content-type': 'application/json', ...bearer(by?.session ?? '') };
        const body = JSON.stringify({ roles: ['User'] });
        const answer = await instance.fetch(`/api/auth/users/${whom?.id}`, {
          method: 'PATCH',
          headers,
          body,
        });
        return answer.status;
      };
      const statuses = await Promise.all([demote(one, ada, eve), demote(other, eve, ada)]);
      expect(statuses.filter((each) => each === 200)).toHaveLength(1);
    }
  });

  it('find accounts by what they are called, and let whoever is invited in at the other', async () => {
    await outcome(
      ['user', 'add', ROOT, '--role', 'Admin', '--password-stdin'],
      { DATABASE_URL: postgres.url },
      PASSWORD,
    );
    const { session } = await signIn(one, ROOT);
    const headers = { 'content-type': 'application/json', ...bearer(session) };
    const { text } = await one.fetch('/api/auth/users?search=ROOT%40&state=active', { headers });
    expect(JSON.parse(text)).toMatchObject({
      users: [{ email: ROOT, roles: ['Admin'] }],
      total: 1,
      next: null,
    });
    expect(JSON.parse((await one.fetch('/api/auth/users?search=%25', { headers })).text).users).toStrictEqual(
      [],
    );
    const email = ownAddress('fay');
    const body = JSON.stringify({ email, roles: ['User', 'Editor'] });
    const made = await one.fetch('/api/auth/invitations', { method: 'POST', headers, body });
    const invitation = new URL(JSON.parse(made.text).url).searchParams.get('invitation');
    await send(other, '/sign-up/email', { name: 'Fay', email, password: PASSWORD, invitation });
    const shown = await one.fetch(`/api/auth/users?search=${email}`, { headers });
    expect(JSON.parse(shown.text).users).toMatchObject([{ roles: ['User', 'Editor'], state: 'active' }]);
    expect(JSON.parse((await other.fetch('/api/auth/invitations', { headers })).text)).toStrictEqual({
      invitations: [],
    });
  });

  it('invite one address several times at once', async () => {
    const { session } = await signIn(one, ROOT);
    const headers = { 'content-type': 'application/json', ...bearer(session) };
    const body = JSON.stringify({ email: ownAddress('gus') });
    const invite = async (_: unknown, index: number) => {
      const init = { method: 'POST', headers, body };
      return (await (index % 2 === 0 ? one : other).fetch('/api/auth/invitations', init)).status;
    };
    expect(await Promise.all(Array.from({ length: 8 }, invite))).toStrictEqual(Array(8).fill(201));
  });

  it('let tokens in while the database is gone, and all else when it is back', async () => {
    const dora = await signUp(one, 'dora@example.com');
    const token = await tokenOf(one, dora);
    const signingIn = () => send(one, '/sign-in/email', { email: dora.email, password: PASSWORD });
    await postgres.stop();
    expect([await status(one, bearer(token)), await status(other, bearer(token))]).toStrictEqual([200, 200]);
    expect(await status(one, bearer(dora.session))).toBe(503);
    const refused = await signingIn();
    expect([refused.status, refused.headers.get('retry-after'), JSON.parse(refused.text)]).toStrictEqual([
      503,
      '5',
      { code: 'AccountsUnavailable', message: 'The accounts cannot be reached at the moment.' },
    ]);
    const left = await send(one, '/sign-out', '', { cookie: dora.cookie, origin: 'http://gateway.example' });
    expect([left.status, left.headers.getSetCookie()[0]]).toStrictEqual([
      503,
      'duogate.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ]);
    const ready = await one.fetch('/health/ready');
    expect([ready.status, JSON.parse(ready.text)]).toStrictEqual([200, { status: 'degraded' }]);
    await postgres.start();
    expect((await signingIn()).status).toBe(200);
  });
});
