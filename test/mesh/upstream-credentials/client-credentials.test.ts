import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AuthorizationServer,
  CLIENT,
  startAuthorizationServer,
} from '../../support/authorization-server.ts';
import { bearerOf, guardedNotes, notesDocument, serveNotes } from './notes-scene.ts';

let server: AuthorizationServer;
let requested: number;

beforeAll(async () => {
  server = await startAuthorizationServer();
});
afterAll(() => server.close());
beforeEach(() => {
  requested = server.requests.length;
  server.life = 3600;
});
afterEach(() => void vi.useRealTimers());

const requestsNow = (): readonly string[] => server.requests.slice(requested);
const CLIENT_SETTINGS = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
const knows = guardedNotes((token) => server.knows(token));

function documented(flow: object = {}, security: readonly object[] = []): object {
  const scopes = { 'notes.read': 'Reads', 'notes.write': 'Writes' };
  const clientCredentials = { tokenUrl: `${server.url}/token`, scopes, ...flow };
  return notesDocument({ Server: { type: 'oauth2', flows: { clientCredentials } } }, security);
}

describe('client credentials (RFC 6749, 4.4)', () => {
  it('get a token where the document says, for the scopes that its operations ask for', async () => {
    const document = documented({}, [{ Server: ['notes.read'] }]);
    const scene = await serveNotes({ clientCredentials: CLIENT_SETTINGS }, { document, behaviour: knows });
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(requestsNow()).toStrictEqual(['client_credentials notes.read']);
    expect(server.identifiedBy).toBe('basic');
  });

  it.each<readonly [string, object, readonly object[], string]>([
    ['all that the document describes, where no operation names one', {}, [], 'notes.read notes.write'],
    [
      'those that the settings name',
      { scopes: ['notes.write'] },
      [{ Server: ['notes.read'] }],
      'notes.write',
    ],
    ['none where the settings say so', { scopes: [] }, [{ Server: ['notes.read'] }], ''],
  ])('ask for scopes: %s', async (_, settings, security, scopes) => {
    const document = documented({}, security);
    const credential = { ...CLIENT_SETTINGS, ...settings };
    const scene = await serveNotes({ clientCredentials: credential }, { document, behaviour: knows });
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(requestsNow()).toStrictEqual([`client_credentials ${scopes}`.trim()]);
  });

  it('are those of the settings still when the document has changed', async () => {
    const credential = { clientCredentials: CLIENT_SETTINGS };
    const scene = await serveNotes(credential, { document: documented(), behaviour: knows });
    const changed = JSON.stringify({ ...documented(), info: { title: 'Changed', version: '2' } });
    scene.project.replace('notes.json', changed);
    await expect
      .poll(() => scene.served.json('/'), { timeout: 30_000 })
      .toMatchObject({
        apis: [{ title: 'Changed' }],
      });
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(requestsNow().at(-1)).toBe('client_credentials notes.read notes.write');
  });

  it('may stand in the body (RFC 6749, 2.3.1), and the settings may say where to ask', async () => {
    const credential = { ...CLIENT_SETTINGS, authentication: 'post', tokenUrl: `${server.url}/token` };
    const document = documented({ tokenUrl: 'http://127.0.0.1:1/token' });
    const scene = await serveNotes({ clientCredentials: credential }, { document, behaviour: knows });
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(server.identifiedBy).toBe('post');
  });

  it('get one token for many calls, also for those that come at once', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: knows },
    );
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await scene.get('Note'))[0]));
    expect(new Set([...statuses, (await scene.get("Note('1')"))[0]])).toStrictEqual(new Set([200]));
    expect(requestsNow()).toHaveLength(1);
    expect(new Set(scene.authorizations()).size).toBe(1);
  });

  it('renew it before it expires, and nobody waits for that', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: knows },
    );
    await scene.get('Note');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_541_000 });
    expect((await scene.get('Note'))[0]).toBe(200);
    await vi.waitFor(async () => {
      expect((await scene.get('Note'))[0]).toBe(200);
      expect(new Set(scene.authorizations()).size).toBe(2);
    }, 20_000);
    expect(requestsNow()).toHaveLength(2);
    const [first, second] = scene.authorizations();
    expect(second).toBe(first);
  });

  it('get another one where it has expired', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: knows },
    );
    await scene.get('Note');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_601_000 });
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(new Set(scene.authorizations()).size).toBe(2);
    expect(requestsNow()).toHaveLength(2);
  });

  it('get another one after a 401, and send the request again: a read, and a write that was refused', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: knows },
    );
    await scene.get('Note');
    server.revokeTokens();
    const body = JSON.stringify({ Id: '2', Text: 'two' });
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(`${scene.served.gateway.url}/odata/Note`, { method: 'POST', body, headers });
    expect([sent.status, await sent.json()]).toMatchObject([201, { Id: '2', Text: 'two' }]);
    expect(requestsNow()).toHaveLength(2);
    const methods = scene.upstream.requests.map(({ method }) => method);
    expect(methods).toStrictEqual(['GET', 'POST', 'POST']);
    expect(new Set(scene.upstream.requests.slice(1).map((each) => each.body.toString())).size).toBe(1);
  });

  it('are sent for a stream, too, which is read with another one after a 401', async () => {
    const { paths, ...others } = documented() as { readonly paths: object };
    const content = { 'image/png': {} };
    const picture = { operationId: 'picture', responses: { 200: { description: 'OK', content } } };
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: { ...others, paths: { ...paths, '/picture': { get: picture } } }, behaviour: knows },
    );
    const requested = () => fetch(`${scene.served.gateway.url}/odata/Picture()`);
    expect((await requested()).status).toBe(200);
    server.revokeTokens();
    expect(await (await requested()).text()).toBe('{"id":"1","text":"one"}');
    expect(scene.upstream.requests.map(({ target }) => target)).toStrictEqual(Array(3).fill('/picture'));
    expect(new Set(scene.authorizations()).size).toBe(2);
  });

  it('send a request twice at the most, and ask for no token over and over, where every token is refused', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: (_, reply) => reply.send(401, '{"secret":"of the upstream"}') },
    );
    const answers = [await scene.get('Note'), await scene.get('Note'), await scene.get('Note')];
    expect(answers.map(([status]) => status)).toStrictEqual([502, 502, 502]);
    expect(scene.upstream.requests).toHaveLength(4);
    expect(requestsNow()).toHaveLength(2);
    expect(JSON.stringify(answers)).not.toContain('secret');
  });

  it('get another one at once, however often tokens that have worked are refused', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: knows },
    );
    const statuses: unknown[] = [];
    for (let times = 0; times < 4; times += 1) {
      statuses.push((await scene.get('Note'))[0]);
      server.revokeTokens();
    }
    expect(statuses).toStrictEqual([200, 200, 200, 200]);
    expect(requestsNow()).toHaveLength(4);
  });

  it('let GraphQL in as they do OData', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: knows },
    );
    const response = await fetch(`${scene.served.gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ notes { id } }' }),
    });
    expect(await response.json()).toStrictEqual({ data: { notes: [{ id: '1' }] } });
  });

  it('win over what a client sends', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: knows },
    );
    expect((await scene.get('Note', { authorization: 'Bearer mine' }))[0]).toBe(200);
    expect(scene.authorizations()).not.toContain('Bearer mine');
  });

  it('are told by nobody', async () => {
    const scene = await serveNotes(
      { clientCredentials: CLIENT_SETTINGS },
      { document: documented(), behaviour: knows },
    );
    await scene.get('Note');
    const [request] = scene.upstream.requests;
    const token = request === undefined ? '' : bearerOf(request);
    expect(token).not.toBe('');
    const shown = JSON.stringify([
      scene.served.entries(),
      await scene.served.json('/api/registry'),
      await scene.served.json('/api/registry/Notes'),
      await scene.served.json('/'),
    ]);
    expect(shown).not.toContain(token);
    expect(shown).not.toContain(JSON.stringify(CLIENT.secret).slice(1, -1));
  });
});
