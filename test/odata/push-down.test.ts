import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';

/** A list that never has more than three items in an answer. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Stock', version: '1' },
  paths: {
    '/items': {
      get: {
        operationId: 'items',
        'x-odata': {
          pageOf: 'Item',
          items: 'data',
          total: 'count',
          top: 'limit',
          skip: 'offset',
          orderBy: 'sort',
          filters: { Shelf: 'shelf', ItemName: 'name' },
        },
        parameters: ['limit', 'offset', 'shelf']
          .map((name) => ({ name, in: 'query', schema: { type: 'integer', format: 'int32' } }))
          .concat(
            ['sort', 'name'].map((name) => ({ name, in: 'query', schema: { type: 'string', format: '' } })),
          ),
        responses: {
          200: {
            description: 'One page',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    data: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
                    count: { type: 'integer' },
                  },
                },
              },
            },
          },
        },
      },
    },
    '/items/{id}': {
      get: {
        operationId: 'item',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: {
          200: {
            description: 'One item',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Item: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          shelf: { type: 'integer' },
          item_name: { type: 'string' },
        },
      },
    },
  },
};

interface Item {
  readonly id: number;
  readonly shelf: number;
  readonly item_name: string;
}

const ITEMS: readonly Item[] = Array.from({ length: 10 }, (_, index) => ({
  id: index + 1,
  shelf: (index % 3) + 1,
  item_name: `Item ${String.fromCharCode(106 - index)}`,
}));

const LARGEST_PAGE = 3;

const project = mkdtempSync(join(tmpdir(), 'stock-'));
writeFileSync(join(project, 'stock.json'), JSON.stringify(DOCUMENT));
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Stock\n    handler:\n      openapi:\n        source: ./stock.json\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml') });

function found(query: URLSearchParams): readonly Item[] {
  const [shelf, name, sort] = [query.get('shelf'), query.get('name'), query.get('sort')];
  const items = ITEMS.filter(
    (item) => (shelf === null || item.shelf === Number(shelf)) && (name === null || item.item_name === name),
  );
  return sort === 'item_name' ? items.toReversed() : items;
}

beforeEach(() =>
  gateway.upstream.behave(({ target }, reply) => {
    const { searchParams } = new URL(target, 'http://stock');
    const limit = Math.min(LARGEST_PAGE, Number(searchParams.get('limit') ?? LARGEST_PAGE));
    const offset = Number(searchParams.get('offset') ?? 0);
    const all = found(searchParams);
    reply.json({ data: all.slice(offset, offset + limit), count: all.length });
  }),
);

async function read(
  target: string,
): Promise<{ readonly answer: unknown; readonly calls: readonly string[] }> {
  const before = gateway.upstream.requests.length;
  const { text } = await gateway.fetch(`/odata/${target}`);
  const { '@odata.context': _, ...answer } = JSON.parse(text);
  return { answer, calls: gateway.upstream.requests.slice(before).map((request) => request.target) };
}

/** All of the list. */
const ALL = ['/items', '/items?offset=3', '/items?offset=6', '/items?offset=9'];

const rows = (...ids: readonly number[]) => ids.map((Id) => ({ Id }));

describe('a list that comes in pages', () => {
  it('is followed to its end', async () => {
    expect(await read('Item?$select=Id&$count=true')).toEqual({
      answer: { '@odata.count': 10, value: rows(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) },
      calls: ['/items', '/items?offset=3', '/items?offset=6', '/items?offset=9'],
    });
  });

  it('is counted', async () => {
    const { text } = await gateway.fetch('/odata/Item/$count?$filter=Id%20gt%204');
    expect(text).toBe('6');
  });

  it('is an error of the upstream where each page is the first one again', async () => {
    gateway.upstream.behave((_, reply) => reply.json({ data: ITEMS.slice(0, 3), count: 10 }));
    expect((await gateway.fetch('/odata/Item')).status).toBe(502);
  });

  it('is an error of the upstream where a later page comes again and again', async () => {
    gateway.upstream.behave(({ target }, reply) => {
      const offset = Number(new URL(target, 'http://stock').searchParams.get('offset') ?? 0);
      const begin = Math.min(offset, 7);
      reply.json({ data: ITEMS.slice(begin, begin + 3), count: 100 });
    });
    const before = gateway.upstream.requests.length;
    expect((await gateway.fetch('/odata/Item')).status).toBe(502);
    // Rows that came before are the sign of a list that changed meanwhile: it is read from its beginning once more.
    const calls = gateway.upstream.requests.slice(before).map(({ target }) => target);
    expect(calls).toEqual([...ALL, ...ALL]);
  });

  it.each([
    ['$top=2', rows(1, 2)],
    ['$top=2&$skip=1', rows(2, 3)],
    ['$top=4', rows(1, 2, 3, 4)],
  ])('may have more on a page than it was asked for: %s', async (options, value) => {
    gateway.upstream.behave(({ target }, reply) => {
      const offset = Number(new URL(target, 'http://stock').searchParams.get('offset') ?? 0);
      reply.json({ data: ITEMS.slice(offset, offset + 3), count: 10 });
    });
    expect((await read(`Item?$select=Id&${options}`)).answer).toEqual({ value });
  });
});

describe('what the upstream can do', () => {
  it.each([
    ['$top=2&$skip=3', rows(4, 5), ['/items?limit=2&offset=3']],
    ['$top=2', rows(1, 2), ['/items?limit=2']],
    ['$top=5', rows(1, 2, 3, 4, 5), ['/items?limit=5', '/items?limit=2&offset=3']],
    ['$skip=8', rows(9, 10), ['/items?offset=8']],
    ['$skip=2147483647', [], ['/items?offset=2147483647']],
    ['$skip=2147483648', [], ALL],
    ['$skip=99999999999999999999', [], ALL],
    ['$top=99999999999&$skip=9', rows(10), ['/items?limit=2147483647&offset=9']],
    ['$filter=Shelf eq 99999999999', [], ALL],
    ['$filter=Shelf eq 2', rows(2, 5, 8), ['/items?shelf=2']],
    ["$filter=Shelf eq 2 and ItemName eq 'Item f'", rows(5), ['/items?shelf=2&name=Item%20f']],
    ['$filter=2 eq Shelf&$top=1', rows(2), ['/items?limit=1&shelf=2']],
    ['$filter=Shelf eq Id&$top=1', rows(1), undefined],
    ['$filter=Shelf eq 2 and Id gt 2', rows(5, 8), ['/items?shelf=2']],
    ['$filter=Shelf eq 2 and Id gt 2&$top=1', rows(5), ['/items?shelf=2']],
    ['$filter=Shelf eq 2&$top=1&$skip=1', rows(5), ['/items?limit=1&offset=1&shelf=2']],
    ['$filter=Shelf eq @s&$top=1&@s=3', rows(3), ['/items?limit=1&shelf=3']],
    ['$orderby=ItemName&$top=2', rows(10, 9), ['/items?limit=2&sort=item_name']],
    ['$orderby=length(ItemName),Id desc&$top=1', rows(10), undefined],
    ['$filter=Shelf eq 2 or Shelf eq 3&$top=1', rows(2), undefined],
    ['$filter=Shelf ne 2&$top=1', rows(1), undefined],
    ['$filter=Shelf eq null&$top=1', [], undefined],
    ['$search="Item a"&$top=1', rows(10), undefined],
    ['$filter=Shelf eq 2 and Id gt $these/aggregate(Id with average)', rows(8), ALL],
    ['$filter=Shelf eq 2 and Id gt @a&@a=$these/aggregate(Id with average)', rows(8), ALL],
    ['$filter=Shelf eq 2 and $these/any(t:t/Shelf eq 3)', rows(2, 5, 8), ALL],
    ['$orderby=$these/$count sub Id&$top=1', rows(10), ALL],
  ])('is asked of it: %s', async (options, value, calls) => {
    const query = options.replaceAll(' ', '%20').replaceAll('"', '%22');
    const answered = await read(`Item?$select=Id&${query}`);
    expect(answered.answer).toEqual({ value });
    if (calls !== undefined) expect(answered.calls).toEqual(calls);
  });

  it('is also the number of all', async () => {
    expect(await read('Item?$select=Id&$top=1&$count=true&$filter=Shelf%20eq%201')).toEqual({
      answer: { '@odata.count': 4, value: rows(1) },
      calls: ['/items?limit=1&shelf=1'],
    });
  });
});

describe('options and transformations with $apply', () => {
  it.each([
    ['$apply=filter(Shelf eq 2 and Id gt $these/aggregate(Id with average))', [2], ALL],
    ['$apply=filter(Shelf eq 2)/aggregate(Id with sum as Shelf)', [15], ['/items?shelf=2']],
    ['$apply=aggregate(Shelf with max as Shelf)&$filter=Shelf eq 2', [], ALL],
    ['$apply=groupby((Shelf))&$top=1&$orderby=Shelf desc', [3], ALL],
    ['$apply=top(1)/filter(Shelf eq 2)', [], ALL],
  ])('are asked of it where they come first: %s', async (options, shelves, calls) => {
    const { answer, calls: asked } = await read(`Item?${options.replaceAll(' ', '%20')}`);
    const { value } = answer as { readonly value: readonly { readonly Shelf: number }[] };
    expect([value.map(({ Shelf }) => Shelf), asked]).toEqual([shelves, calls]);
  });
});
