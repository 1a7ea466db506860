import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { ownAddress } from '../support/own-name.ts';
import { postsApi, useGateway } from '../support/running-gateway.ts';
import { ACCESS, bearer, type SignedIn, send, signUp } from './account-client.ts';

const gateway = useGateway(ACCESS);
let user: SignedIn;
beforeAll(async () => {
  gateway.upstream.behave(postsApi);
  user = await signUp(gateway, 'anna@example.com');
});

async function create(body: object) {
  const { status, text } = await send(gateway, '/keys', { name: 'Excel', ...body }, bearer(user.session));
  return { status, body: JSON.parse(text) };
}

async function list() {
  const { text } = await gateway.fetch('/api/auth/keys', { headers: bearer(user.session) });
  return JSON.parse(text).keys;
}

describe('a new key', () => {
  it('is told with its scope, in one order', async () => {
    const { status, body } = await create({ expiresInDays: 1, scope: { Post: ['Insert', 'View', 'View'] } });
    expect([status, body]).toStrictEqual([
      201,
      {
        id: expect.any(String),
        name: 'Excel',
        start: body.key.slice(0, 10),
        createdAt: expect.any(String),
        expiresAt: expect.any(String),
        scope: { Post: ['View', 'Insert'] },
        lastUsedAt: null,
        key: expect.stringMatching(/^duo_/),
      },
    ]);
    expect(await list()).toContainEqual({ ...body, key: undefined });
  });

  it('has no scope where none is asked for', async () => {
    expect((await create({})).body.scope).toBeNull();
    expect((await create({ scope: { '*': ['View'] } })).body.scope).toStrictEqual({ '*': ['View'] });
  });

  const LIST = 'a list of View, Insert, Update, Delete and Call, with at least one of them';
  it.each([
    [[], 'scope must be an object of resources, each with a list of permissions.'],
    ['Post', 'scope must be an object of resources, each with a list of permissions.'],
    [null, 'scope must be an object of resources, each with a list of permissions.'],
    [{}, 'scope must name 1 to 200 resources, but names 0.'],
    [
      Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`P${index}`, ['View']])),
      'scope must name 1 to 200 resources, but names 201.',
    ],
    [{ Post: [] }, `scope.Post must be ${LIST}.`],
    [{ Post: 'View' }, `scope.Post must be ${LIST}.`],
    [{ Post: ['view'] }, `scope.Post must be ${LIST}.`],
    [{ Post: ['View', {}] }, `scope.Post must be ${LIST}.`],
    [{ 'Post; DROP': ['View'] }, 'scope must name resources, or *, not "Post; DROP".'],
    [{ ['P'.repeat(257)]: ['View'] }, `scope must name resources, or *, not "${'P'.repeat(257)}".`],
  ])('cannot have the scope %j', async (scope, message) => {
    const { status, body } = await create({ scope });
    expect([status, body]).toStrictEqual([400, { code: 'BadRequest', message }]);
  });

  it.each([
    [{ Post: ['View', 'Delete'] }, 'Your role needs the permission Delete on Post.'],
    [{ Posts: ['View'] }, 'Your role needs the permission View on Posts.'],
    [{ constructor: ['View'] }, 'Your role needs the permission View on constructor.'],
  ])('cannot be for what its user may not do: %j', async (scope, message) => {
    expect(await create({ scope })).toStrictEqual({ status: 403, body: { code: 'Forbidden', message } });
  });
});

describe('a key that is used', () => {
  it('says so to its user', async () => {
    const { body } = await create({ scope: { Post: ['View'] } });
    const lastUsedAt = async () => (await list()).find(({ id }: { id: string }) => id === body.id).lastUsedAt;
    expect(await lastUsedAt()).toBeNull();
    const before = Date.now();
    expect((await gateway.fetch('/odata/Post', { headers: { 'x-api-key': body.key } })).status).toBe(200);
    expect(Date.parse(await lastUsedAt())).toBeGreaterThanOrEqual(before);
  });
});

describe('expired keys', () => {
  const DAY_MS = 86_400_000;

  it('make room for others, where there are as many as there may be', async () => {
    const cem = await signUp(gateway, ownAddress('cem'));
    const make = async (body: object) => {
      const key = { name: 'Excel', ...body };
      return (await send(gateway, '/keys', key, bearer(cem.session))).status;
    };
    expect(await make({})).toBe(201);
    for (let made = 1; made < 50; made++) await make({ expiresInDays: 1 });
    expect(await make({})).toBe(409);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS + 1000 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    expect(await make({})).toBe(201);
    const { text } = await gateway.fetch('/api/auth/keys', { headers: bearer(cem.session) });
    expect(JSON.parse(text).keys).toHaveLength(2);
  });
});

describe('keys in the database', () => {
  it('keep their scope and last use, and are taken over from tables without them', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'duogate-keys-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = join(directory, 'accounts.sqlite');
    const scope = { Post: ['Insert'] };
    const made = await whileServed(file, async (at) => {
      const { session } = await signUp(at, 'ben@example.com');
      const { text } = await send(at, '/keys', { name: 'Excel', scope }, bearer(session));
      const { key } = JSON.parse(text);
      expect((await at.fetch('/odata/Post', { headers: { 'x-api-key': key } })).status).toBe(403);
      return { key, session };
    });
    const listed = () =>
      whileServed(file, async (at) => {
        const { text } = await at.fetch('/api/auth/keys', { headers: bearer(made.session) });
        return JSON.parse(text).keys[0];
      });
    expect(await listed()).toMatchObject({ scope, lastUsedAt: expect.any(String) });
    const database = new DatabaseSync(file);
    database.exec("UPDATE apiKey SET scope = 'broken'");
    database.close();
    expect(await listed()).toMatchObject({ scope: {} });
    const older = new DatabaseSync(file);
    older.exec('ALTER TABLE apiKey DROP COLUMN scope; ALTER TABLE apiKey DROP COLUMN lastUsedAt');
    older.close();
    expect(await listed()).toMatchObject({ name: 'Excel', scope: null, lastUsedAt: null });
  });
});

interface Served {
  fetch: typeof gateway.fetch;
}

/** Serves the accounts of that file for as long as the work takes. */
async function whileServed<Result>(file: string, work: (served: Served) => Promise<Result>): Promise<Result> {
  const environment = { ...ACCESS, PORT: '0', LOG_LEVEL: 'silent', UPSTREAM_URL: gateway.upstream.url };
  const served = await startGateway(readConfig({ ...environment, DATABASE_URL: file }));
  try {
    return await work({
      async fetch(path, init) {
        const response = await fetch(`${served.url}${path}`, init);
        return { status: response.status, headers: response.headers, text: await response.text() };
      },
    });
  } finally {
    await served.close();
  }
}
