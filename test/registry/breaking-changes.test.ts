import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../cli/command.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import { postsProject, serveRegistry } from './registry-gateway.ts';

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream();
});
afterAll(() => upstream.close());

/** Removes the title, changes a text, and revokes Insert. */
const NARROWER = documentOf('Post')
  .replace('User: [View, Insert]', 'User: [View]')
  .replaceAll(/^ {8}title:\n(?: {10}.*\n)+/gm, '        headline: { type: string }\n')
  .replaceAll(/^.*\btitle\b(?!:).*\n/gm, '');

const QUESTION = {
  code: 'Conflict',
  message: 'This takes something away from users of the API, so nothing changes until it is confirmed (2).',
  target: 'confirm',
  details: [
    { code: 'Conflict', message: 'User may no longer Insert Post.', target: 'breaking' },
    { code: 'Conflict', message: 'Post.Title is no longer there.', target: 'breaking' },
    { code: 'Conflict', message: 'Post.Headline is new.', target: 'compatible' },
  ],
};

describe('a document that takes something from clients', () => {
  it('changes nothing before what it takes is confirmed', async () => {
    const project = postsProject(upstream.url);
    const gateway = await serveRegistry(project);
    const requested = await gateway.ask('PUT', '/Posts', { document: NARROWER });
    expect([requested.status, requested.body.error]).toStrictEqual([409, QUESTION]);
    expect(readFileSync(project.path('openapi/posts.yaml'), 'utf8')).toBe(documentOf('Post'));
    const confirm = ['Post.Title is no longer there.'];
    expect((await gateway.ask('PUT', '/Posts', { document: NARROWER, confirm })).status).toBe(409);
    expect((await gateway.ask('PUT', '/Posts', { document: NARROWER, confirm: 'yes' })).status).toBe(400);
    const shown = QUESTION.details.map(({ message }) => message);
    const done = await gateway.ask('PUT', '/Posts', { document: NARROWER, confirm: shown });
    expect([done.status, readFileSync(project.path('openapi/posts.yaml'), 'utf8')]).toStrictEqual([
      200,
      NARROWER,
    ]);
    expect((await gateway.ask('PUT', '/Posts', { document: documentOf('Post') })).status).toBe(409);
  });

  it('is fetched by the command line with --yes alone', async () => {
    upstream.behave((_, reply) => reply.send(200, NARROWER));
    const other = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}`,
      'openapi/posts.yaml': documentOf('Post'),
    });
    const fetchIt = (...more: readonly string[]) =>
      outcome(['api', 'fetch', 'Posts', '--url', `${upstream.url}/posts.yaml`, ...more], {
        MESH_CONFIG: other.path('.meshrc.yaml'),
        REGISTRY_HOSTS: '127.0.0.1',
      });
    const { code, stderr } = await fetchIt();
    const messages = QUESTION.details.map(({ message }) => `  ${message}\n`).join('');
    expect([code, stderr]).toStrictEqual([
      1,
      `${QUESTION.message}\n${messages}To change it anyway, repeat the command with --yes.\n`,
    ]);
    expect((await fetchIt('--yes')).code).toBe(0);
    expect(readFileSync(other.path('openapi/posts.yaml'), 'utf8')).toBe(NARROWER);
  });
});
