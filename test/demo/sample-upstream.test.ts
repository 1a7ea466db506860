import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { samplePosts, startSampleUpstream } from '../../src/demo/sample-upstream.ts';

let upstream: SampleUpstream;

beforeAll(async () => {
  upstream = await startSampleUpstream();
});
afterAll(() => upstream.close());

function create(body: string): Promise<Response> {
  return fetch(`${upstream.url}/posts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
}

describe('the sample posts', () => {
  it('are the same at every start', () => {
    expect(samplePosts()).toStrictEqual(samplePosts());
  });

  it('are a hundred, ten by each of ten users, in the order of their numbers', () => {
    const posts = samplePosts();
    expect(posts.map((post) => post.id)).toStrictEqual(Array.from({ length: 100 }, (_, index) => index + 1));
    expect(posts.map((post) => post.userId)).toStrictEqual(
      Array.from({ length: 100 }, (_, index) => Math.floor(index / 10) + 1),
    );
  });

  it('differ in title and body', () => {
    const posts = samplePosts();
    expect(new Set(posts.map((post) => post.title)).size).toBeGreaterThan(85);
    expect(new Set(posts.map((post) => post.body)).size).toBe(100);
  });
});

describe('the sample upstream', () => {
  it('lists all posts, pretty-printed', async () => {
    const response = await fetch(`${upstream.url}/posts`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('etag')).toMatch(/^W\/"[\da-f]+-[\w-]+"$/);
    expect(await response.text()).toBe(JSON.stringify(samplePosts(), null, 2));
  });

  it.each(['/posts', '/posts/1'])('answers 304 without a body to the ETag of %s', async (path) => {
    const etag = (await fetch(upstream.url + path)).headers.get('etag') ?? '';
    const response = await fetch(upstream.url + path, { headers: { 'if-none-match': etag } });
    expect([response.status, response.headers.get('etag'), await response.text()]).toStrictEqual([
      304,
      etag,
      '',
    ]);
  });

  it('answers 200 to an ETag of the past', async () => {
    const response = await fetch(`${upstream.url}/posts/1`, { headers: { 'if-none-match': 'W/"old"' } });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it('gives one post by its id', async () => {
    const response = await fetch(`${upstream.url}/posts/100`);
    expect([response.status, await response.json()]).toStrictEqual([200, samplePosts()[99]]);
  });

  it.each(['/posts/01', '/posts/0', '/posts/101', '/posts/', '/posts/1/', '/posts/1.0', '/users', '/'])(
    'has nothing at %s',
    async (path) => {
      const response = await fetch(upstream.url + path);
      expect([response.status, await response.text()]).toStrictEqual([404, '{}']);
    },
  );

  it('echoes a created post with its number, in the case it was sent in', async () => {
    const response = await create('{"Title":"x","id":5,"more":[1]}');
    expect(response.status).toBe(201);
    expect(response.headers.get('location')).toBe(`${upstream.url}/posts/101`);
    expect(await response.text()).toBe(JSON.stringify({ Title: 'x', id: 101, more: [1] }, null, 2));
  });

  it('keeps nothing of a created post', async () => {
    await create('{"title":"x"}');
    const posts = await (await fetch(`${upstream.url}/posts`)).json();
    expect(posts).toStrictEqual(samplePosts());
  });

  it.each(['{"Title":', '[]', 'null', '1', ''])('refuses to create from %j', async (body) => {
    const response = await create(body);
    expect([response.status, await response.text()]).toStrictEqual([400, '{}']);
  });
});
