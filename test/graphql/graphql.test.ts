import { beforeEach, describe, expect, it } from 'vitest';
import { POSTS, postsApi, useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();

beforeEach(() => gateway.upstream.behave(postsApi));

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  gateway.fetch('/graphql', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...headers },
  });

async function ask(query: string, variables?: object) {
  const { status, text } = await post(JSON.stringify({ query, variables }));
  return { status, ...JSON.parse(text) };
}

describe('GraphQL', () => {
  it('lists, reads and creates posts', async () => {
    const query = 'query($id: ID!) { posts { id title } post(id: $id) { userId id title body } }';
    expect(await ask(query, { id: '1' })).toStrictEqual({
      status: 200,
      data: {
        posts: POSTS.map(({ id, title }) => ({ id: String(id), title })),
        post: { userId: 2, id: '1', title: 'Cedar', body: 'First' },
      },
    });
    const mutation = 'mutation($input: PostInput!) { createPost(input: $input) { userId id title body } }';
    expect(await ask(mutation, { input: { userId: 3, title: 'x' } })).toStrictEqual({
      status: 200,
      data: { createPost: { userId: 3, id: '101', title: 'x', body: null } },
    });
    expect(JSON.parse(gateway.upstream.requests.at(-1)?.body.toString() ?? '')).toStrictEqual({
      userId: 3,
      title: 'x',
    });
  });

  it('reads several posts of one document without mixing them up', async () => {
    const { data } = await ask(
      '{ a: post(id: "1") { id } b: post(id: "2") { id } c: post(id: "10") { id } }',
    );
    expect(data).toStrictEqual({ a: { id: '1' }, b: { id: '2' }, c: { id: '10' } });
  });

  it('answers a query that comes by GET', async () => {
    const { status, text } = await gateway.fetch(
      `/graphql?query=${encodeURIComponent('{ post(id: "1") { id } }')}`,
    );
    expect([status, JSON.parse(text)]).toStrictEqual([200, { data: { post: { id: '1' } } }]);
  });

  it('shows the schema without what the mesh tells itself', async () => {
    const { data } = await ask('{ __schema { types { name } directives { name } } }');
    const names = (list: readonly { name: string }[]) => list.map(({ name }) => name).sort();
    expect(names(data.__schema.types).filter((name) => !name.startsWith('__'))).toStrictEqual([
      'Boolean',
      'Decimal',
      'ID',
      'Int',
      'IntFilter',
      'Mutation',
      'Node',
      'PageInfo',
      'Post',
      'PostAggregate',
      'PostAverage',
      'PostConnection',
      'PostCountDistinct',
      'PostEdge',
      'PostField',
      'PostFilter',
      'PostGroup',
      'PostGroupKey',
      'PostInput',
      'PostMax',
      'PostMin',
      'PostOrder',
      'PostSum',
      'Query',
      'SortDirection',
      'String',
      'StringFilter',
      'StringIDFilter',
    ]);
    expect(names(data.__schema.directives)).toStrictEqual([
      'deprecated',
      'include',
      'oneOf',
      'skip',
      'specifiedBy',
    ]);
  });

  it('serves GraphiQL to a browser with all it needs', async () => {
    const { status, headers, text } = await gateway.fetch('/graphql', { headers: { accept: 'text/html' } });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none';script-src 'sha256-[^']+'( 'sha256-[^']+')*;/,
    );
    expect(text).not.toMatch(/<(script|link)[^>]*(src|href)="https?:/);
    const [, settings = ''] = /renderYogaGraphiQL\(\s*\S+,\s*(\{.*\}),/.exec(text) ?? [];
    expect(JSON.parse(settings)).toStrictEqual({
      title: 'Duogate GraphiQL',
      credentials: 'same-origin',
      headers: '{\n  "accept": "application/graphql-response+json"\n}',
      shouldPersistHeaders: false,
    });
  });
});

describe('GraphQL that fails', () => {
  it.each([
    ['500', 'UpstreamUnavailable', 502, 'post(id: "9")'],
    ['404', 'NotFound', 404, 'post(id: "9")'],
  ])('hides the upstream: %s', async (upstreamStatus, code, shown, field) => {
    gateway.upstream.behave((_, reply) => reply.send(Number(upstreamStatus), 'secret of the upstream'));
    const { status, data, errors } = await ask(`{ ${field} { id } }`);
    const [name = ''] = field.split('(');
    expect([status, data]).toStrictEqual([200, { [name]: null }]);
    expect(errors).toStrictEqual([
      {
        message: errors[0].message,
        locations: [{ line: 1, column: 3 }],
        path: [name],
        extensions: { code, http: { status: shown } },
      },
    ]);
    expect(JSON.stringify(errors)).not.toMatch(/secret|127\.0\.0\.1|stack/);
  });

  it('gives what it has beside what failed', async () => {
    const { data, errors } = await ask('{ a: post(id: "1") { id } b: post(id: "9") { id } }');
    expect(data).toStrictEqual({ a: { id: '1' }, b: null });
    expect(errors).toHaveLength(1);
  });

  it.each(['', '.', '..', 'a\u0000b', 'x'.repeat(257)])(
    'finds nothing by the key %j, which no path has, in the list',
    async (id) => {
      const before = gateway.upstream.requests.length;
      const { errors } = await ask('query($id: ID!) { post(id: $id) { id } }', { id });
      expect(errors[0].extensions).toStrictEqual({ code: 'NotFound', http: { status: 404 } });
      const targets = gateway.upstream.requests.slice(before).map(({ target }) => target);
      expect(targets).toStrictEqual(['/posts']);
    },
  );

  it.each([
    ['../users', '..%2Fusers'],
    ['1?x=y', '1%3Fx%3Dy'],
    ['1#f', '1%23f'],
  ])('keeps the key %s in its segment', async (id, segment) => {
    await ask('query($id: ID!) { post(id: $id) { id } }', { id });
    expect(gateway.upstream.requests.at(-1)?.target).toBe(`/posts/${segment}`);
  });

  it.each([
    ['a field that is not there', '{ postz { id } }', /^Cannot query field "postz" on type "Query"\.$/],
    ['a syntax error', '{ posts {', /^Syntax Error: /],
    [
      '16 aliases',
      `{ ${Array.from({ length: 16 }, (_, i) => `a${i}: post(id: "1") { id }`).join(' ')} }`,
      /Aliases limit of 15 exceeded/,
    ],
    [
      '51 directives',
      `{ posts { id ${'@skip(if: false) '.repeat(51)} } }`,
      /Directives limit of 50 exceeded/,
    ],
    ['1,001 tokens', `{ posts { ${'id '.repeat(1_001)} } }`, /Token limit of 1000 exceeded/],
    ['a selection of depth 20,000', '{a'.repeat(20_000), /Token limit of 1000 exceeded/],
  ])('refuses %s', async (_, query, message) => {
    const before = gateway.upstream.requests.length;
    const { errors } = await ask(query);
    expect(errors).toHaveLength(1);
    expect(errors[0].message).toMatch(message);
    expect(gateway.upstream.requests.length).toBe(before);
  });

  it('refuses a list of documents, a mutation by GET, and what is no JSON', async () => {
    const before = gateway.upstream.requests.length;
    const mutation = encodeURIComponent('mutation { createPost(input: {}) { id } }');
    expect((await post('[{"query":"{posts{id}}"}]')).status).toBe(400);
    expect((await gateway.fetch(`/graphql?query=${mutation}`)).status).toBe(405);
    expect((await post('{"query":')).status).toBe(400);
    expect((await post('x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect(gateway.upstream.requests.length).toBe(before);
  });

  it.each([
    ['half an object', '{"query":"S3CRET'],
    ['a word', 'S3CRET'],
    ['nothing', ''],
    [
      'bytes that are no text',
      Buffer.concat([Buffer.from('{"query":"S3CRET'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
  ])('does not repeat a body that is %s', async (_, body) => {
    const { status, text } = await post(body);
    expect([status, JSON.parse(text)]).toStrictEqual([
      400,
      {
        errors: [
          {
            message: 'The body must be JSON in UTF-8.',
            extensions: { code: 'BadRequest', http: { status: 400 } },
          },
        ],
      },
    ]);
  });

  it('has nothing below its path', async () => {
    const { status, text } = await gateway.fetch('/graphql/posts', { headers: { accept: 'text/html' } });
    expect(status).toBe(404);
    expect(JSON.parse(text)).toStrictEqual({
      errors: [
        {
          message: 'There is nothing below this path.',
          extensions: { code: 'NotFound', http: { status: 404 } },
        },
      ],
    });
  });

  it('reads no body beyond its limit', async () => {
    const { status, text } = await post(
      JSON.stringify({ query: `{ posts { id } } # ${'x'.repeat(102_400)}` }),
    );
    expect(status).toBe(413);
    expect(JSON.parse(text)).toStrictEqual({
      errors: [
        {
          message: 'The body is larger than 102400 bytes (GRAPHQL_BODY_KIB).',
          extensions: { code: 'PayloadTooLarge', limit: 'GRAPHQL_BODY_KIB', http: { status: 413 } },
        },
      ],
    });
  });
});
