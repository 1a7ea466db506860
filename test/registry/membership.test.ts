import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import { documentAt, postsProject, register, serveRegistry } from './registry-gateway.ts';

let upstream: StandInUpstream;
beforeAll(async () => {
  upstream = await startStandInUpstream(({ target }, reply) => {
    const entity = { userId: 1, id: 1, title: target, body: 'x' };
    reply.json(/\d$/.test(target) ? entity : [entity]);
  });
});
afterAll(() => upstream.close());

describe('adding an API to the project', () => {
  it('has it served in OData and GraphQL without a restart, as the project file says', async () => {
    const project = postsProject(upstream.url);
    const before = readFileSync(project.path('.meshrc.yaml'), 'utf8');
    const gateway = await serveRegistry(project);
    await register(gateway, 'Note', `${upstream.url}/v1`);
    const { status, body } = await gateway.ask('POST', '/Notes/add');
    expect([status, body]).toMatchObject([
      200,
      { name: 'Notes', state: 'live', serviceUrl: `${upstream.url}/v1` },
    ]);
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'Note']);
    expect(await gateway.json('/odata/Note?$select=Title')).toMatchObject({
      value: [{ Title: '/v1/notes' }],
    });
    expect(await gateway.json('/graphql?query={notes{title}}')).toStrictEqual({
      data: { notes: [{ title: '/v1/notes' }] },
    });
    expect(upstream.requests.at(-1)?.headers).toMatchObject({
      'x-application-name': 'posts-app',
      'x-gateway-api-name': 'posts-api',
    });
    expect(readFileSync(project.path('.meshrc.yaml'), 'utf8')).toBe(
      `${before}  - name: Notes
    handler:
      openapi:
        source: ./openapi/notes.yaml
        endpoint: ${upstream.url}/v1
        ignoreErrorResponses: true
        operationHeaders:
          x-application-name: "{env.APPLICATION_NAME}"
          x-gateway-api-name: "{env.GATEWAY_API_NAME}"
`,
    );
    expect(await gateway.json('/')).toMatchObject({
      apis: [
        { name: 'Posts', title: 'Posts', version: '1.0.0', href: 'app/apis/Posts' },
        { name: 'Notes', title: 'Posts', version: '1.0.0', href: 'app/apis/Notes' },
      ],
    });
  });

  it('adds several at once, one after the other', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    const names = ['Note', 'Task', 'Book'];
    for (const name of names) await register(gateway, name, upstream.url);
    const answers = await Promise.all(names.map((name) => gateway.ask('POST', `/${name}s/add`)));
    expect(answers.map(({ status, body }) => [status, body['state']])).toStrictEqual(
      names.map(() => [200, 'live']),
    );
    expect((await gateway.entitySets()).toSorted()).toStrictEqual(['Book', 'Note', 'Post', 'Task']);
  });

  it('changes nothing where the project cannot be served with it, and says why', async () => {
    const project = postsProject(upstream.url);
    const gateway = await serveRegistry(project);
    await register(gateway, 'Note', upstream.url);
    const source = sourceOf('Tasks', './openapi/posts.yaml', upstream.url, {
      'x-key': '{env.NOBODY_SET_IT}',
    });
    const broken = `${readFileSync(project.path('.meshrc.yaml'), 'utf8')}${source}`;
    project.write('.meshrc.yaml', broken);
    const { status, body } = await gateway.ask('POST', '/Notes/add');
    expect([status, body.error.code]).toStrictEqual([400, 'BadRequest']);
    expect(body.error.message).toMatch(/so nothing was changed.*needs the variable NOBODY_SET_IT/s);
    expect(body.error.message).not.toContain(project.directory);
    expect(readFileSync(project.path('.meshrc.yaml'), 'utf8')).toBe(broken);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect((await gateway.ask('GET', '/Notes')).body['state']).toBe('registered');
  });

  it.each([
    ['is already in the project', 'POST /Posts/add', 409],
    ['is not there', 'POST /Nobody/add', 404],
    ['has no service URL', 'POST /Empty/add', 400],
    ['is no OpenAPI document', 'POST /text/add', 400],
  ])('refuses one that %s', async (_, asked, status) => {
    const project = postsProject(upstream.url);
    project.write('openapi/Empty.yaml', 'openapi: 3.1.0\ninfo: {title: E, version: "1"}\npaths: {}\n');
    project.write('openapi/text.yaml', 'just: text\n');
    const gateway = await serveRegistry(project);
    const [method = '', path] = asked.split(' ');
    expect((await gateway.ask(method, path)).status).toBe(status);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
  });

  it('serves OpenAPI 3.0, too, and says so', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    const document = documentAt('Note', upstream.url)
      .replace('openapi: 3.1.0', 'openapi: 3.0.3')
      .replace(/^ {2}summary: Reads.*\n/m, '')
      .replace(/^ {4}identifier: .*\n/m, '')
      .replaceAll(/type: \[(\w+), "?null"?\]/g, 'type: $1');
    const { body } = await gateway.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    expect(body.report.kind).toBe('openapi-3.0');
    expect(body.report.summary).toMatch(/^It is OpenAPI 3\.0\.3, which is served too\. There /);
    expect((await gateway.ask('POST', '/Notes/add')).body['state']).toBe('live');
    expect(await gateway.entitySets()).toStrictEqual(['Post', 'Note']);
  });
});

describe('removing an API from the project', () => {
  it('leaves it registered', async () => {
    const project = postsProject(upstream.url);
    const before = readFileSync(project.path('.meshrc.yaml'), 'utf8');
    const gateway = await serveRegistry(project);
    const registered = await register(gateway, 'Note', upstream.url);
    await gateway.ask('POST', '/Notes/add');
    const { status, body } = await gateway.ask('POST', '/Notes/remove');
    expect([status, body]).toStrictEqual([200, registered.body]);
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect(readFileSync(project.path('.meshrc.yaml'), 'utf8')).toBe(before);
  });

  it('loses nothing of what a person has written about it', async () => {
    const notes = sourceOf('Notes', './openapi/notes.yaml', '{env.NOTES_URL}', { 'x-key': '{env.KEY}' });
    const project = createProject({
      '.meshrc.yaml': `sources:\n${sourceOf('Posts', './openapi/posts.yaml', upstream.url)}${notes}`,
      'openapi/posts.yaml': documentOf('Post'),
      'openapi/notes.yaml': documentOf('Note'),
    });
    const gateway = await serveRegistry(project, {
      NOTES_URL: upstream.url,
      KEY: 'secret',
      REGISTRY_HOSTS: '',
    });
    expect((await gateway.ask('POST', '/Notes/remove')).body['state']).toBe('registered');
    expect(await gateway.entitySets()).toStrictEqual(['Post']);
    expect((await gateway.ask('POST', '/Notes/add')).body).toMatchObject({
      state: 'live',
      serviceUrl: upstream.url,
    });
    await gateway.json('/odata/Note');
    expect(upstream.requests.at(-1)?.headers['x-key']).toBe('secret');
    expect(readFileSync(project.path('.meshrc.yaml'), 'utf8')).toContain('{env.KEY}');
  });
});
