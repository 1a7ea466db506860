import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { bearer, signIn } from '../auth/account-client.ts';
import { createProjectAccounts } from '../support/accounts-project.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentAt, postsProject, serveRegistry } from './registry-gateway.ts';

const ADMIN = 'admin@example.com';
const USER = 'user@example.com';
const GRANTS = '        grants:\n          User: [View, Insert]\n';
const GAINED = ['User may View City now.', 'User may Insert City now.'];

/** A registry with accounts, and a document at a URL that its author changes. */
async function scene() {
  const upstream = await startStandInUpstream((_, reply) => reply.json([]));
  onTestFinished(() => upstream.close());
  const project = postsProject(upstream.url);
  const environment = await createProjectAccounts(project, { [ADMIN]: ['Admin'], [USER]: ['User'] });
  const gateway = await serveRegistry(project, { ...environment, EDITED_FILES: 'confirm' });
  const { url } = gateway.gateway;
  const fetching = {
    async fetch(path: string, init?: RequestInit) {
      const response = await fetch(`${url}${path}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
  const [admin, user] = [
    bearer((await signIn(fetching, ADMIN)).session),
    bearer((await signIn(fetching, USER)).session),
  ];
  const granting = documentAt('City', upstream.url);
  const published = { text: granting.replace(GRANTS, '') };
  const author = createServer((_, response) => void response.end(published.text)).listen(0, '127.0.0.1');
  onTestFinished(() => void author.close());
  await once(author, 'listening');
  const address = author.address();
  const place = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/city.yaml`;
  return {
    project,
    granting,
    published,
    place,
    ask: (method: string, path: string, body?: unknown) => gateway.ask(method, path, body, admin),
    statusOfUser: async () => (await fetching.fetch('/odata/City', { headers: user })).status,
  };
}

it('rights that a fetched document gives are listed, and given once they are confirmed', async () => {
  const { ask, place, published, granting, statusOfUser } = await scene();
  expect((await ask('POST', '', { name: 'City', url: place })).status).toBe(201);
  expect((await ask('POST', '/City/add', {})).status).toBe(200);
  expect(await statusOfUser()).toBe(403);
  published.text = granting;
  const refused = await ask('POST', '/City/fetch', {});
  expect([refused.status, refused.body.error]).toEqual([
    409,
    {
      code: 'Conflict',
      message: 'This gives more rights to users of the API, so nothing changes until it is confirmed (2).',
      target: 'confirm',
      details: GAINED.map((message) => ({ code: 'Conflict', message, target: 'granting' })),
    },
  ]);
  expect(await statusOfUser()).toBe(403);
  expect((await ask('POST', '/City/fetch', { confirm: GAINED })).status).toBe(200);
  expect(await statusOfUser()).toBe(200);
});

it('rights that a document brings when it is added are confirmed, too', async () => {
  const { ask, granting, statusOfUser } = await scene();
  await ask('POST', '', { name: 'City', fileName: 'city.yaml', document: granting });
  const refused = await ask('POST', '/City/add', {});
  expect([refused.status, refused.body.error.details?.map(({ message }) => message)]).toEqual([409, GAINED]);
  expect((await ask('POST', '/City/add', { confirm: GAINED })).status).toBe(200);
  expect(await statusOfUser()).toBe(200);
});

it('what an administrator has granted replaces what a later document grants', async () => {
  const { ask, place, published, granting, statusOfUser } = await scene();
  await ask('POST', '', { name: 'City', url: place });
  await ask('POST', '/City/add', {});
  await ask('POST', '/City/grant', { resources: [{ name: 'City', grants: { Boss: ['View'] } }] });
  published.text = granting;
  expect((await ask('POST', '/City/fetch', {})).status).toBe(200);
  const { body } = await ask('GET', '/City/access');
  expect(body['resources']).toMatchObject([{ name: 'City', grants: { Boss: ['View'] } }]);
  expect(await statusOfUser()).toBe(403);
});

it('rights that edited files give are confirmed, too', async () => {
  const { ask, project, granting, statusOfUser } = await scene();
  await ask('POST', '', { name: 'City', fileName: 'city.yaml', document: granting.replace(GRANTS, '') });
  await ask('POST', '/City/add', {});
  project.write('openapi/city.yaml', granting);
  const refused = await ask('POST', '/City/fetch', { url: '' });
  expect([refused.status, refused.body.error.details?.map(({ message }) => message)]).toEqual([409, GAINED]);
  expect(await statusOfUser()).toBe(403);
  expect((await ask('POST', '/City/fetch', { url: '', confirm: GAINED })).status).toBe(200);
  expect(await statusOfUser()).toBe(200);
});
