import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../auth/account-client.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import type { TemporaryProject } from '../support/temporary-project.ts';
import { documentAt, postsProject, type RegistryGateway, serveRegistry } from './registry-gateway.ts';

const GRANTS = '        grants:\n          User: [View, Insert]\n';
const USER = 'user@example.com';
const ADMIN = 'admin@example.com';

let upstream: StandInUpstream;
let project: TemporaryProject;
let gateway: RegistryGateway;
let admin: Record<string, string>;
let user: Record<string, string>;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.json([{ id: 1, title: 'A note' }]));
  project = postsProject(upstream.url, atEndOfFile);
  const environment = await createProjectAccounts(project, { [USER]: ['User'], [ADMIN]: ['Admin'] });
  gateway = await serveRegistry(project, environment, atEndOfFile);
  const fetching = {
    async fetch(path: string, init?: RequestInit) {
      const response = await fetch(`${gateway.gateway.url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
  admin = bearer((await signIn(fetching, ADMIN)).session);
  user = bearer((await signIn(fetching, USER)).session);
});
afterAll(() => upstream.close());

const ask = (method: string, path: string, body?: unknown) => gateway.ask(method, path, body, admin);

/** The status of a request with the role User. */
async function statusFor(path: string, init: RequestInit = {}): Promise<number> {
  const headers = { ...user, 'content-type': 'application/json' };
  return (await fetch(`${gateway.gateway.url}${path}`, { ...init, headers })).status;
}

/** An earlier try of the test may have registered it. */
async function removeEarlier(api: string): Promise<void> {
  await ask('POST', `/${api}/remove`, {});
  await ask('DELETE', `/${api}`);
}

/** Registers an API that grants nothing, and takes it into the project. */
async function addUngranted(name: string): Promise<string> {
  await removeEarlier(`${name}s`);
  const document = documentAt(name, upstream.url).replace(GRANTS, '');
  await ask('POST', '', { name: `${name}s`, fileName: 'api.yaml', document });
  const { body } = await ask('POST', `/${name}s/add`, {});
  return String(body['state']);
}

describe('who may use an API', () => {
  it('is nobody at first, is proposed, and holds as soon as it is granted', async () => {
    expect(await addUngranted('Note')).toBe('ungranted');
    const resource = { name: 'Note', kind: 'entitySet', rights: ['View', 'Insert'], isGrantable: true };
    const maxAges = ['*', 'Note'].map((name) => ({ name, maxAge: '' }));
    const proposal = [{ name: 'Note', grants: { User: ['View'], Admin: ['View', 'Insert'] } }];
    expect((await ask('GET', '/Notes/access')).body).toStrictEqual({
      roles: [],
      resources: [{ ...resource, grants: {} }],
      proposal,
      maxAges,
    });
    expect(await statusFor('/odata/Note')).toBe(403);
    const document = readFileSync(project.path('openapi/notes.yaml'), 'utf8');
    const { status, body } = await ask('POST', '/Notes/grant', { resources: proposal });
    expect([status, body]).toStrictEqual([
      200,
      {
        roles: ['Admin', 'User'],
        resources: [{ ...resource, grants: proposal[0]?.grants }],
        proposal: [],
        maxAges,
      },
    ]);
    expect(await statusFor('/odata/Note')).toBe(200);
    expect(await statusFor('/odata/Note', { method: 'POST', body: '{"Title":"x"}' })).toBe(403);
    expect((await ask('GET', '/Notes')).body['state']).toBe('live');
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(document);
  });

  it('stays as it is where the document is replaced', async () => {
    await addUngranted('Task');
    await ask('POST', '/Tasks/grant', { resources: [{ name: 'Task', grants: { User: ['View'] } }] });
    const document = documentAt('Task', upstream.url).replace(GRANTS, '').replace('1.0.0', '2.0.0');
    expect((await ask('PUT', '/Tasks', { document })).status).toBe(200);
    expect(await statusFor('/odata/Task')).toBe(200);
  });

  it('may be withdrawn, also where the document itself grants it', async () => {
    expect(await statusFor('/odata/Post')).toBe(200);
    await ask('POST', '/Posts/grant', { resources: [{ name: 'Post', grants: { Admin: ['View'] } }] });
    expect(await statusFor('/odata/Post')).toBe(403);
    await ask('POST', '/Posts/grant', { resources: [{ name: 'Post', grants: {} }] });
    expect((await ask('GET', '/Posts')).body['state']).toBe('ungranted');
    await ask('POST', '/Posts/grant', {
      resources: [{ name: 'Post', grants: { User: ['View', 'Insert'] } }],
    });
    expect(await statusFor('/odata/Post')).toBe(200);
  });

  it('is granted on the paths of what has no schema with a name', async () => {
    const schema = '{ type: object, required: [id], properties: { id: { type: string } } }';
    const get = (described: string) =>
      `get: { responses: { "200": { description: x, content: { application/json: { schema: ${described} } } } } }`;
    const document = `openapi: 3.1.0
info: { title: Pets, version: "1" }
servers: [{ url: "${upstream.url}" }]
paths:
  /pets:
    ${get(`{ type: array, items: ${schema} }`)}
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    ${get(schema)}
`;
    await removeEarlier('Pets');
    await ask('POST', '', { name: 'Pets', fileName: 'pets.yaml', document });
    const { body } = await ask('GET', '/Pets/access');
    const { status } = await ask('POST', '/Pets/grant', { resources: body['proposal'] });
    expect([status, body['proposal']]).toStrictEqual([
      200,
      [{ name: 'Pet', grants: { User: ['View'], Admin: ['View'] } }],
    ]);
    expect(readFileSync(project.path('openapi/pets.overlay.yaml'), 'utf8')).toContain(
      "target: $.paths['/pets/{id}']\n",
    );
  });

  it.each([
    ['what is not there', [{ name: 'Pots', grants: {} }], 404, /no entity "Pots": known are Post\b/],
    ['a right that there is not', [{ name: 'Post', grants: { User: ['Own'] } }], 400, /View, Insert, Update/],
    ['a role without a name', [{ name: 'Post', grants: { ' ': ['View'] } }], 400, /resources must be/],
    ['nothing', [], 400, /resources must be/],
  ])('refuses to grant %s', async (_, resources, status, message) => {
    const overlay = project.path('openapi/posts.overlay.yaml');
    const before = existsSync(overlay) && readFileSync(overlay, 'utf8');
    const answer = await ask('POST', '/Posts/grant', { resources });
    expect([answer.status, answer.body.error.message]).toStrictEqual([
      status,
      expect.stringMatching(message),
    ]);
    expect(existsSync(overlay) && readFileSync(overlay, 'utf8')).toBe(before);
  });
});
