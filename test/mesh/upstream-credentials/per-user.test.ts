import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ACCESS, bearer, keyOf, signUp, tokenOf } from '../../auth/account-client.ts';
import {
  AUDIENCE,
  type AuthorizationServer,
  CLIENT,
  EXCHANGED_AUDIENCE,
  startAuthorizationServer,
} from '../../support/authorization-server.ts';
import { awsKeyOf, digestUserOf, messageKeyOf } from '../../support/signature-verifiers.ts';
import type { Behaviour, ReceivedRequest } from '../../support/stand-in-upstream.ts';
import { serveProject } from '../../support/temporary-project.ts';
import { bearerOf, type NotesScene, notesProject, serveNotes } from './notes-scene.ts';

let server: AuthorizationServer;
let requested: number;

beforeAll(async () => {
  server = await startAuthorizationServer();
});
afterAll(() => server.close());
beforeEach(() => {
  requested = server.requests.length;
});

const requestsNow = (): readonly string[] => server.requests.slice(requested);

type Headers = Record<string, string>;

/** A kind of credential per user. */
interface Way {
  readonly credentials: () => object;
  /** The user of a call, as the upstream sees it. */
  readonly userOf: (request: ReceivedRequest) => Promise<string | undefined>;
  /** Sent to a user without a credential. */
  readonly challenge?: string;
  /** Signs a user in, who can then read their notes. */
  readonly enter: (scene: NotesScene, user: string) => Promise<Headers>;
}

const enterByToken: Way['enter'] = async (_, user) => bearer(await server.tokenOf(user));

async function store(scene: NotesScene, headers: Headers, key: string): Promise<number> {
  const body = JSON.stringify({ key });
  const { status } = await scene.fetch('/api/auth/upstream-keys/Notes', {
    method: 'PUT',
    body,
    headers: { ...headers, 'content-type': 'application/json' },
  });
  return status;
}

/** Signs a user up, and stores a key of that id with a secret. */
const enterByPair: Way['enter'] = async (scene, user) => {
  const headers = bearer((await signUp(scene, `${user}@example.com`)).session);
  expect(await store(scene, headers, `${user}:${secretOf(user)}`)).toBe(204);
  return headers;
};

const secretOf = (user: string): string => `secret/of+${user}`;

const WAYS: Readonly<Record<string, Way>> = {
  'the token of the caller': {
    credentials: () => ({ forwardedToken: { issuer: server.url, audience: AUDIENCE } }),
    userOf: (request) => server.subjectOf(bearerOf(request), AUDIENCE),
    enter: enterByToken,
  },
  'a token that the one of the caller was exchanged for': {
    credentials: () => ({
      tokenExchange: {
        issuer: server.url,
        tokenUrl: `${server.url}/token`,
        clientId: CLIENT.id,
        clientSecret: CLIENT.secret,
        audience: EXCHANGED_AUDIENCE,
      },
    }),
    userOf: (request) => server.subjectOf(bearerOf(request), EXCHANGED_AUDIENCE),
    enter: enterByToken,
  },
  'a key in a header field': {
    credentials: () => ({ userKey: { header: 'X-Key', prefix: 'Key ' } }),
    userOf: async ({ headers }) => /^Key key of (.+)$/.exec(headers['x-key'] ?? '')?.[1],
    enter: async (scene, user) => {
      const headers = bearer((await signUp(scene, `${user}@example.com`)).session);
      expect(await store(scene, headers, `key of ${user}`)).toBe(204);
      return headers;
    },
  },
  'a key in the query': {
    credentials: () => ({ userKey: { query: 'api key' } }),
    userOf: async ({ target }) =>
      new URL(target, 'http://u').searchParams.get('api key')?.replace('key of ', ''),
    enter: async (scene, user) => {
      const headers = bearer((await signUp(scene, `${user}@example.com`)).session);
      expect(await store(scene, headers, `key of ${user}`)).toBe(204);
      return headers;
    },
  },
  'an AWS signature with an access key': {
    credentials: () => ({ awsSignature: { region: 'eu-central-1', service: 'execute-api', key: 'user' } }),
    userOf: async (request) => awsKeyOf(request, secretOf),
    enter: enterByPair,
  },
  'a message signature with a shared secret': {
    credentials: () => ({ messageSignature: { key: 'user' } }),
    userOf: async (request) => messageKeyOf(request, secretOf),
    enter: enterByPair,
  },
  'a password by Digest': {
    credentials: () => ({ digest: { key: 'user' } }),
    userOf: async (request) => digestUserOf(request, secretOf)?.user,
    challenge: 'Digest realm="notes", nonce="n", qop="auth", algorithm=SHA-256',
    enter: enterByPair,
  },
};

/** Each user has their own notes, all with the same entity tag. */
function ownNotes({ userOf, challenge }: Pick<Way, 'userOf' | 'challenge'>): Behaviour {
  return (request, reply) => {
    userOf(request).then((user) => {
      const own = { id: '1', text: `of ${user}` };
      const [path] = request.target.split('?', 1);
      if (user === undefined)
        reply.send(401, '{}', challenge === undefined ? {} : { 'www-authenticate': challenge });
      else if (user === 'ben' && path !== '/notes') reply.send(403, '{}');
      else if (request.headers['if-none-match'] === '"v1"')
        reply.write('HTTP/1.1 304 -\r\netag: "v1"\r\n\r\n');
      else reply.json(path === '/notes' ? [own] : own, { etag: '"v1"' });
    });
  };
}

function environment(): Readonly<Record<string, string>> {
  return {
    ...ACCESS,
    OIDC_ISSUERS: server.url,
    OIDC_AUDIENCE: `${AUDIENCE},other`,
    OIDC_ROLE_CLAIM: 'scope',
    OIDC_ROLES: 'notes.read=User',
  };
}

function serveWay(way: Way): Promise<NotesScene> {
  return serveNotes(way.credentials(), { environment: environment(), behaviour: ownNotes(way) });
}

async function graphQL(scene: NotesScene, query: string, headers: Headers): Promise<unknown> {
  const { text } = await scene.fetch('/graphql', {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { ...headers, 'content-type': 'application/json' },
  });
  return JSON.parse(text);
}

describe.each(Object.entries(WAYS))('the upstream lets a user in by %s', (_, way) => {
  it('and what it shows one is never shown to another', async () => {
    const scene = await serveWay(way);
    const users = { anna: await way.enter(scene, 'anna'), carl: await way.enter(scene, 'carl') };
    // Often enough for rows, and answers that were written of them, to be remembered.
    for (let round = 0; round < 4; round += 1) {
      for (const [user, headers] of Object.entries(users)) {
        const text = `of ${user}`;
        expect(await scene.get("Note?$select=Text&$filter=Id eq '1'", headers)).toMatchObject([
          200,
          { value: [{ Text: text }] },
        ]);
        expect(await scene.get("Note('1')", headers)).toMatchObject([200, { Id: '1', Text: text }]);
        expect(await graphQL(scene, '{ notes { text } note(id: "1") { text } }', headers)).toStrictEqual({
          data: { notes: [{ text }], note: { text } },
        });
      }
    }
    const batch = { requests: [{ id: '1', method: 'GET', url: 'Note' }] };
    const answers = await Promise.all(
      Object.values(users).map(async (headers) => {
        const { text } = await scene.fetch('/odata/$batch', {
          method: 'POST',
          body: JSON.stringify(batch),
          headers: { ...headers, 'content-type': 'application/json' },
        });
        return JSON.parse(text).responses[0].body.value;
      }),
    );
    expect(answers).toStrictEqual([[{ Id: '1', Text: 'of anna' }], [{ Id: '1', Text: 'of carl' }]]);
    const known = scene.upstream.requests.filter(({ headers }) => headers['if-none-match'] === '"v1"');
    expect(known.length).toBeGreaterThan(8);
  });

  it('and what it refuses one is refused', async () => {
    const scene = await serveWay(way);
    const headers = await way.enter(scene, 'ben');
    expect((await scene.get('Note', headers))[0]).toBe(200);
    expect(await scene.get("Note('1')", headers)).toStrictEqual([
      403,
      { error: { code: 'Forbidden', message: 'Notes does not allow you this.' } },
    ]);
  });

  it('and nobody without it', async () => {
    const scene = await serveWay(way);
    const { session } = await signUp(scene, 'dora@example.com');
    const [status, body] = await scene.get('Note', bearer(session));
    expect([status, body]).toMatchObject([403, { error: { code: 'Forbidden' } }]);
    expect((await scene.get('Note'))[0]).toBe(401);
    expect(scene.upstream.requests).toStrictEqual([]);
    expect(requestsNow()).toStrictEqual([]);
  });

  it('and needs accounts for that', async () => {
    const project = notesProject('http://127.0.0.1:1', way.credentials());
    await expect(serveProject(project)).rejects.toThrow('it is not possible with AUTH=off');
  });
});

describe('a forwarded token', () => {
  const way = WAYS['the token of the caller'] as Way;

  it('for somebody else is not sent', async () => {
    const scene = await serveWay(way);
    expect(await scene.get('Note', bearer(await server.tokenOf('anna', 'other')))).toStrictEqual([
      403,
      {
        error: {
          code: 'Forbidden',
          message: "Notes is called with the caller's own token: its audience is not that of Notes.",
        },
      },
    ]);
    expect(scene.upstream.requests).toStrictEqual([]);
  });

  it('of ours is not sent, nor is an API key', async () => {
    const scene = await serveWay(way);
    const anna = await signUp(scene, 'anna@example.com');
    const shown = [bearer(await tokenOf(scene, anna)), bearer((await keyOf(scene, anna)).key)];
    for (const headers of shown) {
      expect(await scene.get('Note', headers)).toStrictEqual([
        403,
        {
          error: {
            code: 'Forbidden',
            message: `Notes is called with the caller's own token: expected a bearer token of ${server.url}.`,
          },
        },
      ]);
    }
    expect(scene.upstream.requests).toStrictEqual([]);
  });

  it('that the upstream does not take is not taken for one of the gateway', async () => {
    const scene = await serveNotes(way.credentials(), {
      environment: environment(),
      behaviour: (_, reply) => reply.send(401, '{"why":"secret"}'),
    });
    expect(await scene.get('Note', await way.enter(scene, 'anna'))).toStrictEqual([
      403,
      { error: { code: 'Forbidden', message: 'Notes does not accept your credential.' } },
    ]);
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('that has expired since it was verified is not sent', async () => {
    const scene = await serveWay(way);
    const headers = await way.enter(scene, 'anna');
    expect((await scene.get('Note', headers))[0]).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await scene.get('Note', headers)).toStrictEqual([
      401,
      {
        error: {
          code: 'Unauthorized',
          message: "Notes is called with the caller's own token, which has expired.",
        },
      },
    ]);
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('is in no log', async () => {
    const scene = await serveWay(way);
    const headers = await way.enter(scene, 'anna');
    await scene.get('Note', headers);
    await scene.get("Note('nope", headers);
    const token = headers['authorization']?.replace('Bearer ', '') ?? '';
    expect(JSON.stringify(scene.served.entries())).not.toContain(token);
  });
});

describe('a token exchange (RFC 8693)', () => {
  const way = WAYS['a token that the one of the caller was exchanged for'] as Way;

  it('is made once for a token, and again after a 401', async () => {
    const scene = await serveWay(way);
    const headers = await way.enter(scene, 'anna');
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async () => (await scene.get('Note', headers))[0]),
    );
    expect(new Set(statuses)).toStrictEqual(new Set([200]));
    expect(requestsNow()).toStrictEqual(['token-exchange']);
    const other = await way.enter(scene, 'anna');
    expect((await scene.get('Note', other))[0]).toBe(200);
    expect(requestsNow()).toHaveLength(2);
    scene.upstream.behave((_, reply) => reply.send(401, '{}'));
    expect((await scene.get('Note', headers))[0]).toBe(403);
    expect(requestsNow()).toHaveLength(3);
  });

  it('that is refused tells the user', async () => {
    const scene = await serveWay(way);
    expect(await scene.get('Note', bearer(await server.tokenOf('anna', 'other')))).toStrictEqual([
      403,
      {
        error: {
          code: 'Forbidden',
          message: 'The authorization server of Notes does not accept your token.',
        },
      },
    ]);
    expect(scene.upstream.requests).toStrictEqual([]);
  });
});

describe('a key that a user has stored', () => {
  const way = WAYS['a key in a header field'] as Way;
  const PATH = '/api/auth/upstream-keys';

  it('is listed without the key, replaced and deleted', async () => {
    const scene = await serveWay(way);
    const headers = bearer((await signUp(scene, 'anna@example.com')).session);
    const list = async () => JSON.parse((await scene.fetch(PATH, { headers })).text);
    expect(await list()).toStrictEqual({ keys: [{ api: 'Notes', updatedAt: null }] });
    expect((await scene.get('Note', headers))[1]).toMatchObject({
      error: {
        message: 'Notes is called with a key of your own: store it by PUT /api/auth/upstream-keys/Notes.',
      },
    });
    await store(scene, headers, 'key of anna');
    expect(await list()).toStrictEqual({ keys: [{ api: 'Notes', updatedAt: expect.any(String) }] });
    expect(await scene.get("Note('1')", headers)).toMatchObject([200, { Text: 'of anna' }]);
    await store(scene, headers, 'key of emma');
    expect(await scene.get("Note('1')", headers)).toMatchObject([200, { Text: 'of emma' }]);
    const remove = async () => (await scene.fetch(`${PATH}/Notes`, { method: 'DELETE', headers })).status;
    expect([await remove(), await remove()]).toStrictEqual([204, 404]);
    expect((await scene.get('Note', headers))[0]).toBe(403);
    expect(await list()).toStrictEqual({ keys: [{ api: 'Notes', updatedAt: null }] });
    expect(JSON.stringify(scene.served.entries())).not.toMatch(/key of (anna|emma)/);
  });

  it('may be that of a user of another issuer', async () => {
    const scene = await serveWay(way);
    const headers = bearer(await server.tokenOf('fred'));
    expect(await store(scene, headers, 'key of fred')).toBe(204);
    expect(await scene.get("Note('1')", headers)).toMatchObject([200, { Text: 'of fred' }]);
  });

  it.each<readonly [string, string, RequestInit, number]>([
    ['nobody asks', '/Notes', { method: 'PUT', body: '{"key":"k"}' }, 401],
    ['it is no key', '/Notes', { method: 'PUT', body: '{"key":"a\\nb"}' }, 400],
    ['it is a number', '/Notes', { method: 'PUT', body: '{"key":1}' }, 400],
    ['it is missing', '/Notes', { method: 'PUT', body: '{}' }, 400],
    ['it is too long', '/Notes', { method: 'PUT', body: JSON.stringify({ key: 'k'.repeat(4097) }) }, 400],
    ['there is no such API', '/Other', { method: 'PUT', body: '{"key":"k"}' }, 404],
    ['there is nothing at the path', '/Notes/x', { method: 'PUT', body: '{"key":"k"}' }, 404],
    ['it is not asked for', '/Notes', { method: 'GET' }, 405],
    ['it is posted', '', { method: 'POST', body: '{"key":"k"}' }, 405],
  ])('is not stored where %s', async (what, path, init, status) => {
    const scene = await serveWay(way);
    const { session } = await signUp(scene, 'anna@example.com');
    const headers = {
      'content-type': 'application/json',
      ...(what === 'nobody asks' ? {} : bearer(session)),
    };
    expect((await scene.fetch(`${PATH}${path}`, { ...init, headers })).status).toBe(status);
  });

  it('is not changed by whoever has found an API key, nor by a page of another origin', async () => {
    const scene = await serveWay(way);
    const anna = await signUp(scene, 'anna@example.com');
    expect(await store(scene, bearer((await keyOf(scene, anna)).key), 'key of eve')).toBe(401);
    expect(await store(scene, { cookie: anna.cookie, origin: 'https://evil.example' }, 'key of eve')).toBe(
      403,
    );
    expect(await store(scene, { cookie: anna.cookie, origin: scene.served.gateway.url }, 'key of anna')).toBe(
      204,
    );
  });

  it('is encrypted for its user alone, and goes with the account', async () => {
    const files = notesProject('http://127.0.0.1:1', {});
    const place = files.path('accounts.sqlite');
    const scene = await serveNotes(way.credentials(), {
      environment: { ...environment(), DATABASE_URL: place },
      behaviour: ownNotes(way),
    });
    const anna = await way.enter(scene, 'anna');
    await way.enter(scene, 'carl');
    const database = new DatabaseSync(place);
    onTestFinished(() => database.close());
    const rows = database.prepare('SELECT * FROM upstreamKey ORDER BY updatedAt').all();
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('key of');
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('key of anna').toString('base64url'));

    database
      .prepare('UPDATE upstreamKey SET sealed = ? WHERE id = ?')
      .run(String(rows[1]?.['sealed']), String(rows[0]?.['id']));
    expect((await scene.get('Note', anna))[0]).toBe(403);

    const { status } = await scene.fetch('/api/auth/delete-user', {
      method: 'POST',
      body: JSON.stringify({ password: 'correct horse battery' }),
      headers: { ...anna, 'content-type': 'application/json' },
    });
    expect(status).toBe(200);
    expect(database.prepare('SELECT * FROM upstreamKey').all()).toHaveLength(1);
  });
});
