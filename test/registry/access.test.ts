import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bearer, signIn } from '../auth/account-client.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import {
  documentAt,
  postsProject,
  type RegistryGateway,
  register,
  serveRegistry,
} from './registry-gateway.ts';

const NOWHERE = 'http://127.0.0.1:9';

/** Every path of the registry, with what may be sent there. */
const PATHS: readonly (readonly [path: string, methods: readonly string[]])[] = [
  ['', ['GET', 'POST']],
  ['/$check', ['POST']],
  ['/Posts', ['GET', 'PUT', 'DELETE']],
  ['/Posts/access', ['GET']],
  ['/Posts/document', ['GET']],
  ['/Posts/operations', ['GET']],
  ['/Posts/add', ['POST']],
  ['/Posts/remove', ['POST']],
  ['/Posts/fetch', ['POST']],
  ['/Posts/grant', ['POST']],
  ['/Posts/try', ['POST']],
];
const REQUESTS = PATHS.flatMap(([path, methods]) => methods.map((method) => [method, path] as const));

/** A gateway with accounts: one of each role. */
async function serveAccounts() {
  const project = postsProject(NOWHERE);
  const environment = await createProjectAccounts(project, {
    'user@example.com': ['User'],
    'admin@example.com': ['User', 'Admin'],
  });
  const gateway = await serveRegistry(project, environment);
  const fetching = {
    async fetch(path: string, init?: RequestInit) {
      const response = await fetch(`${gateway.gateway.url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
  const signInAs = async (email: string) => signIn(fetching, email);
  return { gateway, signInAs };
}

describe('the registry', () => {
  it('is for users with the role Admin alone', async () => {
    const { gateway, signInAs } = await serveAccounts();
    const user = bearer((await signInAs('user@example.com')).session);
    for (const [method, path] of REQUESTS) {
      const body = method === 'GET' ? undefined : {};
      const anonymous = await gateway.ask(method, path, body);
      expect([method, path, anonymous.status, anonymous.body.error.code]).toStrictEqual([
        method,
        path,
        401,
        'Unauthorized',
      ]);
      expect(anonymous.headers.get('www-authenticate')).toContain('Bearer');
      const refused = await gateway.ask(method, path, body, user);
      expect([refused.status, refused.body]).toStrictEqual([
        403,
        { error: { code: 'Forbidden', message: 'The API registry needs the role Admin.' } },
      ]);
    }
    const admin = bearer((await signInAs('admin@example.com')).session);
    expect((await gateway.ask('GET', '', undefined, admin)).status).toBe(200);
  });

  it('says in the log who has changed what', async () => {
    const { gateway, signInAs } = await serveAccounts();
    const admin = await signInAs('admin@example.com');
    const body = { name: 'Notes', fileName: 'n.yaml', document: documentAt('Note', NOWHERE) };
    await gateway.ask('POST', '', body, bearer(admin.session));
    await gateway.ask('DELETE', '/Notes', undefined, bearer(admin.session));
    const entries = gateway.entries().filter(({ msg }) => msg === 'the registry of APIs was changed');
    expect(entries.map(({ user, api, change }) => [user, api, change])).toStrictEqual([
      [admin.id, 'Notes', 'registered'],
      [admin.id, 'Notes', 'deleted'],
    ]);
  });

  it('does nothing for a page of another origin', async () => {
    const { gateway, signInAs } = await serveAccounts();
    const { cookie, session } = await signInAs('admin@example.com');
    const own = { origin: gateway.gateway.url };
    const foreign = { origin: 'https://evil.example' };
    const ask = async (headers: Record<string, string>) =>
      (await gateway.ask('POST', '/$check', {}, headers)).status;
    expect([
      await ask({ cookie, ...own }),
      await ask({ cookie, ...foreign }),
      await ask({ cookie }),
      await ask({ ...bearer(session), ...foreign }),
      await ask(bearer(session)),
    ]).toStrictEqual([200, 403, 403, 403, 200]);
  });

  it('does nothing for a page of another origin where everybody may do everything, either', async () => {
    const gateway = await serveRegistry(postsProject(NOWHERE));
    await register(gateway, 'Note', NOWHERE);
    const foreign = { origin: 'https://evil.example' };
    expect((await gateway.ask('POST', '/Notes/add', undefined, foreign)).status).toBe(403);
    expect((await gateway.ask('DELETE', '/Notes', undefined, foreign)).status).toBe(403);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
  });

  it('allows the methods that a path has, and no other path', async () => {
    const gateway = await serveRegistry(postsProject(NOWHERE));
    for (const [path, methods] of PATHS) {
      const { status, headers } = await gateway.ask('PATCH', path, {});
      const allow = methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
      expect([path, status, headers.get('allow')]).toStrictEqual([path, 405, allow]);
    }
    for (const path of [
      '/Nobody',
      '/Nobody/try',
      '/Posts/nothing',
      '/Posts/add/more',
      '/%',
      '/%2e%2e',
      '/__proto__',
    ]) {
      expect([path, (await gateway.ask('GET', path)).status === 200]).toStrictEqual([path, false]);
    }
    expect((await gateway.ask('GET', '/Nobody')).body).toStrictEqual({
      error: { code: 'NotFound', message: 'There is no API named "Nobody".' },
    });
  });

  it.each([
    ['text/plain', '{}', 415],
    ['application/json', '{"name"', 400],
    ['application/json', '[]', 400],
    ['application/json', 'null', 400],
  ])('refuses a body of %s: %s', async (type, body, status) => {
    const { gateway } = await serveRegistry(postsProject(NOWHERE));
    const headers = { 'content-type': type };
    const response = await fetch(`${gateway.url}/api/registry`, { method: 'POST', body, headers });
    expect([response.status, await response.json()]).toMatchObject([
      status,
      { error: { code: expect.any(String) } },
    ]);
  });
});

describe('a project that somebody is at', () => {
  it('is not changed while its file cannot be read, and is served on', async () => {
    const project = postsProject(NOWHERE);
    const gateway = await serveRegistry(project);
    project.write('.meshrc.yaml', 'sources: [');
    expect(await gateway.ask('GET')).toMatchObject({
      status: 409,
      body: {
        error: { code: 'Conflict', message: expect.stringContaining('The project file cannot be read.') },
      },
    });
    expect((await register(gateway, 'Note', NOWHERE)).status).toBe(409);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
  });

  it('is served where a registration is no file', async () => {
    const project = postsProject(NOWHERE);
    project.write('openapi/x.registration.yaml/y', '');
    project.write('openapi/y.registration.yaml', '[');
    const gateway = await serveRegistry(project);
    expect((await gateway.ask('GET')).body.apis).toHaveLength(1);
  });
});

describe('a project that is read-only', () => {
  const CHANGES: readonly ((gateway: RegistryGateway) => ReturnType<RegistryGateway['ask']>)[] = [
    (gateway) => register(gateway, 'Note', NOWHERE),
    (gateway) => gateway.ask('PUT', '/Posts', { document: documentOf('Post') }),
    (gateway) => gateway.ask('DELETE', '/Tasks'),
    (gateway) => gateway.ask('POST', '/Tasks/remove'),
    (gateway) => gateway.ask('POST', '/notes/add'),
  ];

  it.each([
    ['its folder', 'The folder of the project is read-only: change the files where they come from.', ''],
    ['openapi/', 'The folder of the project is read-only: change the files where they come from.', 'openapi'],
  ])('is shown and tried, and not changed: %s', async (_, reason, folder) => {
    const project = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', NOWHERE)}${sourceOf('Tasks', './openapi/tasks.yaml', NOWHERE)}`,
      'openapi/posts.yaml': documentOf('Post'),
      'openapi/tasks.yaml': documentOf('Task'),
      'openapi/notes.yaml': documentAt('Note', NOWHERE),
    });
    const gateway = await serveRegistry(project);
    chmodSync(project.path(folder), 0o555);
    onTestFinished(() => chmodSync(project.path(folder), 0o755));
    const { body } = await gateway.ask('GET');
    expect([body['writable'], body['reason'], body.apis.length]).toStrictEqual([false, reason, 3]);
    for (const change of CHANGES) {
      expect(await change(gateway)).toMatchObject({
        status: 403,
        body: { error: { code: 'Forbidden', message: reason } },
      });
    }
    expect((await gateway.ask('POST', '/$check', { document: documentOf('Post') })).status).toBe(200);
    expect((await gateway.ask('POST', '/Posts/fetch', {})).status).toBe(200);
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'Task']);
  });

  it('is one where a file stands in the place of openapi/', async () => {
    const project = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('Posts', './posts.yaml', NOWHERE)}`,
      'posts.yaml': documentOf('Post'),
    });
    writeFileSync(project.path('openapi'), '');
    const gateway = await serveRegistry(project);
    const { body } = await gateway.ask('GET');
    expect([body['writable'], body['reason']]).toStrictEqual([
      false,
      'There is a file in the place of the folder openapi/.',
    ]);
    expect((await register(gateway, 'Note', NOWHERE)).status).toBe(403);
  });

  it('is one where the document is elsewhere', async () => {
    const project = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('Posts', './apis/posts.yaml', NOWHERE)}`,
      'apis/posts.yaml': documentOf('Post'),
    });
    const gateway = await serveRegistry(project);
    expect(await gateway.ask('PUT', '/Posts', { document: documentOf('Note') })).toMatchObject({
      status: 403,
      body: {
        error: { message: 'The document is apis/posts.yaml: only those in openapi/ can be changed here.' },
      },
    });
  });

  it('is none for grants where duogate serve has made the project of a document', async () => {
    const project = createProject({
      '.duogate/.meshrc.yaml': `sources:\n${sourceOf('Posts', '../posts.yaml', NOWHERE)}`,
      'posts.yaml': documentOf('Post'),
    });
    const gateway = await serveRegistry(project, { MESH_CONFIG: project.path('.duogate/.meshrc.yaml') });
    const rows = [{ name: 'Post', grants: { Clerk: ['View'] } }];
    expect((await gateway.ask('POST', '/Posts/grant', { resources: rows })).status).toBe(200);
    expect(readFileSync(project.path('posts.overlay.yaml'), 'utf8')).toContain('Clerk');
    expect(readFileSync(project.path('posts.yaml'), 'utf8')).toBe(documentOf('Post'));
    expect((await gateway.ask('PUT', '/Posts', { document: documentOf('Note') })).status).toBe(403);
  });
});
