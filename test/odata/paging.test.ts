import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';

const POSTS = readFileSync(join(import.meta.dirname, '../../openapi/posts.yaml'), 'utf8');

const project = mkdtempSync(join(tmpdir(), 'paged-'));
writeFileSync(
  join(project, 'posts.yaml'),
  POSTS.replace('entitySet: Post', 'entitySet: Post\n        pageSize: 4'),
);
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Posts\n    handler:\n      openapi:\n        source: ./posts.yaml\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml') });

const ROWS = Array.from({ length: 10 }, (_, index) => ({
  userId: index % 2,
  id: index + 1,
  title: `Title ${index}`,
  body: null,
}));

beforeEach(() => gateway.upstream.behave((_, reply) => reply.json(ROWS)));

interface Page {
  readonly '@odata.count'?: number;
  readonly '@odata.nextLink'?: string;
  readonly value: readonly { readonly Id: string }[];
}

async function read(url: string, prefer?: string) {
  const response = await fetch(url, { headers: prefer === undefined ? {} : { prefer } });
  return { status: response.status, headers: response.headers, page: (await response.json()) as Page };
}

/** The keys on each of the pages, from the first to the one without a next link. */
async function pages(target: string, prefer?: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (let url: string | undefined = `${gateway.url}/odata/${target}`; url !== undefined; ) {
    const { page } = await read(url, prefer);
    found.push(page.value.map(({ Id }) => Id).join(' '));
    url = page['@odata.nextLink'];
  }
  return found;
}

describe('server-driven paging (Part 1, 11.2.6.7)', () => {
  it.each<[string, string | undefined, readonly string[]]>([
    ['Post', undefined, ['1 2 3 4', '5 6 7 8', '9 10']],
    ['Post', 'maxpagesize=3', ['1 2 3', '4 5 6', '7 8 9', '10']],
    ['Post', 'odata.maxpagesize=3', ['1 2 3', '4 5 6', '7 8 9', '10']],
    ['Post', 'maxpagesize=100', ['1 2 3 4', '5 6 7 8', '9 10']],
    ['Post?$top=6', undefined, ['1 2 3 4', '5 6']],
    ['Post?$top=4', undefined, ['1 2 3 4']],
    ['Post?$skip=3&$top=5', 'maxpagesize=2', ['4 5', '6 7', '8']],
    ['Post?$filter=UserId%20eq%201&$orderby=Id%20desc', 'maxpagesize=2', ['8 6', '4 2', '10']],
    ['Post?$select=Id&$filter=UserId%20eq%202', undefined, ['']],
  ])('divides %s, %s', async (target, prefer, expected) => {
    expect(await pages(target, prefer)).toEqual(expected);
  });

  it('goes on where a client encodes the next link anew', async () => {
    const target = 'Post?$filter=Title%20ne%20%27x%27&$select=Id';
    const { page } = await read(`${gateway.url}/odata/${target}`);
    const link = page['@odata.nextLink'] ?? '';
    const statuses = [link.replaceAll('$', '%24'), link.replaceAll('%20', '%2520')].map(
      async (anew) => (await read(anew)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 400]);
  });

  it('gives URLs to the rest of what a body asks for with characters that no URL has', async () => {
    const body = '$filter=Title ne @title and not (Id in @ids)&$select=Id&@title=\'"ä"\'&@ids=["2","#"]';
    const response = await fetch(`${gateway.url}/odata/Post/$query`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body,
    });
    const page = (await response.json()) as Page;
    const link = page['@odata.nextLink'] ?? '';
    expect(link).toMatch(/^[\w!$%&'()*+,\-./:;=?@~]+$/);
    const next = await read(link);
    expect([page.value, next.page.value].map((rows) => rows.map(({ Id }) => Id).join(' '))).toEqual([
      '1 3 4 5',
      '6 7 8 9',
    ]);
  });

  it('carries the options and the size in the next link, and counts all', async () => {
    const target = `${gateway.url}/odata/Post?$count=true&$select=Id&$filter=UserId%20eq%201`;
    const { headers, page } = await read(target, 'maxpagesize=2');
    expect(page).toEqual({
      '@odata.context': `${gateway.url}/odata/$metadata#Post(Id)`,
      '@odata.count': 5,
      value: [{ Id: '2' }, { Id: '4' }],
      '@odata.nextLink': expect.stringMatching(
        /\/odata\/Post\?\$count=true&\$select=Id&\$filter=UserId%20eq%201&\$skiptoken=[\w-]+$/,
      ),
    });
    expect(headers.get('preference-applied')).toBe('maxpagesize=2');
    const next = await read(page['@odata.nextLink'] ?? '');
    expect(next.page).toMatchObject({ '@odata.count': 5, value: [{ Id: '6' }, { Id: '8' }] });
  });

  it.each([
    ['made up', (link: string) => link.replace(/skiptoken=.*/, 'skiptoken=8-4-abcdefghijklmnopqrstuv')],
    ['of another form', (link: string) => link.replace(/skiptoken=.*/, 'skiptoken=x')],
    ['changed', (link: string) => link.replace('skiptoken=4-', 'skiptoken=5-')],
    ["another URL's", (link: string) => link.replace('Post?', 'Post?$top=9&')],
  ])('refuses a token that is %s', async (_, change) => {
    const { page } = await read(`${gateway.url}/odata/Post`);
    const { status, page: error } = await read(change(page['@odata.nextLink'] ?? ''));
    expect([status, error]).toEqual([
      400,
      {
        error: {
          code: 'BadRequest',
          message: '$skiptoken: expected the one of a next link of this service, as it was given',
          target: '$skiptoken',
        },
      },
    ]);
  });
});
