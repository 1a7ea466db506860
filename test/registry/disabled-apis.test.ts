import { existsSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { outcome } from '../cli/command.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import { serveRegistry } from './registry-gateway.ts';

const FILE = 'disabled-apis.yaml';

async function serveTwo() {
  const upstream = await startStandInUpstream((_, reply) => reply.json([]));
  onTestFinished(() => upstream.close());
  const project = createProject({
    '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}${sourceOf('Notes', './openapi/notes.yaml', upstream.url)}`,
    'openapi/posts.yaml': documentOf('Post'),
    'openapi/notes.yaml': documentOf('Note'),
  });
  const gateway = await serveRegistry(project);
  const read = async (set: string, other = gateway) => {
    const response = await fetch(`${other.gateway.url}/odata/${set}`);
    return [response.status, (await response.json()).error?.message];
  };
  return { upstream, project, gateway, read };
}

it('an API that is turned off is sent nothing, on either face, and serves again when it is turned on', async () => {
  const { upstream, project, gateway, read } = await serveTwo();
  const off = await gateway.ask('POST', '/Notes/disable', { reason: 'It is being repaired.' });
  expect([off.status, off.body['state'], off.body['disabled']]).toEqual([
    200,
    'disabled',
    { at: expect.any(String), by: 'operator', reason: 'It is being repaired.' },
  ]);
  const before = upstream.requests.length;
  const MESSAGE = 'The API Notes is turned off at the moment. It is being repaired.';
  expect(await read('Note')).toEqual([503, MESSAGE]);
  expect(await read("Note('1')")).toEqual([503, MESSAGE]);
  const url = gateway.gateway.url;
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers };
  const created = await fetch(`${url}/odata/Note`, { ...init, body: '{"Title":"x","Body":"y","UserId":1}' });
  expect([created.status, created.headers.get('retry-after')]).toEqual([503, '60']);
  const body = JSON.stringify({ query: '{ notes { id } posts { id } }' });
  const { data, errors } = await (await fetch(`${url}/graphql`, { ...init, body })).json();
  expect(errors).toMatchObject([{ message: MESSAGE, path: ['notes'], extensions: { code: 'ApiDisabled' } }]);
  expect(data).toBeNull();
  const tried = await gateway.ask('POST', '/Notes/try', { method: 'GET', path: '/notes' });
  expect([tried.status, tried.body.error.message]).toEqual([503, MESSAGE]);
  expect(upstream.requests.slice(before).map(({ target }) => target)).not.toContain('/notes');
  expect(await read('Post')).toEqual([200, undefined]);
  expect(await gateway.entitySets()).toEqual(['Post', 'Note']);
  expect((await gateway.ask('POST', '/Notes/disable', {})).status).toBe(409);
  expect(gateway.entries()).toContainEqual(
    expect.objectContaining({ api: 'Notes', change: 'turned off: It is being repaired.' }),
  );
  expect((await gateway.ask('POST', '/Notes/enable')).body['state']).toBe('live');
  expect(await read('Note')).toEqual([200, undefined]);
  expect(existsSync(project.path(FILE))).toBe(false);
});

it('is turned off by a command for all gateways beside it, also for those that start later', async () => {
  const { project, read } = await serveTwo();
  const other = await serveRegistry(project);
  const environment = { AUTH: 'off', MESH_CONFIG: project.path('.meshrc.yaml') };
  const run = (...args: readonly string[]) => outcome(['api', ...args], environment, '', project.directory);
  expect((await run('disable', 'Notes')).stdout).toContain('turned off');
  expect(readFileSync(project.path(FILE), 'utf8')).toMatch(/^Notes:$/m);
  const MESSAGE = 'The API Notes is turned off at the moment.';
  await expect.poll(() => read('Note'), { timeout: 20_000 }).toEqual([503, MESSAGE]);
  await expect.poll(() => read('Note', other), { timeout: 20_000 }).toEqual([503, MESSAGE]);
  const third = await serveRegistry(project);
  expect(await read('Note', third)).toEqual([503, MESSAGE]);
  expect(await run('enable', 'Notes')).toMatchObject({ code: 0, stderr: '' });
  await expect.poll(() => read('Note', third), { timeout: 20_000 }).toEqual([200, undefined]);
  expect(await run('enable', 'Notes')).toMatchObject({ code: 1, stderr: 'Notes is not turned off.\n' });
});

it('stays as it is while the file cannot be read', async () => {
  const { project, gateway, read } = await serveTwo();
  project.write(FILE, 'Notes:\n');
  await expect.poll(async () => (await read('Note'))[0], { timeout: 20_000 }).toBe(503);
  project.write(FILE, '- 1\n');
  await expect
    .poll(() => gateway.entries().filter(({ level }) => level === 'error').length, { timeout: 20_000 })
    .toBeGreaterThan(0);
  expect((await read('Note'))[0]).toBe(503);
});
