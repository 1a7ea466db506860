import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../cli/command.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentOf, type TemporaryProject } from '../support/temporary-project.ts';
import {
  documentAt,
  postsProject,
  type RegistryGateway,
  register,
  serveRegistry,
} from './registry-gateway.ts';

let upstream: StandInUpstream;
let project: TemporaryProject;
let gateway: RegistryGateway;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.json([]));
  project = postsProject(upstream.url, atEndOfFile);
  gateway = await serveRegistry(project, {}, atEndOfFile);
  // State 1 is what the tests begin with, and state 2 has less.
  await gateway.ask('PUT', '/Posts', { document: LATER, confirm: [LOST] });
  await gateway.ask('PUT', '/Posts', { document: EARLIER });
});
afterAll(() => upstream.close());

const EARLIER = documentOf('Post');
const LATER = EARLIER.replace('User: [View, Insert]', 'User: [View]').replace('1.0.0', '2.0.0');
const LOST = 'User may no longer Insert Post.';

const read = (file: string): string => readFileSync(project.path(file), 'utf8');

async function changesOf(name: string): Promise<readonly Record<string, unknown>[]> {
  const { status, body } = await gateway.ask('GET', `/${name}/history`);
  expect(status).toBe(200);
  return body['changes'] as readonly Record<string, unknown>[];
}

/** A change as the history lists it, whenever it was made. */
function recorded(state: number, replaced: readonly string[], changes: readonly object[] = []) {
  return { state, at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), by: null, replaced, changes };
}

describe('the history of an API', () => {
  it('has what there was before each change, and brings it back', async () => {
    await gateway.ask('PUT', '/Posts', { document: EARLIER });
    const before = await changesOf('Posts');
    const state = Number(before[0]?.['state'] ?? 0) + 1;
    await gateway.ask('PUT', '/Posts', { document: LATER, confirm: [LOST] });
    const breaking = recorded(state, ['document'], [{ kind: 'breaking', message: LOST }]);
    expect(await changesOf('Posts')).toStrictEqual([breaking, ...before]);
    const { status } = await gateway.ask('POST', '/Posts/restore', { state });
    expect([status, read('openapi/posts.yaml')]).toStrictEqual([200, EARLIER]);
    const gained = [{ kind: 'granting', message: 'User may Insert Post now.' }];
    const back = recorded(state + 1, ['document'], gained);
    expect(await changesOf('Posts')).toStrictEqual([back, breaking, ...before]);
  });

  it('asks before it brings back what takes something from clients', async () => {
    const requested = await gateway.ask('POST', '/Posts/restore', { state: 2 });
    expect([requested.status, requested.body.error.target, requested.body.error.details]).toStrictEqual([
      409,
      'confirm',
      [{ code: 'Conflict', message: LOST, target: 'breaking' }],
    ]);
    expect(read('openapi/posts.yaml')).toBe(EARLIER);
    const done = await gateway.ask('POST', '/Posts/restore', { state: 2, confirm: [LOST] });
    expect([done.status, read('openapi/posts.yaml')]).toStrictEqual([200, LATER]);
    await gateway.ask('POST', '/Posts/restore', { state: 1 });
  });

  it('has the overlay that grants, and how an API was registered', async () => {
    await gateway.ask('DELETE', '/Notes');
    await register(gateway, 'Note', upstream.url);
    expect(await changesOf('Notes')).toStrictEqual([]);
    const overlay = 'openapi/notes.overlay.yaml';
    await gateway.ask('POST', '/Notes/grant', { resources: [{ name: 'Note', grants: { User: ['View'] } }] });
    const granted = read(overlay);
    await gateway.ask('PUT', '/Notes', { description: 'Words', serviceUrl: `${upstream.url}/v2` });
    const document = documentAt('Note', upstream.url).replace('1.0.0', '2.0.0');
    await gateway.ask('PUT', '/Notes', { document });
    expect(read(overlay)).toBe(granted);
    expect(await changesOf('Notes')).toStrictEqual([
      recorded(3, ['document']),
      recorded(2, ['description', 'serviceUrl']),
      recorded(1, ['overlay'], [{ kind: 'breaking', message: LOST.replace('Post', 'Note') }]),
    ]);
    await gateway.ask('POST', '/Notes/restore', { state: 2 });
    const { body } = await gateway.ask('GET', '/Notes');
    expect([body['version'], body['serviceUrl'], read(overlay)]).toStrictEqual([
      '1.0.0',
      `${upstream.url}/v2`,
      granted,
    ]);
    await gateway.ask('POST', '/Notes/restore', { state: 1 });
    expect(existsSync(project.path(overlay))).toBe(false);
  });

  it('goes with the API, and so does what it grants', async () => {
    await register(gateway, 'Note', upstream.url);
    await gateway.ask('POST', '/Notes/grant', { resources: [{ name: 'Note', grants: { User: ['View'] } }] });
    expect((await gateway.ask('DELETE', '/Notes')).status).toBe(204);
    const left = ['openapi', 'openapi/.history'].flatMap((folder) => readdirSync(project.path(folder)));
    expect(left.filter((file) => file.startsWith('notes'))).toStrictEqual([]);
    expect((await gateway.ask('GET', '/Notes/history')).status).toBe(404);
  });

  it('has the last ten states, and nothing of what changes nothing', async () => {
    await register(gateway, 'Memo', upstream.url);
    for (let number = 1; number <= 12; number++) {
      await gateway.ask('PUT', '/Memos', { description: `Words ${number}` });
      await gateway.ask('PUT', '/Memos', { description: `Words ${number}` });
    }
    const states = (await changesOf('Memos')).map(({ state }) => state);
    expect(states).toStrictEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
    await gateway.ask('POST', '/Memos/restore', { state: 3 });
    expect((await gateway.ask('GET', '/Memos')).body['description']).toBe('Words 2');
    await gateway.ask('DELETE', '/Memos');
  });

  it('is left as it was where a change is refused', async () => {
    const before = await changesOf('Posts');
    expect((await gateway.ask('PUT', '/Posts', { document: LATER })).status).toBe(409);
    expect((await gateway.ask('PUT', '/Posts', { document: 'paths: [' })).status).toBe(400);
    expect(await changesOf('Posts')).toStrictEqual(before);
  });

  it('leaves out what cannot be read, and says so to who asks for it', async () => {
    const own = postsProject(upstream.url);
    const served = await serveRegistry(own);
    await served.ask('PUT', '/Posts', { document: LATER, confirm: [LOST] });
    own.write('openapi/.history/posts.50.json', '{"before":');
    own.write('openapi/.history/posts.51.json', '{"at":"today","before":{}}');
    own.write('openapi/.history/postscript.52.json', '{}');
    const { body: history } = await served.ask('GET', '/Posts/history');
    expect(history['changes']).toStrictEqual([expect.objectContaining({ state: 1 })]);
    for (const state of [50, 51]) {
      const { status, body } = await served.ask('POST', '/Posts/restore', { state });
      expect([status, body.error.message]).toStrictEqual([409, 'The file of that state cannot be read.']);
    }
  });

  it.each([
    [{ state: 99 }, 404, /^The history of Posts has no state 99: there is 1, 2[,.]/],
    [{ state: '1' }, 400, /^state must be the number of a state, from 1\.$/],
    [{ state: 0 }, 400, /^state must be/],
    [{}, 400, /^state must be/],
    [{ state: 1 }, 409, /^Posts is already as it was in state 1\.$/],
  ])('refuses %j', async (order, status, message) => {
    const answer = await gateway.ask('POST', '/Posts/restore', order);
    expect([answer.status, answer.body.error.message]).toStrictEqual([
      status,
      expect.stringMatching(message),
    ]);
  });

  it('does not bring back a URL that the project file has by hand', async () => {
    await register(gateway, 'Task', upstream.url);
    await gateway.ask('PUT', '/Tasks', { serviceUrl: `${upstream.url}/v2` });
    await gateway.ask('PUT', '/Tasks', { serviceUrl: `${upstream.url}/v3` });
    await gateway.ask('POST', '/Tasks/add', {});
    const byHand = read('.meshrc.yaml').replace('/v3', '/v4');
    project.write('.meshrc.yaml', byHand);
    const { status, body } = await gateway.ask('POST', '/Tasks/restore', { state: 2 });
    expect([status, body.error.target, read('.meshrc.yaml')]).toStrictEqual([403, 'serviceUrl', byHand]);
  });
});

describe('duogate api history and restore', () => {
  it('list the changes, and bring back a state with --yes alone where it takes something', async () => {
    const other = postsProject(upstream.url);
    const run = (...args: readonly string[]) =>
      outcome(['api', ...args], { MESH_CONFIG: other.path('.meshrc.yaml'), REGISTRY_HOSTS: '127.0.0.1' });
    expect((await run('history', 'Posts')).stdout).toBe('There are no changes yet.\n');
    upstream.behave((_, reply) => reply.send(200, LATER));
    const url = `${upstream.url}/posts.yaml`;
    await run('fetch', 'Posts', '--url', url, '--yes');
    const { stdout } = await run('history', 'Posts');
    expect(stdout.replace(/\d{4}-\S+Z/, 'NOW')).toBe(
      `1  NOW  operator  document, fetchUrl\n  breaking    ${LOST}\n`,
    );
    const gained =
      'This gives more rights to users of the API, so nothing changes until it is confirmed (1).';
    expect((await run('restore', 'Posts', '1')).stderr).toContain(gained);
    expect((await run('restore', 'Posts', '1', '--yes')).stdout).toContain('Posts 1.0.0');
    expect(readFileSync(other.path('openapi/posts.yaml'), 'utf8')).toBe(EARLIER);
    const { code, stderr } = await run('restore', 'Posts', '2');
    expect([code, stderr]).toStrictEqual([
      1,
      expect.stringContaining(`  ${LOST}\nTo change it anyway, repeat the command with --yes`),
    ]);
    expect((await run('restore', 'Posts', '2', '--yes')).code).toBe(0);
    expect((await run('restore', 'Posts', 'x')).code).toBe(2);
  });
});
