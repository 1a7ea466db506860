import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { outcome } from '../cli/command.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentOf, sourceOf, type TemporaryProject } from '../support/temporary-project.ts';
import { postsProject, type RegistryGateway, serveRegistry } from './registry-gateway.ts';

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream();
});
afterAll(() => upstream.close());

const WHOLE = documentOf('Post');
/** No title any longer, and another property. */
const WITHOUT_TITLE = WHOLE.replaceAll(
  /^ {8}title:\n(?: {10}.*\n)+/gm,
  '        headline: { type: string }\n',
).replaceAll(/^.*\btitle\b(?!:).*\n/gm, '');
const LOST_TITLE = 'Post.Title is no longer there.';
const WITHOUT_INSERT = WHOLE.replace('User: [View, Insert]', 'User: [View]');
const LOST_INSERT = 'User may no longer Insert Post.';

async function served(environment = { EDITED_FILES: 'confirm' }) {
  const project = postsProject(upstream.url);
  const gateway = await serveRegistry(project, environment);
  return { project, gateway };
}

/** The names of the properties of a post, as clients see them. */
async function properties({ gateway: { url } }: RegistryGateway): Promise<readonly string[]> {
  const metadata = await (await fetch(`${url}/odata/$metadata`)).text();
  return [...metadata.matchAll(/<Property Name="(\w+)"/g)].map(([, name = '']) => name);
}

async function refusal(gateway: RegistryGateway): Promise<unknown> {
  return (await gateway.ask('GET', '/Posts')).body['refusal'];
}

/** Waits until the gateway has looked at what has been written, and refused it. */
async function expectRefused(gateway: RegistryGateway, message: string): Promise<void> {
  await vi.waitFor(async () => expect(await refusal(gateway)).toContain(message), 15_000);
}

async function expectServed(gateway: RegistryGateway, property: string): Promise<void> {
  await vi.waitFor(async () => expect(await properties(gateway)).toContain(property), 15_000);
}

function write(project: TemporaryProject, text: string): void {
  project.write('openapi/posts.yaml', text);
}

describe('a document that is edited so that it takes something from users', () => {
  it.each([
    ['a property', WITHOUT_TITLE, LOST_TITLE],
    ['a grant', WITHOUT_INSERT, LOST_INSERT],
    ['an entity set', documentOf('Note'), 'Post is no longer served.'],
  ])('leaves the earlier one in service until that is confirmed: %s', async (_, text, lost) => {
    const { project, gateway } = await served();
    const before = await properties(gateway);
    write(project, text);
    await expectRefused(gateway, lost);
    expect(await properties(gateway)).toStrictEqual(before);
    expect(await (await fetch(`${gateway.gateway.url}/metrics`)).text()).toContain(
      'duogate_project_refused 1',
    );
    const errors = gateway.entries().filter(({ level }) => level === 'error');
    expect(errors.map((entry) => JSON.stringify(entry).includes(lost))).toStrictEqual([true]);

    const requested = await gateway.ask('POST', '/Posts/fetch', { url: '' });
    const shown = requested.body.error.details?.map(({ message }) => message);
    expect([requested.status, requested.body.error.target, shown]).toStrictEqual([
      409,
      'confirm',
      expect.arrayContaining([lost]),
    ]);
    expect(await properties(gateway)).toStrictEqual(before);
    const other = await gateway.ask('POST', '/Posts/fetch', {
      url: '',
      confirm: ['Post.Id is no longer there.'],
    });
    expect(other.status).toBe(409);
    expect((await gateway.ask('POST', '/Posts/fetch', { url: '', confirm: shown })).status).toBe(200);
    expect(await refusal(gateway)).toBeNull();
    expect(gateway.entries().filter(({ msg }) => msg === 'serving the changed project')).toHaveLength(1);
  });

  it('is served after all when it takes nothing any longer', async () => {
    const { project, gateway } = await served();
    write(project, WITHOUT_TITLE);
    await expectRefused(gateway, LOST_TITLE);
    write(project, WHOLE.replace('        title:\n', '        headline: { type: string }\n        title:\n'));
    await expectServed(gateway, 'Headline');
    expect(await refusal(gateway)).toBeNull();
  });

  it('is served by a gateway that starts with it', async () => {
    const { project, gateway } = await served();
    write(project, WITHOUT_TITLE);
    await expectRefused(gateway, LOST_TITLE);
    const later = await serveRegistry(project, { EDITED_FILES: 'confirm' });
    expect(await properties(later)).toContain('Headline');
    expect(await refusal(later)).toBeNull();
  });

  it('is served at once with EDITED_FILES=serve', async () => {
    const { project, gateway } = await served({ EDITED_FILES: 'serve' });
    write(project, WITHOUT_TITLE);
    await expectServed(gateway, 'Headline');
    expect(await refusal(gateway)).toBeNull();
  });

  it('is asked about by whoever changes another API meanwhile', async () => {
    const { project, gateway } = await served();
    project.write(
      '.meshrc.yaml',
      `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}${sourceOf('Notes', './openapi/notes.yaml', upstream.url)}`,
    );
    project.write('openapi/notes.yaml', documentOf('Note'));
    await vi.waitFor(async () => expect(await gateway.entitySets()).toStrictEqual(['Post', 'Note']), 15_000);
    write(project, WITHOUT_TITLE);
    await expectRefused(gateway, LOST_TITLE);
    const document = documentOf('Note').replace(
      '        title:\n',
      '        more: { type: string }\n        title:\n',
    );
    const requested = await gateway.ask('PUT', '/Notes', { document });
    expect([requested.status, requested.body.error.details?.map(({ message }) => message)]).toStrictEqual([
      409,
      expect.arrayContaining([LOST_TITLE, 'Note.More is new.']),
    ]);
    expect(await properties(gateway)).not.toContain('Headline');
    expect((await gateway.ask('PUT', '/Notes', { document, confirm: [LOST_TITLE] })).status).toBe(200);
    expect(await properties(gateway)).toStrictEqual(expect.arrayContaining(['Headline', 'More']));
  });
});

describe('what somebody has confirmed', () => {
  it('is served where a command has changed the files', async () => {
    const { project, gateway } = await served();
    upstream.behave((_, reply) => reply.send(200, WITHOUT_TITLE));
    const fetched = await outcome(['api', 'fetch', 'Posts', '--url', `${upstream.url}/posts.yaml`, '--yes'], {
      MESH_CONFIG: project.path('.meshrc.yaml'),
      REGISTRY_HOSTS: '127.0.0.1',
    });
    expect(fetched.code).toBe(0);
    await expectServed(gateway, 'Headline');
    // What has been confirmed once says nothing of a later edit.
    write(project, WHOLE);
    await expectRefused(gateway, 'Post.Headline is no longer there.');
    await gateway.ask('POST', '/Posts/fetch', { url: '', confirm: ['Post.Headline is no longer there.'] });
    write(project, WITHOUT_TITLE);
    await expectRefused(gateway, LOST_TITLE);
  });

  it('is served where grants are taken back in the browser', async () => {
    const { gateway } = await served();
    const resources = [{ name: 'Post', grants: { User: ['View'] } }];
    expect((await gateway.ask('POST', '/Posts/grant', { resources })).status).toBe(200);
    expect(await refusal(gateway)).toBeNull();
  });

  it('is an API that is taken out of the project', async () => {
    const { project, gateway } = await served();
    const posts = sourceOf('Posts', './openapi/posts.yaml', upstream.url);
    project.write('openapi/notes.yaml', documentOf('Note'));
    const both = `sources:\n${posts}${sourceOf('Notes', './openapi/notes.yaml', upstream.url)}`;
    project.write('.meshrc.yaml', both);
    await vi.waitFor(async () => expect(await gateway.entitySets()).toStrictEqual(['Post', 'Note']), 15_000);
    project.write('.meshrc.yaml', `sources:\n${posts}`);
    await vi.waitFor(async () => expect(await gateway.entitySets()).toStrictEqual(['Post']), 15_000);
    expect(await refusal(gateway)).toBeNull();
  });
});
