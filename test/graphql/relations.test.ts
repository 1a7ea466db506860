import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_REQUEST_LIMITS, type RequestLimits } from '../../src/core/request-limits.ts';
import { openFaces, requestOf, userWith } from '../auth/faces.ts';
import { answer } from '../mesh/document-scene.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';

const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const list = (name: string) => `{ type: array, items: ${ref(name)} }`;
const path = (name: string, schema = '{ type: integer }') =>
  `{ name: ${name}, in: path, required: true, schema: ${schema} }`;

/** An answer with one link. */
function linked(schema: string, link: string, description: string, parameters: string): string {
  return `{ '200': { description: x, content: { application/json: { schema: ${schema} } }, links: { ${link}: { operationId: ${link}, description: ${description}, parameters: ${parameters} } } } }`;
}

const PATHS = `
/authors: { get: { operationId: authors, responses: ${answer(list('Author'))} } }
/authors/{id}: { get: { operationId: author, parameters: [${path('id')}], responses: ${linked(ref('Author'), 'books', 'What the author has written.', '{ author_id: $response.body#/id }')} } }
/books: { get: { operationId: books, parameters: [
    { name: author_id, in: query, schema: { type: integer } }, { name: kind, in: query, schema: { type: string } } ],
  x-odata: { pageOf: Book, items: items }, responses: ${answer(`{ type: object, required: [items], properties: { items: ${list('Book')}, total: { type: integer } } }`)} } }
/books/{code}: { get: { operationId: book, parameters: [${path('code', '{ type: string }')}], responses: ${linked(ref('Book'), 'author', 'Who wrote it.', '{ id: $response.body#/author_id }')} } }
/books/{code}/stock: { get: { operationId: bookStock, x-odata: { function: Stock, bound: Book }, parameters: [${path('code', '{ type: string }')}, { name: place, in: query, schema: { type: string } }], responses: ${answer('{ type: object, required: [copies], properties: { copies: { type: integer } } }')} } }
/books/{code}/similar: { get: { operationId: similarBooks, x-odata: { function: Similar, bound: Book }, parameters: [${path('code', '{ type: string }')}, { name: where, in: query, required: true, schema: { type: string } }], responses: ${answer(list('Book'))} } }
/sales: { get: { operationId: sales, x-odata: { grants: { Reader: [Call] } }, parameters: [{ name: year, in: query, required: true, schema: { type: integer } }], responses: ${answer('{ type: array, items: { type: integer } }')} } }
/books/{code}/reviews: { get: { operationId: bookReviews, parameters: [${path('code', '{ type: string }')}], responses: ${answer(list('Review'))} } }
/books/{code}/reviews/{number}: { get: { operationId: bookReview, parameters: [${path('code', '{ type: string }')}, ${path('number')}], responses: ${answer(ref('Review'))} } }`;

const SCHEMAS = `
Author: { type: object, required: [id], x-odata: { grants: { Reader: [View], Friend: [View] } }, properties: { id: { type: integer, format: int64 }, name: { type: string } } }
Book:
  type: object
  required: [code, kind]
  discriminator: { propertyName: kind }
  x-odata: { grants: { Reader: [View, Call], Buyer: [View] } }
  properties: { code: { type: string }, kind: { type: string }, title: { type: string }, author_id: { type: [integer, 'null'], format: int64 } }
AudioBook: { allOf: [${ref('Book')}, { type: object, properties: { narrator: { type: string } } }] }
Review: { type: object, required: [number], properties: { number: { type: integer }, text: { type: string } } }`;

const BIG = '9007199254740993';

const DATA: Readonly<Record<string, string>> = {
  '/authors': `[{"id":1,"name":"Ann"},{"id":${BIG},"name":"Ben"}]`,
  '/authors/1': '{"id":1,"name":"Ann"}',
  [`/authors/${BIG}`]: `{"id":${BIG},"name":"Ben"}`,
  '/books':
    `{"total":5,"items":[{"code":"a/1","kind":"Book","title":"A","author_id":1},{"code":"b","kind":"AudioBook","title":"B","author_id":1,"narrator":"Nan"},` +
    `{"code":"c","kind":"Book","title":"C","author_id":${BIG}},{"code":"d","kind":"Book","author_id":null},{"code":"e","kind":"Book","author_id":404}]}`,
  '/books?author_id=1':
    '{"items":[{"code":"b","kind":"AudioBook","title":"B","author_id":1,"narrator":"Nan"}]}',
  '/books?author_id=1&kind=Book': '{"items":[{"code":"a/1","kind":"Book","title":"A","author_id":1}]}',
  [`/books?author_id=${BIG}`]: '{"items":[]}',
  '/books/b': '{"code":"b","kind":"AudioBook","title":"B","author_id":1,"narrator":"Nan"}',
  '/books/b/similar?where=near':
    '[{"code":"a/1","kind":"Book","title":"A"},{"code":"c","kind":"Book","title":"C"}]',
  '/books/b/reviews': '[{"number":1,"text":"Good"}]',
};

const library: Behaviour = ({ target }, reply) => {
  const found = DATA[decodeURI(target)];
  if (found === undefined) reply.send(404, '{}');
  else reply.send(200, found);
};

async function openLibrary(behaviour: Behaviour = library, limits: Partial<RequestLimits> = {}) {
  const document = {
    openapi: '3.1.0',
    'x-odata': { strict: true },
    info: { title: 'Api', version: '1' },
    paths: parse(PATHS),
    components: { schemas: parse(SCHEMAS) },
  };
  const faces = await openFaces('Api', document, behaviour, limits);
  onTestFinished(() => faces.close());
  const ask = async (query: string, role = 'Reader') => {
    const { status, body } = await faces.graphql(requestOf(userWith(role), 'POST ', { query }));
    return { status, ...JSON.parse(String(body)) };
  };
  return { ask, targets: () => faces.targets().map((target) => target.replace('GET ', '')) };
}

describe('a response link, and a list below an item', () => {
  it.each<readonly [query: string, data: unknown]>([
    [
      '{ bookReviewsConnection(code: "b", last: 1) { totalCount nodes { text } aggregate { max { number } } } }',
      {
        bookReviewsConnection: {
          totalCount: 1,
          nodes: [{ text: 'Good' }],
          aggregate: { max: { number: 1 } },
        },
      },
    ],
    // The condition is a parameter of the function.
    [
      '{ book(code: "b") { similar(where: "near", order: [{ title: DESC }]) { title } similarConnection(where: "near", first: 1) { totalCount nodes { title } } } }',
      {
        book: {
          similar: [{ title: 'C' }, { title: 'A' }],
          similarConnection: { totalCount: 2, nodes: [{ title: 'A' }] },
        },
      },
    ],
    ['{ book(code: "b") { title author { name } } }', { book: { title: 'B', author: { name: 'Ann' } } }],
    [
      '{ author(id: 1) { books { title ... on AudioBook { narrator } } } }',
      { author: { books: [{ title: 'B', narrator: 'Nan' }] } },
    ],
    [
      '{ book(code: "b") { reviews { number text } } }',
      { book: { reviews: [{ number: '1', text: 'Good' }] } },
    ],
    [
      '{ book(code: "b") { ... on AudioBook { author { books { reviews { text } } } } } }',
      { book: { author: { books: [{ reviews: [{ text: 'Good' }] }] } } },
    ],
    [
      '{ authors { id books { code } } }',
      {
        authors: [
          { id: '1', books: [{ code: 'b' }] },
          { id: BIG, books: [] },
        ],
      },
    ],
    [
      '{ books { code author { name } } }',
      {
        books: [
          { code: 'a/1', author: { name: 'Ann' } },
          { code: 'b', author: { name: 'Ann' } },
          { code: 'c', author: { name: 'Ben' } },
          { code: 'd', author: null },
          { code: 'e', author: null },
        ],
      },
    ],
  ])('is a field: %s', async (query, data) => {
    const { ask } = await openLibrary();
    // Documents that come again are compiled.
    for (let times = 0; times < 8; times += 1) expect(await ask(query)).toEqual({ status: 200, data });
  });
});

describe('the calls for related data', () => {
  it('are made once for each of their arguments, and only for what is there', async () => {
    const { ask, targets } = await openLibrary();
    await ask('{ books { a: author { name } b: author { id } } }');
    expect(targets().toSorted()).toEqual(['/authors/1', '/authors/404', `/authors/${BIG}`, '/books']);
  });

  it.each<readonly [query: string, targets: readonly string[]]>([
    [
      '{ a: books { code } b: books { title } c: book(code: "b") { title } d: book(code: "b") { kind } }',
      ['/books', '/books/b'],
    ],
    [
      '{ booksConnection { totalCount nodes { code } groups(by: [kind]) { count } aggregate { count } } }',
      ['/books'],
    ],
    ['{ a: sales(year: 1) b: sales(year: 1) c: sales(year: 2) }', ['/sales?year=1', '/sales?year=2']],
    [
      '{ book(code: "b") { a: stock { copies } b: stock { copies } c: stock(place: "x") { copies } author { books { stock { copies } } } } }',
      ['/authors/1', '/books/b', '/books/b/stock', '/books/b/stock?place=x', '/books?author_id=1'],
    ],
  ])('are made once within an operation: %s', async (query, calls) => {
    const { ask, targets } = await openLibrary((request, reply) => {
      if (request.target.startsWith('/sales')) reply.json([1]);
      else if (request.target.includes('/stock')) reply.json({ copies: 2 });
      else library(request, reply);
    });
    for (let times = 1; times <= 2; times += 1) {
      expect((await ask(query)).errors).toBeUndefined();
      expect(targets().toSorted()).toEqual(Array(times).fill(calls).flat().toSorted());
    }
  });

  it('are as few as those of $expand for 100 books with author and reviews', async () => {
    const authors = Array.from({ length: 10 }, (_, id) => ({ id: id + 1, name: `Author ${id + 1}` }));
    const books = Array.from({ length: 100 }, (_, index) => ({
      code: `b${index}`,
      kind: 'Book',
      title: `Book ${index}`,
      author_id: (index % 10) + 1,
    }));
    const { ask, targets } = await openLibrary(({ target }, reply) => {
      if (target === '/books') return reply.json({ total: 100, items: books });
      if (target === '/authors') return reply.json(authors);
      return reply.json([{ number: 1, text: target }]);
    });
    const { data, errors } = await ask('{ books { title author { name } reviews { text } } }');
    expect(errors).toBeUndefined();
    expect(data.books).toEqual(
      books.map(({ code, title, author_id }) => ({
        title,
        author: { name: `Author ${author_id}` },
        reviews: [{ text: `/books/${code}/reviews` }],
      })),
    );
    // The two lists, and the reviews of each book, which the API has nowhere else.
    expect(targets()).toHaveLength(1 + 1 + 100);
    expect(new Set(targets()).size).toBe(102);
  });

  it('are no more than the budget bears', async () => {
    const budget = { ...DEFAULT_REQUEST_LIMITS.budget, rows: 2 };
    const { ask } = await openLibrary(library, { budget });
    const { data, errors } = await ask('{ books { code author { name } } }');
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'BadRequest', limit: 'QUERY_ROWS' } }]);
  });

  it('tell nothing of what failed upstream', async () => {
    const { ask } = await openLibrary((request, reply) =>
      request.target === '/authors/1' ? reply.send(500, 'secret') : library(request, reply),
    );
    const { data, errors } = await ask('{ book(code: "b") { title author { name } } }');
    expect(data).toEqual({ book: null });
    expect(errors).toMatchObject([{ path: ['book'], extensions: { code: 'UpstreamUnavailable' } }]);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });
});

describe('a field that leads to related data demands that they may be seen', () => {
  const author = '{ book(code: "b") { author { name } } }';
  it.each<readonly [query: string, role: string, allowed: boolean]>([
    [author, 'Reader', true],
    [author, 'Buyer', false],
    ['{ book(code: "b") { title reviews { text } } }', 'Buyer', true],
    ['{ book(code: "b") { title other: author { name } } }', 'Buyer', false],
    ['{ book(code: "b") { ... on AudioBook { author { name } } } }', 'Buyer', false],
    ['{ book(code: "b") { ...b } } fragment b on Book { author { name } }', 'Buyer', false],
    ['{ books { ...a } } fragment a on AudioBook { x: author { name } }', 'Buyer', false],
    ['{ book(code: "b") { author @include(if: true) { name } } }', 'Buyer', false],
    ['{ books(where: { author: { name: { eq: "Ann" } } }) { code } }', 'Buyer', false],
    ['{ books(order: [{ author: { name: ASC } }]) { code } }', 'Buyer', false],
    ['{ booksConnection(order: [{ author: { name: ASC } }]) { edges { cursor } } }', 'Buyer', false],
    ['{ booksConnection(where: { author: { name: { eq: "Ann" } } }) { totalCount } }', 'Buyer', false],
    ['{ author(id: 1) { name } }', 'Friend', true],
    ['{ author(id: 1) { books { title } } }', 'Friend', false],
    ['{ author(id: 1) { b: booksConnection { totalCount } } }', 'Friend', false],
    ['{ author(id: 1) { b: booksConnection { groups(by: [title]) { count } } } }', 'Friend', false],
  ])('%s, asked by a %s', async (query, role, allowed) => {
    const { ask, targets } = await openLibrary();
    for (let times = 0; times < 8; times += 1) await ask(query);
    const before = targets().length;
    const { data, errors } = await ask(query, role);
    if (allowed) expect([errors, targets().length > before]).toEqual([undefined, true]);
    else {
      expect(errors[0].extensions.code).toBe('Forbidden');
      expect([Object.values(data ?? {}).filter((value) => value !== null), targets().length]).toEqual([
        [],
        before,
      ]);
    }
  });
});
