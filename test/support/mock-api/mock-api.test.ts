import { describe, expect, it, onTestFinished } from 'vitest';
import { type MockApi, startMockApi } from './mock-api.ts';

const THING = {
  type: 'object',
  required: ['id', 'name'],
  properties: { id: { type: 'integer' }, name: { type: 'string' } },
};

type Json = Readonly<Record<string, unknown>>;

interface List {
  /** Query parameters with their schemas. */
  readonly query?: Readonly<Record<string, Json>>;
  /** Properties beside `data`; none makes a bare list. */
  readonly beside?: Json;
  readonly headers?: Json;
}

/** A document with `/things` and `/things/{id}`. */
function documentOf({ query = {}, beside, headers = {} }: List): string {
  const list = { type: 'array', items: THING };
  const schema =
    beside === undefined
      ? list
      : { type: 'object', properties: { data: list, ...beside }, required: ['data'] };
  const parameters = Object.entries(query).map(([name, parameter]) => ({
    name,
    in: 'query',
    schema: parameter,
  }));
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  return JSON.stringify({
    openapi: '3.1.0',
    servers: [{ url: 'https://api.example.com/v1' }],
    paths: {
      '/things': { get: { parameters, responses: { 200: { headers, content: jsonOf(schema) } } } },
      '/things/{id}': { get: { parameters: [id], responses: { 200: { content: jsonOf(THING) } } } },
    },
  });
}

const jsonOf = (schema: Json): Json => ({ 'application/json': { schema } });

async function start(list: List, rows?: number): Promise<MockApi> {
  return startText(documentOf(list), rows);
}

async function startText(document: string, rows?: number): Promise<MockApi> {
  const mock = await startMockApi(document, rows);
  onTestFinished(() => mock.close());
  return mock;
}

const things = (first: number, last: number): readonly Json[] =>
  Array.from({ length: last - first + 1 }, (_, index) => ({
    id: first + index,
    name: `name-${first + index}`,
  }));

/** Status and body, with the mock's own origin left out. */
async function ask({ url }: MockApi, target: string): Promise<readonly [number, unknown]> {
  const response = await fetch(`${url}${target}`);
  const text = await response.text();
  return [response.status, JSON.parse(text.replaceAll(new URL(url).origin, ''))];
}

const INTEGER = { type: 'integer' };
const TEXT = { type: 'string' };
const LIMIT = { type: 'integer', minimum: 1, maximum: 100, default: 10 };

describe('a page of the mock', () => {
  it('is the whole where the document has no pages', async () => {
    expect(await ask(await start({}), '/things')).toEqual([200, things(1, 250)]);
  });

  it.each<readonly [string, List, string, string, Json]>([
    ['page number, from 1', { query: { page: INTEGER, per_page: LIMIT } }, 'page=3', '21 30', {}],
    [
      'page number, from 0',
      { query: { page: { ...INTEGER, default: 0 }, size: LIMIT } },
      'page=3',
      '31 40',
      {},
    ],
    ['offset', { query: { offset: INTEGER, limit: LIMIT } }, 'offset=245', '246 250', {}],
    [
      'offset and size',
      { query: { startAt: INTEGER, maxResults: LIMIT } },
      'startAt=5&maxResults=3',
      '6 8',
      {},
    ],
    [
      'a total and the number of pages',
      {
        query: { page: INTEGER },
        beside: { meta: { properties: { total: INTEGER, total_pages: INTEGER } } },
      },
      'page=2',
      '21 40',
      { meta: { total: 250, total_pages: 13 } },
    ],
    [
      'a next URL',
      { query: { offset: INTEGER, limit: LIMIT }, beside: { next: { ...TEXT, nullable: true } } },
      'limit=100',
      '1 100',
      { next: '/v1/things?limit=100&offset=100' },
    ],
    [
      'a next URL at the end',
      { query: { offset: INTEGER, limit: LIMIT }, beside: { next: { ...TEXT, nullable: true } } },
      'offset=200&limit=50',
      '201 250',
      { next: null },
    ],
    [
      'the key of the last row',
      { query: { starting_after: INTEGER, limit: LIMIT }, beside: { has_more: { type: 'boolean' } } },
      'starting_after=235',
      '236 245',
      { has_more: true },
    ],
  ])('is asked for by %s', async (_, list, query, rows, beside) => {
    const [first = 0, last = 0] = rows.split(' ').map(Number);
    const [status, body] = await ask(await start(list), `/things?${query}`);
    const data = things(first, last);
    expect([status, body]).toEqual([200, list.beside === undefined ? data : { data, ...beside }]);
  });

  it('is led to by a cursor that only the page before tells', async () => {
    const query = { cursor: TEXT, limit: LIMIT };
    const mock = await start({ query, beside: { paging: { properties: { next_cursor: TEXT } } } }, 15);
    const [, first] = await ask(mock, '/things');
    expect(first).toEqual({ data: things(1, 10), paging: { next_cursor: expect.any(String) } });
    const { paging } = first as { readonly paging: { readonly next_cursor: string } };
    expect(await ask(mock, `/things?cursor=${paging.next_cursor}`)).toEqual([200, { data: things(11, 15) }]);
    expect((await ask(mock, '/things?cursor=10'))[0]).toBe(400);
  });

  it('is led to by a Link header, RFC 8288', async () => {
    const mock = await start({ query: { per_page: LIMIT }, headers: { Link: { schema: TEXT } } });
    const link = (await fetch(`${mock.url}/things?per_page=100`)).headers.get('link') ?? '';
    const [, target = ''] = /^<([^>]*)>; rel="next"$/.exec(link) ?? [];
    expect(await (await fetch(target)).json()).toEqual(things(101, 200));
  });

  it.each(['limit=101', 'limit=0', 'limit=x', 'offset=-1', ''])('is refused for ?%s', async (query) => {
    const offset = { ...INTEGER, minimum: 0 };
    const mock = await startText(
      documentOf({ query: { offset, limit: LIMIT } }).replace(
        '"name":"offset"',
        '"name":"offset","required":true',
      ),
    );
    const target = query.startsWith('limit') ? `/things?offset=0&${query}` : `/things?${query}`;
    expect((await ask(mock, target))[0]).toBe(400);
  });
});

describe('an item of the mock', () => {
  it('is the row of the list with its key, or is missing', async () => {
    const mock = await start({});
    expect(await ask(mock, '/things/200')).toEqual([200, { id: 200, name: 'name-200' }]);
    expect((await ask(mock, '/things/251'))[0]).toBe(404);
  });
});

describe('a value of the mock', () => {
  const schemas: Readonly<Record<string, Json>> = {
    A: { properties: { id: { type: 'string', format: 'uuid' }, kind: { enum: ['x', 'y'] } } },
    Row: {
      allOf: [{ $ref: '#/components/schemas/A' }],
      required: ['code'],
      properties: {
        code: { type: 'string', pattern: '^[A-Z]{3}\\d$' },
        day: { type: 'string', format: 'date' },
        secret: { type: 'string', writeOnly: true },
        choice: { oneOf: [{ type: 'integer', minimum: 5, maximum: 7 }, { type: 'string' }] },
        parent: { anyOf: [{ type: 'null' }, { $ref: '#/components/schemas/Row' }] },
        folder_id: { type: 'string' },
      },
    },
  };
  const document = JSON.stringify({
    openapi: '3.1.0',
    paths: {
      '/folders/{folder_id}/rows': {
        parameters: [{ name: 'folder_id', in: 'path', required: true, schema: TEXT }],
        get: {
          responses: {
            200: { content: jsonOf({ type: 'array', items: { $ref: '#/components/schemas/Row' } }) },
          },
        },
        post: { responses: { 201: { content: jsonOf({ $ref: '#/components/schemas/A' }) } } },
      },
    },
    components: { schemas },
  });

  it('is one that its schema allows, the same every time, and that of the path where it has its name', async () => {
    const mock = await startText(document);
    const [status, rows] = (await ask(mock, '/folders/f1/rows')) as [number, Json[]];
    expect([status, await ask(mock, '/folders/f1/rows')]).toEqual([200, [200, rows]]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(250);
    for (const row of rows) {
      expect(row).toEqual({
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/),
        kind: expect.stringMatching(/^[xy]$/),
        code: expect.stringMatching(/^[A-Z]{3}\d$/),
        day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        choice: expect.toSatisfy((value: number) => value >= 5 && value <= 7),
        parent: row['parent'] === null ? null : expect.objectContaining({ folder_id: expect.any(String) }),
        folder_id: 'f1',
      });
    }
    const [, others] = (await ask(mock, '/folders/f2/rows')) as [number, Json[]];
    expect(others.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(others.map(({ day }) => day)).not.toEqual(rows.map(({ day }) => day));
  });

  it('is what was sent, in the answer of a POST', async () => {
    const { url } = await startText(document);
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/folders/f1/rows`, {
      method: 'POST',
      headers,
      body: '{"kind":"z","more":1}',
    });
    expect([answer.status, await answer.json()]).toEqual([
      201,
      { id: expect.any(String), kind: 'z', more: 1 },
    ]);
  });
});

describe('misbehaviour of the mock', () => {
  it.each([
    ['has_more', { data: things(1, 20), has_more: true }],
    ['total', { data: things(1, 20), total: 250 }],
    ['next', { data: things(1, 20), next: expect.stringContaining('/v1/things?cursor=') }],
  ] as const)('gives a part, and %s tells of it', async (undocumented, body) => {
    const mock = await start({ beside: {} });
    mock.misbehave({ undocumented });
    expect(await ask(mock, '/things')).toEqual([200, body]);
  });

  it('has too many requests now and then', async () => {
    const mock = await start({});
    mock.misbehave({ busyEvery: 2, retryAfter: '3' });
    const statuses: (readonly [number, string | null])[] = [];
    for (let request = 0; request < 4; request++) {
      const { status, headers } = await fetch(`${mock.url}/things`);
      statuses.push([status, headers.get('retry-after')]);
    }
    expect(statuses).toEqual([
      [200, null],
      [429, '3'],
      [200, null],
      [429, '3'],
    ]);
  });

  it('leads elsewhere, on and on, or in a circle', async () => {
    const mock = await start({ query: { offset: INTEGER }, beside: { next: { ...TEXT, format: 'uri' } } });
    mock.misbehave({ nextOrigin: 'http://other.example', endless: 'rows' });
    const next = 'http://other.example/v1/things?offset=1020';
    expect(await ask(mock, '/things?offset=1000')).toEqual([200, { data: things(1001, 1020), next }]);
    mock.misbehave({ endless: 'circle' });
    expect(await ask(mock, '/things?offset=40')).toEqual([
      200,
      { data: things(41, 60), next: '/v1/things?offset=40' },
    ]);
  });

  it('goes on after keys that no whole list has', async () => {
    const query = { starting_after: INTEGER };
    const mock = await start({ query, beside: { has_more: { type: 'boolean' } } });
    expect((await ask(mock, '/things?starting_after=400'))[0]).toBe(400);
    mock.misbehave({ endless: 'rows' });
    expect(await ask(mock, '/things?starting_after=400')).toEqual([
      200,
      { data: things(401, 420), has_more: true },
    ]);
  });

  it('holds answers, and has counted what was under way', async () => {
    const mock = await start({});
    const { promise, resolve } = Promise.withResolvers<void>();
    mock.misbehave({
      hold: () => {
        if (mock.mostConcurrent === 3) resolve();
        return promise;
      },
    });
    await Promise.all([1, 2, 3].map((id) => fetch(`${mock.url}/things/${id}`)));
    expect(mock.requests.map(({ method, path, status }) => [method, path, status])).toEqual(
      Array(3).fill(['GET', '/things/{id}', 200]),
    );
  });
});
