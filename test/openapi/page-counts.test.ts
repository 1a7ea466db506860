import { describe, expect, it } from 'vitest';
import { type ListDocument, type PagedList, servePaged, things } from './paged-list.ts';

const integer = { type: 'integer' };
const string = { type: 'string' };

const BY_OFFSET: ListDocument = {
  parameters: { offset: integer, limit: { ...integer, maximum: 100 } },
  answer: { total: integer },
};

/** A list of so many things, which are given by offset and limit. */
function serveOffsets(count: number, said: (count: number) => object, document = BY_OFFSET) {
  return servePaged(document, ({ number }, reply) => {
    const begin = number('offset', 0);
    const items = things(count).slice(begin, begin + number('limit', 50));
    reply.json({ items, ...said(items.length) });
  });
}

async function counted({ gateway }: PagedList, path = 'Thing/$count'): Promise<readonly [number, string]> {
  const response = await fetch(`${gateway.url}/odata/${path}`);
  const text = await response.text();
  return [response.status, response.ok ? text : (JSON.parse(text) as Failure).error.message];
}

interface Failure {
  readonly error: { readonly message: string };
}

describe('the number of all entities (Part 1, 11.2.10)', () => {
  it('is the total that the first small page tells', async () => {
    const list = await serveOffsets(250, () => ({ total: 250 }));
    expect(await counted(list)).toEqual([200, '250']);
    expect(list.queries()).toEqual(['?limit=20']);
  });

  it('is that total for $count=true without entities', async () => {
    const list = await serveOffsets(250, () => ({ total: 250 }));
    expect(await list.ask('Thing?$count=true&$top=0')).toEqual({ status: 200, keys: '', count: 250 });
    expect(list.queries()).toEqual(['?limit=20']);
  });

  it('is told of an empty list by its first page', async () => {
    const list = await serveOffsets(0, () => ({ total: 0 }));
    expect(await counted(list)).toEqual([200, '0']);
    expect(list.queries()).toEqual(['?limit=20']);
  });

  it.each<[string, (count: number) => object, readonly [number, string]]>([
    ['is not there', () => ({}), [200, '250']],
    ['is below what came', () => ({ total: 3 }), [200, '250']],
    ['is that of the page', (count) => ({ count }), [200, '250']],
  ])('is that of what comes where the total %s', async (_, said, expected) => {
    const list = await serveOffsets(250, said, { ...BY_OFFSET, answer: { count: integer } });
    expect(await counted(list)).toEqual(expected);
  });

  it.each([
    ['fewer', 5, 'The list has 5 rows, but its pages end after 3 rows: the rest is missing.', 502],
    ['more', 2, '3', 200],
  ])('is not believed where a list of one page has %s', async (_, total, expected, status) => {
    const list = await serveOffsets(3, () => ({ total }));
    expect(await counted(list)).toEqual([status, expected]);
  });

  it('is found with no call more than reading takes, where the document tells of no total', async () => {
    const list = await serveOffsets(250, () => ({}), { ...BY_OFFSET, answer: {} });
    expect(await counted(list)).toEqual([200, '250']);
    expect(list.queries()).toEqual([
      '?limit=100',
      ...[100, 200, 250].map((offset) => `?offset=${offset}&limit=100`),
    ]);
  });

  it('is a total that no document tells of, where the answer has one', async () => {
    const list = await servePaged({ parameters: BY_OFFSET.parameters ?? {} }, ({ number }, reply) => {
      const begin = number('offset', 0);
      reply.json(things(250).slice(begin, begin + number('limit', 50)), { 'x-total-count': '250' });
    });
    expect(await counted(list)).toEqual([200, '250']);
    expect(await list.ask('Thing?$count=true&$top=5&$skip=101')).toEqual({
      status: 200,
      keys: '102-106',
      count: 250,
    });
    expect(list.queries()).toEqual(['?limit=100', '?limit=100', '?offset=100&limit=6']);
  });

  it.each(["Thing/$count?$filter=Name ne 'x'", 'Thing/$count?$search=Thing'])(
    'is counted where an option needs the entities: %s',
    async (path) => {
      const list = await serveOffsets(250, () => ({ total: 250 }));
      expect(await counted(list, path)).toEqual([200, '250']);
      expect(list.queries()).toHaveLength(3);
    },
  );

  it('is refused where more would have to be read than may be', async () => {
    const list = await servePaged(
      { ...BY_OFFSET, answer: {} },
      ({ number }, reply) => {
        const begin = number('offset', 0);
        reply.json({ items: things(250).slice(begin, begin + number('limit', 50)) });
      },
      { environment: { PAGES_ROWS: '150' } },
    );
    expect(await counted(list)).toEqual([
      502,
      'The list is too long to be read as a whole: 200 rows came, on 2 pages, and at most 150 rows (PAGES_ROWS) are read. Ask for a part of it, for example with $top.',
    ]);
  });
});

describe('a list whose document says nothing of pages', () => {
  /** Each page links to the next one in its header. */
  function serveLinks() {
    return servePaged({}, ({ number, url }, reply) => {
      const page = number('page', 1);
      const link = page < 13 ? { link: `<${url}/api/things?page=${page + 1}>; rel="next"` } : {};
      reply.json(things(250).slice((page - 1) * 20, page * 20), link);
    });
  }

  it.each([
    ['Thing?$top=20', '1-20', ['']],
    ['Thing?$top=30', '1-30', ['', '?page=2']],
    ['Thing?$top=5&$skip=38', '39-43', ['', '?page=2', '?page=3']],
  ])('is read no further than is wanted: %s', async (path, keys, queries) => {
    const list = await serveLinks();
    expect(await list.ask(path)).toEqual({ status: 200, keys });
    expect(list.queries()).toEqual(queries);
  });

  it('is answered page by page', async () => {
    const list = await serveLinks();
    const pages = await list.pages('Thing');
    expect(pages).toHaveLength(13);
    expect(pages.slice(0, 2)).toEqual(['1-20', '21-40']);
    expect(list.queries()).toHaveLength(13);
  });

  it('is answered in pages as a client wants them', async () => {
    const list = await serveLinks();
    const pages = await list.pages('Thing?$top=50', { prefer: 'maxpagesize=15' });
    expect(pages).toEqual(['1-15', '16-20', '21-35', '36-40', '41-50']);
  });
});

describe('a filter that fixes what a list must be given', () => {
  const FIXED: ListDocument = {
    parameters: { space: { ...string, required: true }, ...BY_OFFSET.parameters },
    answer: { total: integer },
  };
  const of = (space: string) => `Things?$filter=Space eq '${space}'`;

  /** Space a has 250 things, and others have none. */
  function serveSpaces() {
    return servePaged(FIXED, ({ query, number }, reply) => {
      const count = query.get('space') === 'a' ? 250 : 0;
      const begin = number('offset', 0);
      reply.json({ items: things(count).slice(begin, begin + number('limit', 50)), total: count });
    });
  }

  it.each([
    [`${of('a')}&$top=5`, { keys: '1-5' }, ['?space=a&limit=5']],
    [`${of('a')}&$top=5&$skip=40`, { keys: '41-45' }, ['?space=a&offset=40&limit=5']],
    [of('a'), { keys: '1-100' }, ['?space=a&limit=100']],
    [`${of('a')}&$count=true&$top=2`, { keys: '1-2', count: 250 }, ['?space=a&limit=2']],
    [`${of('b')}&$count=true`, { keys: '', count: 0 }, ['?space=b&limit=100']],
  ])('needs no more than any list: %s', async (path, expected, queries) => {
    const list = await serveSpaces();
    expect(await list.ask(path)).toEqual({ status: 200, ...expected });
    expect(list.queries()).toEqual(queries);
  });

  it('is counted by the total of that list', async () => {
    const list = await serveSpaces();
    expect(await counted(list, "Things/$count?$filter=Space eq 'a'")).toEqual([200, '250']);
    expect(list.queries()).toEqual(['?space=a&limit=20']);
  });

  it('leads on page by page', async () => {
    const list = await serveSpaces();
    expect(await list.pages(of('a'))).toEqual(['1-100', '101-200', '201-250']);
  });

  it.each([`${of('a')} and Id gt 245`, `Things?$filter=Space in ('a','b') and Id gt 245`])(
    'is read as a whole for what it says besides: %s',
    async (path) => {
      const list = await serveSpaces();
      expect(await list.ask(`${path}&$top=3&$count=true`)).toEqual({
        status: 200,
        keys: '246-248',
        count: 5,
      });
    },
  );
});
