import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SHELF_DOCUMENT, shelf } from '../odata/budget.document.ts';
import { serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

let url: string;

beforeAll(async () => {
  const upstream = await startStandInUpstream(shelf);
  atEndOfFile(() => upstream.close());
  const files = {
    'shelf.yaml': SHELF_DOCUMENT,
    '.meshrc.yaml': `sources:\n${sourceOf('Shelf', './shelf.yaml', upstream.url)}`,
  };
  const limits = { GRAPHQL_BODY_KIB: '2048', QUERY_ROWS: '20000', ANSWER_MIB: '1' };
  const { gateway } = await serveProject(createProject(files, atEndOfFile), limits, atEndOfFile);
  url = gateway.url;
});

async function ask(query: string, variables?: object) {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return { status: response.status, text: await response.text() };
}

const many = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ');
const times = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => item(index));
const nested = (depth: number): string => `${'{ author { books '.repeat(depth)}{ id }${'} }'.repeat(depth)}`;

const WHERE = 'query ($where: BookFilter) { books(where: $where) { id } }';

interface Attack {
  readonly what: string;
  readonly query: string;
  readonly where?: object;
  readonly limit: string;
}

/** Documents that would cause much work, and the limits that stop them. */
const ATTACKS: readonly Attack[] = [
  { what: 'relations to and fro', query: `{ books ${nested(2)} }`, limit: 'QUERY_ROWS' },
  {
    what: 'connections to and fro',
    query: '{ booksConnection { nodes { author { booksConnection { nodes { author { name } } } } } } }',
    limit: 'QUERY_ROWS',
  },
  {
    what: 'the same relation under many names',
    query: `{ ${many(3, (index) => `a${index}: books { author { books(take: ${10 + index}) { id } } }`)} }`,
    limit: 'QUERY_ROWS',
  },
  {
    what: 'a long list under many names',
    query: `{ ${many(14, (index) => `a${index}: books { id title author { name } }`)} }`,
    limit: 'ANSWER_MIB',
  },
  {
    what: 'groups of the related under many names',
    query: `{ books { ${many(15, (index) => `a${index}: author { booksConnection(where: { price: { neq: ${index} } }) { nodes { id } } }`)} } }`,
    limit: 'QUERY_ROWS',
  },
  { what: 'relations as deep as the text is long', query: `{ books ${nested(20)} }`, limit: 'GRAPHQL_DEPTH' },
  {
    what: 'a list under more names than there may be',
    query: `{ ${many(16, (index) => `a${index}: books { id }`)} }`,
    limit: 'GRAPHQL_ALIASES',
  },
  { what: 'a long text', query: `{ books { ${'id '.repeat(1001)} } }`, limit: 'GRAPHQL_TOKENS' },
  {
    what: 'directives',
    query: `{ books { id ${'@include(if: true) '.repeat(51)} } }`,
    limit: 'GRAPHQL_DIRECTIVES',
  },
  {
    what: 'conditions beside each other',
    query: WHERE,
    where: { or: times(10_000, (price) => ({ price: { eq: price } })) },
    limit: 'QUERY_NODES',
  },
  {
    what: 'literals',
    query: WHERE,
    where: { price: { in: times(100_000, (price) => price) } },
    limit: 'QUERY_LITERALS',
  },
  {
    what: 'collections inside each other',
    query: WHERE,
    where: { author: { books: lambdas(4) } },
    limit: 'QUERY_LAMBDA_DEPTH',
  },
  {
    what: 'related collections gone through for each',
    query: WHERE,
    where: { not: { author: { books: lambdas(3) } } },
    limit: 'QUERY_ROW_ITEMS',
  },
];

/** Books of which all authors have other books, and so on: none is found before all have been gone through. */
function lambdas(depth: number): object {
  const within = depth === 1 ? { price: { lt: 0 } } : { author: { books: lambdas(depth - 1) } };
  return { some: within };
}

describe('a document that makes much of little', () => {
  it.each(ATTACKS)('is refused, and told which limit it meets: $what', async ({ query, where, limit }) => {
    const { text } = await ask(query, where && { where });
    expect(text).toContain(limit);
    const { errors, data } = JSON.parse(text);
    expect([errors[0].extensions.limit, errors[0].message]).toStrictEqual([
      limit,
      expect.stringContaining(`(${limit}`),
    ]);
    expect(data ?? null).toBeNull();
    expect((await ask('{ booksConnection { totalCount } }')).text).toBe(
      '{"data":{"booksConnection":{"totalCount":1000}}}',
    );
  });

  it('is answered where a pattern goes to and fro', async () => {
    const { text } = await ask(WHERE, { where: { title: { matches: '(T*i*)*$.' } } });
    expect(text).toBe('{"data":{"books":[]}}');
  });

  it('is refused where its cursor is long', async () => {
    const { text } = await ask(`{ booksConnection(after: "${'x'.repeat(100_000)}") { nodes { id } } }`);
    expect(JSON.parse(text).errors[0].message).toBe(
      'after: expected a cursor of this list in this order, found another text.',
    );
  });

  it('is refused where it is longer than a body may be', async () => {
    const { status, text } = await ask(WHERE, { where: { title: { eq: 'x'.repeat(2 * 1024 * 1024) } } });
    expect([status, JSON.parse(text).errors[0].extensions.code]).toStrictEqual([413, 'PayloadTooLarge']);
  });
});

describe('a long answer', () => {
  it('is the same as in parts', async () => {
    const fields = '{ id title author { name books(take: 2, order: [{ id: DESC }]) { id } } }';
    const whole = JSON.parse((await ask(`{ books(order: [{ id: ASC }]) ${fields} }`)).text);
    const parts = await Promise.all(
      times(10, (index) => ask(`{ books(order: [{ id: ASC }], skip: ${index * 100}, take: 100) ${fields} }`)),
    );
    expect(whole.errors).toBeUndefined();
    expect(whole.data.books).toHaveLength(1000);
    expect(whole.data.books).toStrictEqual(parts.flatMap(({ text }) => JSON.parse(text).data.books));
  });
});

const PARTS = `
openapi: 3.1.0
info: { title: Parts, version: '1' }
paths:
  /parts: { get: { operationId: parts, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Part' } } } } } } } }
components: { schemas: { Part: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } } } }
`;

it.each([
  '{ parts { id name } }',
  '{ parts(order: [{ name: DESC }]) { id } }',
  '{ first: __typename parts(take: 10000) { id name } }',
])('processor time is bounded: %s', async (text) => {
  const rows = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `part ${id}` }));
  const { query } = await serveDocument(PARTS, { 'GET /parts': rows }, onTestFinished, { QUERY_MS: '1' });
  expect(await query(text)).toMatchObject({
    errors: expect.arrayContaining([
      expect.objectContaining({ extensions: expect.objectContaining({ limit: 'QUERY_MS' }) }),
    ]),
  });
});
