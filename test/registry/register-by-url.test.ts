import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../cli/command.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { documentOf, type TemporaryProject } from '../support/temporary-project.ts';
import { documentAt, postsProject, type RegistryGateway, serveRegistry } from './registry-gateway.ts';

let upstream: StandInUpstream;
let project: TemporaryProject;
let gateway: RegistryGateway;
beforeAll(async () => {
  upstream = await startStandInUpstream();
  project = postsProject(upstream.url, atEndOfFile);
  gateway = await serveRegistry(project, {}, atEndOfFile);
});
afterAll(() => upstream.close());

/** Lets the upstream respond with a text to any request. */
function publish(text: string, status = 200): string {
  upstream.behave((_, reply) => reply.send(status, text));
  return `${upstream.url}/described/api.yaml`;
}

describe('an API that is registered by the URL of its document', () => {
  it('has the document that is there, and is fetched from there later on', async () => {
    const document = documentAt('Note', upstream.url);
    const url = publish(document);
    await gateway.ask('DELETE', '/Notes');
    const { status, body } = await gateway.ask('POST', '', { name: 'Notes', url });
    expect([status, body['file'], body['fetchUrl'], body['serviceUrl']]).toStrictEqual([
      201,
      'openapi/notes.yaml',
      url,
      upstream.url,
    ]);
    expect(readFileSync(project.path('openapi/notes.yaml'), 'utf8')).toBe(document);
    publish(document.replace('1.0.0', '2.0.0'));
    const fetched = await gateway.ask('POST', '/Notes/fetch', {});
    expect([fetched.status, fetched.body.api['version']]).toStrictEqual([200, '2.0.0']);
  });

  it.each([
    ['/v2', '/v2'],
    ['../v3', '/v3'],
    ['.', '/described'],
  ])('is called at a server that is named from there (OpenAPI 3.1, 4.8.5): %s', async (server, path) => {
    const url = publish(documentAt('Memo', server));
    const { body } = await gateway.ask('POST', '', { name: 'Memos', url });
    expect([body['serviceUrl'], body['errors']]).toStrictEqual([`${upstream.url}${path}`, 0]);
    await gateway.ask('DELETE', '/Memos');
  });

  it('may be called elsewhere', async () => {
    const url = publish(documentOf('Memo'));
    const { body } = await gateway.ask('POST', '', {
      name: 'Memos',
      url,
      serviceUrl: `${upstream.url}/here`,
    });
    expect(body['serviceUrl']).toBe(`${upstream.url}/here`);
    await gateway.ask('DELETE', '/Memos');
  });

  it.each([
    ['another scheme', () => 'file:///etc/passwd', 403],
    ['credentials', () => upstream.url.replace('//', '//user:password@'), 403],
    ['a host that is not named', () => upstream.url.replace('127.0.0.1', 'localhost'), 403],
    ['no document', () => publish('<html>'), 400],
    ['an error', () => publish('secret', 500), 502],
  ])('is not registered where the URL has %s', async (_, urlOf, status) => {
    const { status: answered, body } = await gateway.ask('POST', '', { name: 'Memos', url: urlOf() });
    expect([answered, body.error.target]).toStrictEqual([status, 'url']);
    expect(JSON.stringify(body)).not.toContain('secret');
    expect((await gateway.ask('GET', '/Memos')).status).toBe(404);
  });
});

describe('duogate api add URL', () => {
  it('fetches, registers and adds what is there, whatever hosts others may name', async () => {
    const other = postsProject(upstream.url);
    const environment = { MESH_CONFIG: other.path('.meshrc.yaml') };
    const url = publish(documentOf('Note')).replace('api.yaml', 'my-notes.yaml');
    const refused = await outcome(['api', 'add', url], environment);
    expect([refused.code, refused.stderr]).toStrictEqual([
      1,
      'This gives more rights to users of the API, so nothing changes until it is confirmed (2).\n  User may View Note now.\n  User may Insert Note now.\nTo change it anyway, repeat the command with --yes.\n',
    ]);
    const added = await outcome(['api', 'add', url, '--yes'], environment);
    expect([added.code, added.stderr]).toStrictEqual([0, '']);
    expect(added.stdout).toMatch(/^Name +my_notes$/m);
    expect(added.stdout).toMatch(/^State +live$/m);
    expect(readFileSync(other.path('.meshrc.yaml'), 'utf8')).toContain('my_notes');
    const taken = await outcome(['api', 'add', url, '--name', 'Posts'], environment);
    expect([taken.code, taken.stderr]).toStrictEqual([1, 'An API named Posts already exists.\n']);
    expect((await outcome(['api', 'add', 'Posts', '--name', 'x'], environment)).code).toBe(2);
  });
});
