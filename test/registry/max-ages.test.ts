import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import type { TemporaryProject } from '../support/temporary-project.ts';
import { postsProject, type RegistryGateway, serveRegistry } from './registry-gateway.ts';

let upstream: StandInUpstream;
let project: TemporaryProject;
let gateway: RegistryGateway;
beforeAll(async () => {
  upstream = await startStandInUpstream((_, reply) => reply.json([{ id: 1, title: 'A note' }]));
  project = postsProject(upstream.url, atEndOfFile);
  gateway = await serveRegistry(project, {}, atEndOfFile);
});
afterAll(() => upstream.close());

const OVERLAY = 'openapi/posts.overlay.yaml';

async function callsForTwo(): Promise<number> {
  const before = upstream.requests.length;
  for (let times = 0; times < 2; times += 1) await fetch(`${gateway.gateway.url}/odata/Post`);
  return upstream.requests.length - before;
}

const set = (maxAges: unknown) => gateway.ask('POST', '/Posts/max-age', { maxAges });

describe('the age of answers', () => {
  it('is none at first, is written into the overlay, and takes effect', async () => {
    const { body } = await gateway.ask('GET', '/Posts/access');
    expect(body['maxAges']).toStrictEqual([
      { name: '*', maxAge: '' },
      { name: 'Post', maxAge: '' },
    ]);
    expect(await callsForTwo()).toBe(2);
    const changed = await set([{ name: 'Post', maxAge: '5m' }]);
    expect([changed.status, changed.body['maxAges']]).toStrictEqual([
      200,
      [
        { name: '*', maxAge: '' },
        { name: 'Post', maxAge: '5m' },
      ],
    ]);
    expect(readFileSync(project.path(OVERLAY), 'utf8')).toContain('maxAge: 5m');
    expect(await callsForTwo()).toBeLessThanOrEqual(1);
  });

  it('of the document is for what has none of its own, and an empty one is removed', async () => {
    await set([
      { name: 'Post', maxAge: '' },
      { name: '*', maxAge: 'api' },
    ]);
    const { body } = await gateway.ask('GET', '/Posts/access');
    expect(body['maxAges']).toStrictEqual([
      { name: '*', maxAge: 'api' },
      { name: 'Post', maxAge: '' },
    ]);
    // The API declares no time.
    expect(await callsForTwo()).toBe(2);
    await set([{ name: '*', maxAge: '' }]);
    expect(readFileSync(project.path(OVERLAY), 'utf8')).not.toContain('maxAge');
  });

  it.each([
    [[{ name: 'Post', maxAge: 'soon' }], 400],
    [[{ name: 'None', maxAge: '5m' }], 404],
    [[], 400],
    ['5m', 400],
  ])('is refused: %j', async (maxAges, status) => {
    expect((await set(maxAges)).status).toBe(status);
    expect(await callsForTwo()).toBe(2);
  });
});
