import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import {
  documentAt,
  postsProject,
  type RegistryGateway,
  register,
  serveRegistry,
  serveSharedRegistry,
} from './registry-gateway.ts';

let upstream: StandInUpstream;
let shared: RegistryGateway;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.json([]));
  shared = await serveSharedRegistry(upstream.url);
});
afterAll(() => upstream.close());

const summary = (name: string, extra: object = {}) => ({
  name: `${name}s`,
  title: 'Posts',
  version: '1.0.0',
  openapi: '3.1.0',
  description: expect.stringContaining('A posts API in the manner of'),
  serviceUrl: upstream.url,
  file: `openapi/${name.toLowerCase()}s.yaml`,
  state: 'registered',
  operations: 3,
  entitySets: [name],
  errors: 0,
  warnings: 0,
  ...extra,
});

const detail = (name: string, extra: object = {}) => ({
  ...summary(name),
  report: { kind: 'openapi-3.1', summary: 'There are no schema validation errors.', findings: [] },
  model: {
    entitySets: [{ name, type: name, key: ['Id'], operations: ['list', 'read', 'insert'] }],
    singletons: [],
    functions: [],
    actions: [],
    leftOut: [],
    lists: { lists: 1, tables: 1, reasons: [] },
  },
  fetchUrl: null,
  credentials: null,
  refusal: null,
  disabled: null,
  ...extra,
});

describe('registering an API', () => {
  it('stores its document and says what it is, without serving it', async () => {
    const project = postsProject(upstream.url);
    const projectFile = readFileSync(project.path('.meshrc.yaml'), 'utf8');
    const gateway = await serveRegistry(project);
    const { status, headers, body } = await register(gateway, 'Note', upstream.url);
    expect([status, headers.get('location'), body]).toStrictEqual([
      201,
      `${gateway.gateway.url}/api/registry/Notes`,
      detail('Note'),
    ]);
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(documentAt('Note', upstream.url));
    expect(readFileSync(project.path('.meshrc.yaml'), 'utf8')).toBe(projectFile);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect((await gateway.ask('GET', '/Notes')).body).toStrictEqual(detail('Note'));
    expect((await gateway.ask('GET')).body).toStrictEqual({
      writable: true,
      reason: null,
      apis: [summary('Post', { state: 'live' }), summary('Note')],
      next: null,
    });
  });

  it('is listed with others in pages, each of which examines its own documents', async () => {
    const project = postsProject(upstream.url);
    for (let number = 0; number < 60; number += 1) {
      project.write(`openapi/api${String(number).padStart(2, '0')}.yaml`, documentAt('Note', upstream.url));
    }
    const gateway = await serveRegistry(project);
    const pages: (readonly unknown[])[] = [];
    for (let next: unknown = ''; typeof next === 'string'; ) {
      const { status, body } = await gateway.ask('GET', next);
      expect(status).toBe(200);
      pages.push(body.apis.map(({ name }) => name));
      next = body['next'];
    }
    expect(pages.map(({ length }) => length)).toStrictEqual([50, 11]);
    expect(new Set(pages.flat()).size).toBe(61);
    const none = await gateway.ask('GET', '?top=0');
    expect(none.body).toStrictEqual({ writable: true, reason: null, apis: [], next: null });
    const wrong = await gateway.ask('GET', '?skip=x');
    expect([wrong.status, wrong.body.error.target]).toStrictEqual([400, 'skip']);
  });

  it('outlives the gateway, with all that was said of it', async () => {
    const project = postsProject(upstream.url);
    const first = await serveRegistry(project);
    const requested = {
      name: 'Notes',
      fileName: 'C:\\x\\notes.json',
      document: JSON.stringify({ openapi: '3.1.0', info: { title: 'T', version: '2' }, paths: {} }),
      description: 'Notes: "of" <b>people</b>\nin # lines',
      serviceUrl: `${upstream.url}/v2/`,
    };
    const registered = await first.ask('POST', '', requested);
    expect(registered.body).toMatchObject({
      description: requested.description,
      serviceUrl: `${upstream.url}/v2`,
      file: 'openapi/notes.json',
    });
    const second = await serveRegistry(project);
    expect((await second.ask('GET', '/Notes')).body).toStrictEqual(registered.body);
  });

  it.each([
    [{}, ['name', 'fileName', 'document']],
    [{ name: 1, fileName: 'x', document: 'openapi: 3.1.0' }, ['name']],
    [{ name: '../x', fileName: 'x', document: ' ' }, ['name', 'document']],
    [{ name: '1x', fileName: 'x', document: 'x', serviceUrl: 'ftp://x' }, ['name', 'serviceUrl']],
    [{ name: 'x'.repeat(65), fileName: 'y'.repeat(256), document: 'x' }, ['name', 'fileName']],
    [{ name: 'X', fileName: 'x', document: 'x', serviceUrl: 'http://u:p@x' }, ['serviceUrl']],
    [{ name: 'X', fileName: 'x', document: 'x', serviceUrl: 'http://x/{env.AUTH_SECRET}' }, ['serviceUrl']],
    [{ name: 'X', fileName: 'x', document: 'x', description: 'a\u0000b' }, ['description']],
  ])('says all that is wrong with %j', async (body, targets) => {
    const answer = await shared.ask('POST', '', body);
    expect([answer.status, answer.body.error.details?.map(({ target }) => target)]).toStrictEqual([
      400,
      targets,
    ]);
  });

  it.each(['Posts', 'posts', 'POSTS'])('refuses %s: it is taken', async (name) => {
    const body = { name, fileName: 'x.yaml', document: documentAt('Note', upstream.url) };
    expect(await shared.ask('POST', '', body)).toMatchObject({
      status: 409,
      body: {
        error: { code: 'Conflict', message: `An API named ${name} already exists.`, target: 'name' },
      },
    });
  });

  it('finds documents that somebody has put beside the others', async () => {
    const project = postsProject(upstream.url);
    project.write('openapi/my-notes.yaml', documentAt('Note', upstream.url));
    project.write('openapi/readme.md', 'x');
    const gateway = await serveRegistry(project);
    const { apis } = (await gateway.ask('GET')).body;
    expect(apis.map(({ name, state, file }) => [name, state, file])).toStrictEqual([
      ['Posts', 'live', 'openapi/posts.yaml'],
      ['my_notes', 'registered', 'openapi/my-notes.yaml'],
    ]);
  });
});

describe('replacing an API', () => {
  it('changes what is given and leaves the rest', async () => {
    const project = postsProject(upstream.url);
    const gateway = await serveRegistry(project);
    await register(gateway, 'Note', upstream.url);
    const described = await gateway.ask('PUT', '/Notes', { description: 'New' });
    expect([described.status, described.body]).toStrictEqual([200, detail('Note', { description: 'New' })]);
    const replaced = await gateway.ask('PUT', '/Notes', { document: documentAt('Task', upstream.url) });
    expect(replaced.body).toMatchObject({ description: 'New', entitySets: ['Task'] });
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(documentAt('Task', upstream.url));
  });

  it('describes an API that is written by hand, and leaves it to the operator', async () => {
    const project = postsProject(upstream.url);
    project.write('openapi/posts.yaml', documentAt('Post', upstream.url));
    const projectFile = readFileSync(project.path('.meshrc.yaml'), 'utf8');
    // The upstream is at no public address: only the operator may have it called.
    const gateway = await serveRegistry(project, { REGISTRY_HOSTS: 'elsewhere.example' });
    const described = await gateway.ask('PUT', '/Posts', { description: 'New' });
    expect([described.status, described.body]).toStrictEqual([
      200,
      detail('Post', {
        description: 'New',
        state: 'live',
        credentials: { asking: 0, unmet: 0, schemes: [] },
      }),
    ]);
    expect((await gateway.ask('GET', '/Posts')).body).toStrictEqual(described.body);
    expect(readFileSync(project.path('.meshrc.yaml'), 'utf8')).toBe(projectFile);
    const read = await fetch(`${gateway.gateway.url}/odata/Post`);
    expect([read.status, await read.json()]).toMatchObject([200, { value: [] }]);
    await gateway.ask('PUT', '/Posts', {
      document: documentAt('Task', upstream.url),
      confirm: ['Post is no longer served.'],
    });
    const guarded = await fetch(`${gateway.gateway.url}/odata/Task`);
    expect([guarded.status, (await gateway.ask('GET', '/Posts')).body['errors']]).toStrictEqual([502, 1]);
  });

  it('describes an API whose document somebody has put beside the others', async () => {
    const project = postsProject(upstream.url);
    project.write('openapi/notes.yaml', documentAt('Note', upstream.url));
    const gateway = await serveRegistry(project);
    await gateway.ask('PUT', '/notes', { description: 'New' });
    expect((await gateway.ask('GET', '/notes')).body).toMatchObject({
      description: 'New',
      state: 'registered',
    });
  });

  it('is served at once where it is in the project, or not done', async () => {
    const project = postsProject(upstream.url);
    const gateway = await serveRegistry(project);
    const good = documentAt('Task', upstream.url);
    const { status, body } = await gateway.ask('PUT', '/Posts', {
      confirm: ['Post is no longer served.'],
      document: good.replace(upstream.url, 'https://jsonplaceholder.typicode.com'),
    });
    expect([status, body['state'], body['entitySets']]).toStrictEqual([200, 'live', ['Task']]);
    expect(await gateway.entitySets()).toStrictEqual(['Task']);
    const refused = await gateway.ask('PUT', '/Posts', { document: 'openapi: 2' });
    expect([refused.status, refused.body.error.target]).toStrictEqual([400, 'document']);
    expect(await gateway.entitySets()).toStrictEqual(['Task']);
  });

  it('leaves a service URL that is written by hand to whoever has written it', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    expect(await gateway.ask('PUT', '/Posts', { serviceUrl: 'https://elsewhere.example' })).toMatchObject({
      status: 403,
      body: { error: { target: 'serviceUrl' } },
    });
  });

  describe('has nobody else decide where the credentials of the project go', () => {
    const port = (url: string) => new URL(url).port;
    const NAMED: readonly (readonly [string, unknown, (url: string) => string])[] = [
      ['no endpoint', undefined, (url) => url],
      ['no endpoint, and a server with a slash', undefined, (url) => `${url}/`],
      ['no endpoint, and a server in capitals', undefined, (url) => `HTTP://LOCALHOST:${port(url)}`],
      ['an empty endpoint', '', (url) => url],
      ['a variable that may be missing', '{env.NOTES_URL:}', (url) => `${url}/`],
    ];

    async function serveNotes(endpoint: unknown, document: string) {
      const openapi = {
        source: './openapi/notes.yaml',
        endpoint,
        operationHeaders: { authorization: 'Bearer x' },
      };
      const project = postsProject(upstream.url);
      const projectFile = readFileSync(project.path('.meshrc.yaml'), 'utf8');
      project.write('openapi/notes.yaml', document);
      project.write(
        '.meshrc.yaml',
        `${projectFile}  - ${JSON.stringify({ name: 'Notes', handler: { openapi } })}\n`,
      );
      return { project, gateway: await serveRegistry(project) };
    }

    async function expectRefused({
      project,
      gateway,
    }: Awaited<ReturnType<typeof serveNotes>>): Promise<void> {
      const elsewhere = await startStandInUpstream((_, reply) => reply.json([]));
      onTestFinished(() => elsewhere.close());
      const before = readFileSync(project.path('openapi/notes.yaml'), 'utf8');
      const document = documentAt('Note', elsewhere.url);
      expect(await gateway.ask('PUT', '/Notes', { document })).toMatchObject({
        status: 403,
        body: { error: { target: 'document' } },
      });
      expect(await gateway.ask('PUT', '/Notes', { serviceUrl: elsewhere.url })).toMatchObject({
        status: 403,
      });
      expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(before);
      await gateway.json('/odata/Note');
      expect(elsewhere.requests).toStrictEqual([]);
    }

    it.each(NAMED)('while it has %s', async (_, endpoint, serverOf) => {
      await expectRefused(await serveNotes(endpoint, documentAt('Note', serverOf(upstream.url))));
    });

    it.each(NAMED)('when it was taken out and had %s', async (_, endpoint, serverOf) => {
      const served = await serveNotes(endpoint, documentAt('Note', serverOf(upstream.url)));
      expect((await served.gateway.ask('POST', '/Notes/remove')).status).toBe(200);
      await expectRefused(served);
    });

    it('while its document cannot be served', async () => {
      await expectRefused(await serveNotes('{env.NOTES_URL:http://127.0.0.1:9}', 'openapi: ['));
    });
  });
});

describe('deleting an API', () => {
  it('takes its files away', async () => {
    const project = postsProject(upstream.url);
    const gateway = await serveRegistry(project);
    await register(gateway, 'Note', upstream.url);
    const deleted = await gateway.ask('DELETE', '/Notes');
    expect([deleted.status, deleted.body]).toStrictEqual([204, undefined]);
    expect(readdirSync(project.path('openapi'))).toStrictEqual(['posts.yaml']);
    expect((await gateway.ask('GET', '/Notes')).status).toBe(404);
  });

  it('takes it out of the project first', async () => {
    const project = postsProject(upstream.url);
    const projectFile = readFileSync(project.path('.meshrc.yaml'), 'utf8');
    const gateway = await serveRegistry(project);
    await register(gateway, 'Note', upstream.url);
    await gateway.ask('POST', '/Notes/add');
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'Note']);
    expect((await gateway.ask('DELETE', '/Notes')).status).toBe(204);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect(readFileSync(project.path('.meshrc.yaml'), 'utf8')).toBe(projectFile);
  });

  it.each(['DELETE /Posts', 'POST /Posts/remove'])(
    'leaves the last one of the project: %s',
    async (asked) => {
      const project = postsProject(upstream.url);
      const gateway = await serveRegistry(project);
      const [method = '', path] = asked.split(' ');
      expect(await gateway.ask(method, path)).toMatchObject({
        status: 409,
        body: { error: { code: 'Conflict' } },
      });
      expect(existsSync(project.path('openapi/posts.yaml'))).toBe(true);
      expect(await gateway.entitySets()).toStrictEqual(['Post']);
    },
  );
});
