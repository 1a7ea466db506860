import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';
import { useGateway } from '../support/running-gateway.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

const posts = useGateway();
const library = useLibrary();

async function samplesOf(url: string) {
  const { queries } = await (await fetch(url, { headers: { accept: 'application/json' } })).json();
  return queries.filter(({ href }: { href: string }) => href.startsWith('graphql'));
}

describe('samples', () => {
  it('stand on the landing page', async () => {
    const samples = await samplesOf(posts.url);
    expect(
      samples.map(({ title, href }: Record<string, string>) => [title, decodeURIComponent(href ?? '')]),
    ).toStrictEqual([
      ['GraphQL: the first five', 'graphql?query={ posts(take: 5) { id userId title body } }'],
      [
        'GraphQL: what contains a letter',
        'graphql?query={ posts(where: { title: { contains: "e" } }) { id title } }',
      ],
      [
        'GraphQL: sorted, the last first',
        'graphql?query={ posts(order: [{ title: DESC }], take: 5) { id title } }',
      ],
      [
        'GraphQL: a page, and how many there are',
        'graphql?query={ postsConnection(first: 5) { totalCount nodes { id userId title body } pageInfo { hasNextPage endCursor } } }',
      ],
      [
        'GraphQL: how many of each',
        'graphql?query={ postsConnection { groups(by: [userId]) { key { userId } count } } }',
      ],
    ]);
  });

  it('are answered without a mistake', async () => {
    const url = library.url();
    const samples = await samplesOf(url);
    expect(samples.length).toBe(5);
    for (const { href } of samples) {
      const response = await fetch(`${url}/${href}`, { headers: { accept: 'application/json' } });
      expect([response.status, Object.keys(await response.json())]).toStrictEqual([200, ['data']]);
    }
  });

  it('are what GraphiQL opens with', async () => {
    const response = await fetch(`${posts.url}/graphql`, { headers: BROWSER, redirect: 'manual' });
    expect([response.status, response.headers.get('cache-control')]).toStrictEqual([303, 'no-store']);
    const location = new URL(response.headers.get('location') ?? '', response.url);
    expect(location.pathname).toBe('/graphql');
    expect(location.searchParams.get('query')).toBe(
      '{\n  posts(take: 5) {\n    id\n    userId\n    title\n    body\n  }\n}',
    );
    const page = await fetch(location, { headers: BROWSER, redirect: 'manual' });
    expect([page.status, page.headers.get('content-type')]).toStrictEqual([200, 'text/html; charset=utf-8']);
  });
});
