import { describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';

const gateway = useGateway({
  AUTH: 'required',
  AUTH_SECRET: 'a-secret-of-at-least-32-characters',
  DATABASE_URL: ':memory:',
});

const unauthorized = { code: 'Unauthorized', message: 'Sign in first.' };

describe('somebody who has not signed in', () => {
  it.each(['', '/$metadata', '/Post', "/Post('1')", '/Post/$count', '/Nope'])(
    'gets nothing of /odata%s',
    async (path) => {
      gateway.upstream.behave(postsApi);
      const { status, headers, text } = await gateway.fetch(`/odata${path}`);
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer realm="duogate", Basic realm="duogate"');
      expect(JSON.parse(text)).toStrictEqual({ error: unauthorized });
      expect(gateway.upstream.requests).toStrictEqual([]);
    },
  );

  it('creates nothing', async () => {
    const body = '{"title":"x"}';
    const headers = { 'content-type': 'application/json' };
    expect((await gateway.fetch('/odata/Post', { method: 'POST', body, headers })).status).toBe(401);
    expect(gateway.upstream.requests).toStrictEqual([]);
  });

  it.each([
    '{ posts { id } }',
    '{ a: posts { id } }',
    'query { ...f } fragment f on Query { posts { id } }',
    '{ posts @include(if: true) { id } }',
    '{ post(id: "1") { id } }',
    'mutation { createPost { id } }',
    '{ __schema { types { name } } }',
    '{ __type(name: "Post") { name } }',
    '{ __typename }',
  ])('is refused by GraphQL: %s', async (query) => {
    const { status, headers, text } = await gateway.fetch('/graphql', {
      method: 'POST',
      body: JSON.stringify({ query }),
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="duogate", Basic realm="duogate"');
    expect(JSON.parse(text)).toStrictEqual({
      errors: [
        { message: unauthorized.message, extensions: { code: unauthorized.code, http: { status: 401 } } },
      ],
    });
    expect(gateway.upstream.requests).toStrictEqual([]);
  });

  it('may know that the gateway is there', async () => {
    expect((await gateway.fetch('/health/ready')).status).toBe(200);
    expect((await gateway.fetch('/')).status).toBe(200);
  });
});
