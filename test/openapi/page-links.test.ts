import { describe, expect, it } from 'vitest';
import { joined, type ListDocument, servePaged, things } from './paged-list.ts';
import { STYLES } from './paged-lists.cases.ts';

const integer = { type: 'integer' };
const string = { type: 'string' };

const BY_CURSOR: ListDocument = {
  parameters: { cursor: string, limit: { ...integer, maximum: 100 } },
  answer: { next_cursor: string, total: integer },
};

/** A list of 250 things behind cursors, each of which says `secret`. */
function serveCursors(say: object = { total: 250 }) {
  return servePaged(BY_CURSOR, ({ query, number }, reply) => {
    const begin = Number(query.get('cursor')?.replace('secret', '') ?? 0);
    const end = begin + number('limit', 20);
    const next = end < 250 ? `secret${end}` : null;
    reply.json({ items: things(250).slice(begin, end), next_cursor: next, ...say });
  });
}

describe('an answer that begins with the first page of the upstream', () => {
  it.each(STYLES)('leads on to all of the list: by $name', async ({ document, answer, queries }) => {
    const list = await servePaged(document, answer);
    const pages = await list.pages('Thing?$select=Id');
    expect(pages.length).toBeGreaterThan(1);
    expect(joined(pages)).toBe('1-250');
    expect(list.queries().length).toBeLessThanOrEqual(queries.length + 1);
  });

  it('has not read the rest', async () => {
    const list = await serveCursors();
    expect(await list.ask('Thing')).toEqual({ status: 200, keys: '1-100' });
    expect(list.queries()).toEqual(['?limit=100']);
  });

  it.each<[string, string | undefined, readonly string[], readonly string[]]>([
    [
      'Thing',
      undefined,
      ['1-100', '101-200', '201-250'],
      ['?limit=100', '?cursor=secret100&limit=100', '?cursor=secret200&limit=100'],
    ],
    [
      'Thing',
      'maxpagesize=100',
      ['1-100', '101-200', '201-250'],
      ['?limit=100', '?cursor=secret100&limit=100', '?cursor=secret200&limit=100'],
    ],
    ['Thing?$top=30', 'maxpagesize=20', ['1-20', '21-30'], ['?limit=20', '?cursor=secret20&limit=20']],
    [
      'Thing?$skip=230',
      'maxpagesize=15',
      ['231-245', '246-250'],
      [
        '?limit=100',
        '?cursor=secret100&limit=100',
        '?cursor=secret200&limit=100',
        '?cursor=secret200&limit=100',
      ],
    ],
    [
      'Thing?$skip=150',
      undefined,
      ['151-200', '201-250'],
      ['?limit=100', '?cursor=secret100&limit=100', '?cursor=secret200&limit=100'],
    ],
    ['Thing?$top=150', undefined, ['1-150'], ['?limit=100', '?cursor=secret100&limit=100']],
    ['Thing?$top=5&$skip=7', undefined, ['8-12'], ['?limit=12']],
    ['Thing?$top=0', undefined, [''], ['?limit=1']],
    [
      'Thing?$top=300',
      undefined,
      ['1-250'],
      ['?limit=100', '?cursor=secret100&limit=100', '?cursor=secret200&limit=100'],
    ],
    ['Thing/$ref?$top=3', undefined, [' '], ['?limit=3']],
  ])('asks for no more than is wanted: %s (%s)', async (path, prefer, pages, queries) => {
    const list = await serveCursors();
    const found = await list.pages(path, prefer === undefined ? {} : { prefer });
    if (pages[0] !== ' ') expect(found).toEqual(pages);
    expect(list.queries()).toEqual(queries);
  });

  it('says how many there are, where the upstream says it', async () => {
    const list = await serveCursors();
    expect(await list.ask('Thing?$count=true')).toEqual({ status: 200, keys: '1-100', count: 250 });
    expect(await list.ask('Thing?$count=true&$top=2&$skip=1')).toEqual({
      status: 200,
      keys: '2-3',
      count: 250,
    });
    expect(list.queries()).toEqual(['?limit=100', '?limit=3']);
  });

  it('is whole where it says how many there are, and the upstream does not', async () => {
    const list = await serveCursors({});
    expect(await list.ask('Thing?$count=true')).toEqual({ status: 200, keys: '1-250', count: 250 });
    expect(await list.ask('Thing?$count=true&$top=2&$skip=1')).toEqual({
      status: 200,
      keys: '2-3',
      count: 250,
    });
    expect(await list.pages('Thing?$count=true', { prefer: 'maxpagesize=200' })).toEqual([
      '1-200',
      '201-250',
    ]);
  });

  it.each([
    '$orderby=Name',
    "$filter=Name ne 'x'",
    '$search=Thing',
    '$apply=filter(Id gt 0)',
    '$filter=$these/$count gt 0',
  ])('is whole where an option needs all of it: %s', async (option) => {
    const list = await serveCursors();
    expect(await list.pages(`Thing?$select=Id&${option}`)).toHaveLength(1);
    expect(list.queries()).toHaveLength(3);
  });

  it('is counted from the first to the last', async () => {
    const list = await serveCursors({});
    const response = await fetch(`${list.gateway.url}/odata/Thing/$count`);
    expect(await response.text()).toBe('250');
  });

  it('may have pages without rows in between', async () => {
    const document = { parameters: { cursor: string }, answer: { next_cursor: string } };
    const list = await servePaged(document, ({ query }, reply) => {
      const page = Number(query.get('cursor') ?? 0);
      const items = page % 2 === 0 ? [] : things(page).slice(page - 1);
      reply.json({ items, next_cursor: page < 5 ? String(page + 1) : null });
    });
    expect(await list.pages('Thing')).toEqual(['1', '3', '5']);
  });
});

describe('the link to the next page', () => {
  const linkOf = async (list: Awaited<ReturnType<typeof serveCursors>>, path = 'Thing') => {
    const { '@odata.nextLink': link = '' } = (await list.json(`/odata/${path}`)) as {
      '@odata.nextLink'?: string;
    };
    return link;
  };

  it('shows nothing of the upstream', async () => {
    const list = await serveCursors();
    const token = new URL(await linkOf(list)).searchParams.get('$skiptoken') ?? '';
    expect(token).toMatch(/^~[\w-]{40,}$/);
    expect(token + Buffer.from(token.slice(1), 'base64url').toString('latin1')).not.toMatch(
      /secret|cursor|limit/,
    );
  });

  it('is another one each time', async () => {
    const list = await serveCursors({ total: 250, changing: 'always' });
    expect(await linkOf(list, 'Thing?$select=Id')).not.toBe(await linkOf(list, 'Thing?$select=Name'));
  });

  it.each<[string, (link: string) => string]>([
    ['another query', (link) => `${link}&$select=Id`],
    ['another letter', (link) => link.replace(/.(?=.{5}$)/, (letter) => (letter === 'A' ? 'B' : 'A'))],
    ['no letters', (link) => link.replace(/~.*/, '~')],
    ['letters of somebody else', (link) => link.replace(/~.*/, `~${'A'.repeat(80)}`)],
  ])('is refused with %s', async (_, change) => {
    const list = await serveCursors();
    const response = await fetch(change(await linkOf(list)));
    expect([response.status, ((await response.json()) as { error: object }).error]).toEqual([
      400,
      {
        code: 'BadRequest',
        message: '$skiptoken: expected the one of a next link of this service, as it was given',
        target: '$skiptoken',
      },
    ]);
    expect(list.queries()).toHaveLength(1);
  });

  it('leads to an error where the list ends otherwise than it began', async () => {
    const list = await serveCursors();
    const link = await linkOf(list);
    list.upstream.behave((_, reply) => reply.send(410, '{}'));
    expect((await fetch(link)).status).toBe(502);
  });
});

describe('a list whose pages have not changed', () => {
  it('is recognised as a whole', async () => {
    const list = await servePaged(BY_CURSOR, ({ query, number, headers }, reply) => {
      const begin = Number(query.get('cursor') ?? 0);
      const end = begin + number('limit', 20);
      const etag = `"${begin}"`;
      if (headers['if-none-match'] === etag) return reply.send(304, '', { etag });
      reply.json(
        { items: things(250).slice(begin, end), next_cursor: end < 250 ? String(end) : null },
        { etag },
      );
    });
    const url = `${list.gateway.url}/odata/Thing?$orderby=Id`;
    const first = await fetch(url);
    const etag = first.headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const second = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([second.status, await second.text()]).toEqual([304, '']);
    expect(list.queries()).toHaveLength(6);
  });

  it('is another one where a page has changed', async () => {
    let name = 'Thing';
    const list = await servePaged(BY_CURSOR, ({ query, number }, reply) => {
      const begin = Number(query.get('cursor') ?? 0);
      const end = begin + number('limit', 20);
      const items = things(250).slice(begin, end);
      reply.json({
        items: begin === 100 ? items.map((thing) => ({ ...thing, name })) : items,
        next_cursor: end < 250 ? String(end) : null,
      });
    });
    const url = `${list.gateway.url}/odata/Thing?$orderby=Id`;
    const etagNow = async () => (await fetch(url)).headers.get('etag');
    const before = await etagNow();
    expect(await etagNow()).toBe(before);
    name = 'Another thing';
    expect(await etagNow()).not.toBe(before);
  });

  it('is another one where its header says that it goes on', async () => {
    let link: Readonly<Record<string, string>> = {};
    const list = await servePaged({}, ({ query }, reply) =>
      query.has('page') ? reply.json(things(30).slice(20)) : reply.json(things(20), link),
    );
    expect(await list.pages('Thing')).toEqual(['1-20']);
    expect(await list.pages('Thing')).toEqual(['1-20']);
    link = { link: '<?page=2>; rel=next' };
    expect(await list.pages('Thing')).toEqual(['1-20', '21-30']);
    link = {};
    expect(await list.pages('Thing')).toEqual(['1-20']);
  });

  it('is no link of another resource, which its anchor names (RFC 8288, 3.2)', async () => {
    const list = await servePaged({}, ({ query }, reply) =>
      query.has('page')
        ? reply.json(things(30).slice(20))
        : reply.json(things(20), { link: '<?page=2>; rel=next; anchor="/others"' }),
    );
    expect(await list.pages('Thing')).toEqual(['1-20']);
  });
});
