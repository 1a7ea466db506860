import { describe, expect, it } from 'vitest';
import { type ListDocument, type PagedList, servePaged, things } from '../openapi/paged-list.ts';

const integer = { type: 'integer' };
const SIZE = 500;
const ROWS = 6_000;
const PAGED: ListDocument = {
  parameters: { page: { ...integer, default: 1 }, limit: { ...integer, maximum: SIZE } },
  answer: {},
};
/** The same on one page. */
const WHOLE: ListDocument = { answer: {} };

const ROWS_OF_LIST = things(ROWS).map(({ id }) => ({ id, name: `Group ${(id * 7) % 13}` }));

function serveList(
  document: ListDocument,
  environment: Readonly<Record<string, string>> = {},
): Promise<PagedList> {
  return servePaged(
    document,
    ({ query, number }, reply) => {
      const page = number('page', 1);
      const size = query.has('limit') ? SIZE : ROWS;
      reply.json({ items: ROWS_OF_LIST.slice((page - 1) * size, page * size) });
    },
    { environment },
  );
}

async function ask({ gateway }: PagedList, path: string): Promise<unknown> {
  const response = await fetch(`${gateway.url}/odata/${path}`);
  return [response.status, JSON.parse(await response.text())];
}

/** Fewer rows may be held than the list has. */
const NARROW = { PAGES_ROWS: '700', QUERY_MS: '600' };

const QUERIES = [
  'Thing?$orderby=Name desc,Id desc&$top=5&$skip=3',
  'Thing?$orderby=Name&$top=3&$filter=Id mod 2 eq 1&$select=Id',
  'Thing?$orderby=Name&$top=3&$count=true&$search=3',
  "Thing?$filter=contains(Name,'1')&$count=true&$top=2&$skip=1",
  'Thing/$count?$filter=Id mod 7 lt 3',
  'Thing?$apply=aggregate(Id with sum as Sum,Id with max as Most,$count as Count,Name with countdistinct as Names)',
  'Thing?$apply=groupby((Name))&$orderby=Name',
  'Thing?$apply=groupby((Name),aggregate(Id with average as Mean))&$filter=Mean gt 3000&$orderby=Name&$top=4',
  'Thing?$apply=filter(Id gt 100)/search(Group)/groupby((Name),aggregate(Id with min as Least))/orderby(Least)/top(3)',
  'Thing?$apply=filter(Id gt 9000)/aggregate($count as Count)',
];

describe('a query that keeps few of the rows of a long list', () => {
  it('is answered as if all rows were held', async () => {
    const paged = await serveList(PAGED, NARROW);
    const whole = await serveList(WHOLE);
    for (const path of QUERIES) {
      const [status, answer] = (await ask(paged, path)) as [number, object];
      const expected = (await ask(whole, path)) as [number, object];
      const root = whole.gateway.url;
      const text = JSON.stringify(expected).replaceAll(root, paged.gateway.url);
      expect([path, [status, answer]]).toStrictEqual([path, JSON.parse(text)]);
      expect(status).toBe(200);
    }
  });

  it.each([
    ['Thing?$orderby=Name', 'all of it is shown'],
    ['Thing?$orderby=Name&$top=20000', 'very many rows are sorted'],
    ['Thing?$apply=orderby(Name)/top(3)', 'an order is inside $apply'],
    ['Thing?$apply=groupby((Name),topcount(1,Id))', 'rows of groups are kept'],
    ['Thing?$apply=concat(aggregate($count as A),aggregate($count as B))', 'the rows are read twice'],
    ['Thing?$filter=$these/aggregate(Id with max) eq Id&$top=1&$orderby=Id', 'all rows are compared'],
  ])('is no such query: %s, as %s', async (path) => {
    const list = await serveList(PAGED, NARROW);
    expect(await ask(list, path)).toMatchObject([
      502,
      { error: { message: expect.stringContaining('PAGES_ROWS') } },
    ]);
  });

  it('reads the list once more where a row came twice', async () => {
    let reads = 0;
    const list = await servePaged(PAGED, ({ number }, reply) => {
      const page = number('page', 1);
      if (page === 1) reads += 1;
      const shift = reads === 1 && page > 6 ? 1 : 0;
      const begin = (page - 1) * SIZE - shift;
      reply.json({ items: ROWS_OF_LIST.slice(begin, begin + SIZE) });
    });
    expect(await ask(list, 'Thing?$apply=aggregate($count as Count)')).toMatchObject([
      200,
      { value: [{ Count: ROWS }] },
    ]);
    expect(reads).toBe(2);
  });

  it.each(['Thing?$apply=aggregate($count as Count)', 'Thing?$orderby=Name&$top=3'])(
    'is an error with a status where a page fails: %s',
    async (path) => {
      const list = await servePaged(PAGED, ({ number }, reply) => {
        const page = number('page', 1);
        if (page === 9) reply.send(500, '{}');
        else reply.json({ items: ROWS_OF_LIST.slice((page - 1) * SIZE, page * SIZE) });
      });
      expect(await ask(list, path)).toMatchObject([502, { error: { code: 'UpstreamUnavailable' } }]);
    },
  );
});
