import { printType } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { permissionsOf } from '../../src/auth/permissions.ts';
import type { Principal } from '../../src/contract/principal.ts';
import { DEFAULT_REQUEST_LIMITS } from '../../src/contract/request-limits.ts';
import { createGraphQLEndpoint } from '../../src/graphql/endpoint.ts';
import { createGatewayMesh } from '../../src/mesh/mesh.ts';
import { modelFromOpenApi } from '../../src/model/from-openapi.ts';
import { answer } from '../mesh/document-scene.ts';
import { type Behaviour, type Reply, startStandInUpstream } from '../support/stand-in-upstream.ts';

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
/books/{code}/reviews: { get: { operationId: bookReviews, parameters: [${path('code', '{ type: string }')}], responses: ${answer(list('Review'))} } }
/books/{code}/reviews/{number}: { get: { operationId: bookReview, parameters: [${path('code', '{ type: string }')}, ${path('number')}], responses: ${answer(ref('Review'))} } }`;

const SCHEMAS = `
Author: { type: object, required: [id], x-odata: { grants: { Reader: [View], Friend: [View] } }, properties: { id: { type: integer, format: int64 }, name: { type: string } } }
Book:
  type: object
  required: [code, kind]
  discriminator: { propertyName: kind }
  x-odata: { grants: { Reader: [View], Buyer: [View] } }
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
  '/books/b/reviews': '[{"number":1,"text":"Good"}]',
};

const library: Behaviour = ({ target }, reply) => {
  const found = DATA[decodeURI(target)];
  if (found === undefined) reply.send(404, '{}');
  else reply.send(200, found);
};

async function openLibrary(
  behaviour: Behaviour = library,
  relatedCalls = DEFAULT_REQUEST_LIMITS.graphql.relatedCalls,
) {
  const upstream = await startStandInUpstream(behaviour);
  const info = { title: 'Api', version: '1' };
  const strict = { 'x-odata': { strict: true } };
  const document = {
    openapi: '3.1.0',
    ...strict,
    info,
    paths: parse(PATHS),
    components: { schemas: parse(SCHEMAS) },
  };
  const { model } = modelFromOpenApi([{ name: 'Api', document }]);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const source = { name: 'Api', document: '', endpoint: upstream.url, operationHeaders: {} };
  const mesh = await createGatewayMesh({
    project: { directory: '/', sources: [source] },
    documents: new Map([['Api', document]]),
    log,
  });
  onTestFinished(async () => {
    await mesh.destroy();
    await upstream.close();
  });
  const { graphql, budget } = DEFAULT_REQUEST_LIMITS;
  const limits = { graphql: { ...graphql, relatedCalls }, budget };
  const endpoint = createGraphQLEndpoint({
    model,
    schema: mesh.schema,
    permissions: permissionsOf(model),
    log,
    limits,
  });
  const ask = async (query: string, role = 'Reader') => {
    const principal: Principal = { kind: 'user', id: 'u', roles: [role] };
    const { status, body } = await endpoint({
      id: 'test',
      principal,
      signal: new AbortController().signal,
      method: 'POST',
      target: '/',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ query })),
    });
    return { status, ...JSON.parse(String(body)) };
  };
  return { ask, schema: mesh.schema, targets: () => upstream.requests.map(({ target }) => target) };
}

describe('a response link, and a list below an item', () => {
  it.each<readonly [query: string, data: unknown]>([
    ['{ book(code: "b") { title author { name } } }', { book: { title: 'B', author: { name: 'Ann' } } }],
    [
      '{ author(id: 1) { books { title ... on AudioBook { narrator } } } }',
      { author: { books: [{ title: 'B', narrator: 'Nan' }] } },
    ],
    ['{ author(id: 1) { books(kind: "Book") { title } } }', { author: { books: [{ title: 'A' }] } }],
    ['{ book(code: "b") { reviews { number text } } }', { book: { reviews: [{ number: 1, text: 'Good' }] } }],
    [
      '{ book(code: "b") { ... on AudioBook { author { books { reviews { text } } } } } }',
      { book: { author: { books: [{ reviews: [{ text: 'Good' }] }] } } },
    ],
    [
      '{ authors { id books { code } } }',
      {
        authors: [
          { id: 1, books: [{ code: 'b' }] },
          { id: BIG, books: [] },
        ],
      },
    ],
    [
      '{ books { items { code author { name } } } }',
      {
        books: {
          items: [
            { code: 'a/1', author: { name: 'Ann' } },
            { code: 'b', author: { name: 'Ann' } },
            { code: 'c', author: { name: 'Ben' } },
            { code: 'd', author: null },
            { code: 'e', author: null },
          ],
        },
      },
    ],
  ])('is a field: %s', async (query, data) => {
    const { ask } = await openLibrary();
    // Documents that come again are compiled.
    for (let times = 0; times < 8; times += 1) expect(await ask(query)).toEqual({ status: 200, data });
  });

  it('is described, and takes the arguments that nothing fills', async () => {
    const { schema } = await openLibrary();
    const shown = ['Author', 'Book', 'AudioBook', 'OtherBook', 'Review'].map((name) => {
      const type = schema.getType(name);
      return type === undefined ? '' : printType(type).replaceAll(/\s+/g, ' ');
    });
    const book =
      'code: String! kind: String! title: String author_id: BigInt reviews: [Review] """Who wrote it.""" author: Author }';
    expect(shown).toEqual([
      'type Author { id: BigInt! name: String """What the author has written.""" books(kind: String): [Book] }',
      `interface Book { ${book}`,
      `type AudioBook implements Book { narrator: String ${book}`,
      `type OtherBook implements Book { ${book}`,
      'type Review { number: BigInt! text: String }',
    ]);
  });
});

describe('the calls for related data', () => {
  it('are made once for each of their arguments, and only for what is there', async () => {
    const { ask, targets } = await openLibrary();
    await ask('{ books { items { a: author { name } b: author { id } } } }');
    expect(targets().toSorted()).toEqual(['/authors/1', '/authors/404', `/authors/${BIG}`, '/books']);
  });

  it('are eight at a time', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    const held: Reply[] = [];
    let received = 0;
    let most = 0;
    const answerAll = () => {
      for (const reply of held.splice(0)) reply.json({ items: [] });
    };
    const { ask } = await openLibrary(({ target }, reply) => {
      if (target === '/authors') return reply.json(ids.map((id) => ({ id })));
      received += 1;
      most = Math.max(most, held.push(reply));
      // A ninth would come in the meantime.
      if (held.length === 8 || received === ids.length) setTimeout(answerAll, 20);
    });
    const { data } = await ask('{ authors { books { code } } }');
    expect(data.authors).toEqual(ids.map(() => ({ books: [] })));
    expect(most).toBe(8);
  });

  it('are no more than the limit', async () => {
    const { ask, targets } = await openLibrary(library, 1);
    const { data, errors } = await ask('{ authors { id books { code } } }');
    expect(data).toEqual({
      authors: [
        { id: 1, books: [{ code: 'b' }] },
        { id: BIG, books: null },
      ],
    });
    expect(errors).toEqual([
      {
        message: 'A document may lead to 1 calls for related data, and this one needs more.',
        locations: [{ line: 1, column: 16 }],
        path: ['authors', 1, 'books'],
        extensions: { code: 'BadRequest' },
      },
    ]);
    expect(targets()).toHaveLength(2);
  });

  it('fail each for itself', async () => {
    const { ask } = await openLibrary((request, reply) =>
      request.target === '/authors/1' ? reply.send(500, 'secret') : library(request, reply),
    );
    const { data, errors } = await ask('{ book(code: "b") { title author { name } reviews { text } } }');
    expect(data).toEqual({ book: { title: 'B', author: null, reviews: [{ text: 'Good' }] } });
    expect(errors).toMatchObject([{ path: ['book', 'author'], extensions: { code: 'UpstreamUnavailable' } }]);
    expect(JSON.stringify(errors)).not.toContain('secret');
  });
});

describe('a field that leads to related data demands what the root field demands', () => {
  const author = '{ book(code: "b") { author { name } } }';
  it.each<readonly [query: string, role: string, allowed: boolean]>([
    [author, 'Reader', true],
    [author, 'Buyer', false],
    ['{ book(code: "b") { title reviews { text } } }', 'Buyer', true],
    ['{ book(code: "b") { title other: author { name } } }', 'Buyer', false],
    ['{ book(code: "b") { ... on AudioBook { author { name } } } }', 'Buyer', false],
    ['{ book(code: "b") { ...b } } fragment b on Book { author { name } }', 'Buyer', false],
    ['{ books { items { ...a } } } fragment a on AudioBook { x: author { name } }', 'Buyer', false],
    ['{ book(code: "b") { author @include(if: true) { name } } }', 'Buyer', false],
    ['{ author(id: 1) { name } }', 'Friend', true],
    ['{ author(id: 1) { books { title } } }', 'Friend', false],
    ['{ author(id: 1) { b: books(kind: "Book") { __typename } } }', 'Friend', false],
  ])('%s, asked by a %s', async (query, role, allowed) => {
    const { ask, targets } = await openLibrary();
    for (let times = 0; times < 8; times += 1) await ask(query);
    const before = targets().length;
    const { status, data, errors } = await ask(query, role);
    expect(status).toBe(allowed ? 200 : 403);
    if (allowed) expect([errors, targets().length > before]).toEqual([undefined, true]);
    else {
      expect(errors[0].extensions.code).toBe('Forbidden');
      expect([data ?? undefined, targets().length]).toEqual([undefined, before]);
    }
  });
});
