import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, documentOf, sourceOf } from '../support/temporary-project.ts';
import {
  documentAt,
  postsProject,
  type RegistryGateway,
  register,
  serveRegistry,
  serveSharedRegistry,
} from './registry-gateway.ts';

let upstream: StandInUpstream;
let shared: RegistryGateway;
beforeAll(async () => {
  upstream = await startStandInUpstream();
  shared = await serveSharedRegistry(upstream.url);
});
afterAll(() => upstream.close());
beforeEach(() =>
  upstream.behave((_, reply) =>
    reply.send(200, '[{"id":1}]', {
      'content-type': 'application/json',
      'set-cookie': 'session=1',
      'x-powered-by': 'PHP',
      'www-authenticate': 'Basic',
      'x-total-count': '1',
      etag: '"1"',
    }),
  ),
);

const IDENTITY = { 'x-application-name': 'posts-app', 'x-gateway-api-name': 'posts-api' };

describe('trying an operation', () => {
  it('calls the upstream as the gateway does, and shows all of it', async () => {
    const gateway = await serveRegistry(postsProject(`${upstream.url}/v1`));
    const { status, body } = await gateway.ask('POST', '/Posts/try', {
      method: 'get',
      path: '/posts?userId=1',
    });
    expect([status, body]).toStrictEqual([
      200,
      {
        request: {
          method: 'GET',
          path: '/posts?userId=1',
          headers: { accept: 'application/json, */*;q=0.5' },
        },
        status: 200,
        headers: {
          'content-length': '10',
          'content-type': 'application/json',
          'x-total-count': '1',
          etag: '"1"',
        },
        body: '[{"id":1}]',
        encoding: 'text',
        truncated: false,
        milliseconds: expect.any(Number),
        curl: `curl -X 'GET' '${upstream.url}/v1/posts?userId=1' -H 'accept: application/json, */*;q=0.5'`,
      },
    ]);
    expect(upstream.requests.at(-1)?.target).toBe('/v1/posts?userId=1');
  });

  it('does not call one that has a server of its own at the document’s', async () => {
    const gateway = await serveRegistry(postsProject('http://127.0.0.1:9'));
    const document = documentAt('Note', upstream.url).replace(
      /^( *)\/notes:$/m,
      `$1/notes:\n$1  servers: [{ url: /v2 }]`,
    );
    await gateway.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    const before = upstream.requests.length;
    const { status, body } = await gateway.ask('POST', '/Notes/try', { method: 'GET', path: '/notes' });
    expect([status, body.error.message]).toStrictEqual([
      400,
      'The operation has a server of its own: it can only be called through the service.',
    ]);
    expect(upstream.requests).toHaveLength(before);
  });

  it('identifies the gateway for an API that is only registered', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    await register(gateway, 'Note', upstream.url);
    const body = '{"title":"it\'s $HOME"}';
    const tried = await gateway.ask('POST', '/Notes/try', { method: 'POST', path: '/notes', body });
    expect(tried.body).toMatchObject({
      request: { headers: { ...IDENTITY, 'content-type': 'application/json' } },
      curl:
        `curl -X 'POST' '${upstream.url}/notes' -H 'accept: application/json, */*;q=0.5' -H 'content-type: application/json' ` +
        `-H 'x-application-name: posts-app' -H 'x-gateway-api-name: posts-api' --data-raw '{"title":"it'\\''s $HOME"}'`,
    });
    const { headers, body: sent } = upstream.requests.at(-1) ?? {};
    expect([headers, String(sent)]).toMatchObject([{ ...IDENTITY, 'user-agent': 'duogate' }, body]);
  });

  it('sends the credentials of the project, and shows their variables', async () => {
    const credentials = {
      'X-Application-Name': '{env.APPLICATION_NAME}',
      Authorization: 'Bearer {env.NOTES_TOKEN}',
      'X-Fixed': 'written out',
    };
    const source = JSON.parse(sourceOf('Notes', './openapi/notes.yaml', upstream.url, credentials).slice(4));
    source.handler.openapi.queryParams = { key: '{env.NOTES_KEY}' };
    const project = createProject({
      '.meshrc.yaml': `sources:\n  - ${JSON.stringify(source)}\n`,
      'openapi/notes.yaml': documentOf('Note'),
    });
    const gateway = await serveRegistry(project, { NOTES_TOKEN: 'SECRET-1', NOTES_KEY: 'SECRET-2' });
    const { body } = await gateway.ask('POST', '/Notes/try', {
      method: 'GET',
      path: '/notes',
      headers: { authorization: 'Bearer mine', 'X-Application-Name': 'mine', cookie: 'mine', host: 'mine' },
    });
    const { target, headers } = upstream.requests.at(-1) ?? {};
    expect([target, headers]).toMatchObject([
      '/notes?key=SECRET-2',
      { authorization: 'Bearer SECRET-1', 'x-application-name': 'posts-app', 'x-fixed': 'written out' },
    ]);
    expect(headers).not.toHaveProperty('cookie');
    expect(body).toMatchObject({
      request: {
        headers: {
          authorization: 'Bearer $NOTES_TOKEN',
          'x-application-name': 'posts-app',
          'x-fixed': '<hidden>',
        },
      },
      curl:
        `curl -X 'GET' '${upstream.url}/notes?key='"$NOTES_KEY" -H 'accept: application/json, */*;q=0.5' ` +
        `-H 'x-application-name: posts-app' -H 'authorization: Bearer '"$NOTES_TOKEN" -H 'x-fixed: <hidden>'`,
    });
    expect(JSON.stringify(body)).not.toMatch(/SECRET|mine|written out/);
  });

  it('sends headers that the operation has parameters for', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    const document = documentAt('Note', upstream.url).replace(
      'operationId: notes',
      'operationId: notes\n      parameters: [{ name: X-Lang, in: header, schema: { type: string } }]',
    );
    await gateway.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    const headers = { 'x-lang': 'de', 'x-other': '1', Accept: 'text/csv', 'content-type': 'text/plain' };
    await gateway.ask('POST', '/Notes/try', { method: 'GET', path: '/notes', headers });
    const sent = upstream.requests.at(-1)?.headers;
    expect(sent).toMatchObject({ 'x-lang': 'de', accept: 'text/csv' });
    expect(Object.keys(sent ?? {})).not.toContain('x-other');
    expect(Object.keys(sent ?? {})).not.toContain('content-type');
  });

  const REFUSED: readonly (readonly [method: string, path: string, status: number])[] = [
    ['GET', '/users', 404],
    ['GET', '/posts/1/comments', 404],
    ['GET', '/posts/', 404],
    ['GET', '//evil.example/posts', 404],
    ['GET', 'posts', 400],
    ['GET', 'http://evil.example/posts', 400],
    ['GET', '/posts/..', 400],
    ['GET', '/posts/%2e%2e', 400],
    ['GET', '/posts/..%2fusers', 400],
    ['GET', '/posts/%252e%252e%252fusers', 400],
    ['GET', '/posts/..%5cusers', 400],
    ['GET', '/posts\\..\\users', 400],
    ['GET', '/posts/.', 400],
    ['GET', '/posts/1#x', 400],
    ['GET', '/posts/a b', 400],
    ['GET', '/posts/%', 400],
    ['GET', '/posts/a%00b', 400],
    ['GET', `/posts/${'a'.repeat(9000)}`, 400],
    ['DELETE', '/posts/1', 405],
    ['TRACE', '/posts', 405],
    ['constructor', '/posts', 400],
    ['GET /', '/posts', 400],
  ];
  it.each(REFUSED)('sends nothing that the document does not have: %s %s', async (method, path, status) => {
    const requested = upstream.requests.length;
    const answer = await shared.ask('POST', '/Posts/try', { method, path });
    expect([answer.status, upstream.requests.length]).toStrictEqual([status, requested]);
  });

  it('takes nothing for a method that a path has besides', async () => {
    const gateway = await serveRegistry(postsProject(upstream.url));
    const document = documentAt('Note', upstream.url).replace(
      '  /notes:\n',
      '  /notes:\n    summary: All of them\n',
    );
    await gateway.ask('POST', '', { name: 'Notes', fileName: 'n.yaml', document });
    const requested = upstream.requests.length;
    const answer = await gateway.ask('POST', '/Notes/try', { method: 'SUMMARY', path: '/notes' });
    expect([answer.status, upstream.requests.length]).toStrictEqual([405, requested]);
  });

  it('answers with what the upstream says of a request', async () => {
    upstream.behave((_, reply) => reply.send(404, 'nothing', { 'content-type': 'text/plain' }));
    const { status, body } = await shared.ask('POST', '/Posts/try', { method: 'GET', path: '/posts/9%2F8' });
    expect([status, body['status'], body['body']]).toStrictEqual([200, 404, 'nothing']);
    expect(upstream.requests.at(-1)?.target).toBe('/posts/9%2F8');
  });

  it.each([
    [500, 502, 'UpstreamUnavailable'],
    [429, 503, 'UpstreamThrottled'],
  ])('fails as the gateway does where the upstream answers %i', async (upstreamStatus, status, code) => {
    upstream.behave((_, reply) => reply.send(upstreamStatus, 'secret stack'));
    const gateway = await serveRegistry(postsProject(upstream.url));
    const answer = await gateway.ask('POST', '/Posts/try', { method: 'GET', path: '/posts' });
    expect([answer.status, answer.body.error.code]).toStrictEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toContain('secret');
  });

  it('gives up at the deadline of the gateway', async () => {
    upstream.behave(() => undefined);
    const gateway = await serveRegistry(postsProject(upstream.url), { UPSTREAM_TIMEOUT_MS: '1000' });
    const answer = await gateway.ask('POST', '/Posts/try', { method: 'GET', path: '/posts' });
    expect([answer.status, answer.body.error.code]).toStrictEqual([504, 'UpstreamTimeout']);
  });

  it('shows the beginning of a long answer', async () => {
    upstream.behave((_, reply) => reply.send(200, `a${'ä'.repeat(600_000)}`));
    const { body } = await shared.ask('POST', '/Posts/try', { method: 'GET', path: '/posts' });
    expect([body['truncated'], body['body'] === `a${'ä'.repeat(524_287)}`]).toStrictEqual([true, true]);
  });

  it('shows what is no text as base64', async () => {
    upstream.behave((_, reply) => reply.send(200, Buffer.from([0xff, 0xd8, 0xff])));
    const { body } = await shared.ask('POST', '/Posts/try', { method: 'GET', path: '/posts' });
    expect([body['encoding'], body['body']]).toStrictEqual(['base64', '/9j/']);
  });

  it.each([
    [{ path: '/posts' }, 'method'],
    [{ method: 'GET' }, 'path'],
    [{ method: 'GET', path: '/posts', headers: [] }, 'headers'],
    [{ method: 'GET', path: '/posts', headers: { accept: 1 } }, 'headers'],
    [{ method: 'GET', path: '/posts', headers: { accept: 'a\r\nx: y' } }, 'headers'],
    [{ method: 'POST', path: '/posts', body: {} }, 'body'],
  ])('says what is wrong with %j', async (order, target) => {
    const requested = upstream.requests.length;
    const answer = await shared.ask('POST', '/Posts/try', order);
    expect([answer.status, answer.body.error.target, upstream.requests.length]).toStrictEqual([
      400,
      target,
      requested,
    ]);
  });
});

describe('the document for the console', () => {
  it('has the gateway for its server, and asks for no credentials', async () => {
    const project = postsProject(upstream.url);
    const servers = '      servers: [{ url: "https://elsewhere.example" }]\n      security: [{ key: [] }]\n';
    project.write(
      'openapi/notes.yaml',
      documentAt('Note', upstream.url)
        .replace('      operationId: notes\n', `      operationId: notes\n${servers}`)
        .replace(
          'components:\n',
          'components:\n  securitySchemes: { key: { type: apiKey, in: header, name: x-key } }\n',
        ),
    );
    const gateway = await serveRegistry(project);
    const { status, body } = await gateway.ask('GET', '/notes/document');
    const url = `${gateway.gateway.url}/api/registry/notes/try`;
    expect([status, body['servers'], body['openapi']]).toStrictEqual([200, [{ url }], '3.1.0']);
    expect(JSON.stringify(body)).not.toMatch(/elsewhere\.example|securitySchemes|"security"/);
    expect(body['components']).toMatchObject({ schemas: { Note: { type: 'object' } } });
  });

  it('goes with the list of the operations and what they become', async () => {
    expect((await shared.ask('GET', '/Posts/operations')).body).toStrictEqual({
      operations: [
        { id: 'posts', method: 'GET', path: '/posts', summary: 'Lists all posts', resource: 'Post' },
        { id: 'createPost', method: 'POST', path: '/posts', summary: 'Creates a post', resource: 'Post' },
        { id: 'post', method: 'GET', path: '/posts/{id}', summary: 'Gets one post', resource: 'Post' },
      ],
    });
  });
});
