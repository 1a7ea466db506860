import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: '1' }
paths:
  /things:
    get:
      operationId: listThings
      responses:
        '200': { description: all, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Thing' } } } } }
  /things/{id}:
    get:
      operationId: getThing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200': { description: one, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
components:
  schemas:
    Thing:
      type: object
      required: [id, name]
      properties:
        id: { type: integer }
        name: { type: string }
        size: { type: [integer, 'null'], format: int64 }
        price: { type: [number, 'null'], format: decimal }
        weight: { type: [number, 'null'] }
        made: { type: [string, 'null'], format: date }
        color: { type: [string, 'null'], enum: [red, green, null] }
        used: { type: [boolean, 'null'] }
`;

const THINGS = `[
  {"id":1,"name":"Ünit \\"one\\"","size":9007199254740993,"price":1.10,"weight":1e-7,"made":"2026-01-02","color":"red","used":true},
  {"id":2,"name":"","size":null,"price":null,"weight":null,"made":null,"color":null,"used":null},
  {"id":3,"name":"c","size":-3,"price":12345678901234567890.123,"weight":-2.5,"made":"1999-12-31","color":"green","used":false},
  {"id":4,"name":"d"}
]`;
const FIELDS = ['id', 'name', 'size', 'price', 'weight', 'made', 'color', 'used'];

let things: ServedDocument;
beforeAll(async () => {
  const answers = { 'GET /things': Buffer.from(THINGS), 'GET /things/1': Buffer.from(firstThing()) };
  things = await serveDocument(DOCUMENT, answers, afterAll);
});

function firstThing(): string {
  return THINGS.slice(THINGS.indexOf('{'), THINGS.indexOf('}') + 1);
}

/** Status, header and text of the answer. */
async function answer(body: object): Promise<string> {
  return reported(
    await fetch(`${things.gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

/** The same to a request whose URL says all. */
async function answerByUrl(params: Readonly<Record<string, unknown>>): Promise<string> {
  const texts = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return reported(await fetch(`${things.gateway.url}/graphql?${new URLSearchParams(texts)}`));
}

async function reported(response: Response): Promise<string> {
  return [response.status, response.headers.get('content-type'), await response.text()].join(' ');
}

let documents = 0;
/** A document is executed the first time it comes: this one has come by no other test. */
function unseen(query: string): string {
  documents += 1;
  return `${query}\n# ${documents}`;
}

const selection = fc
  .uniqueArray(
    fc.record({ field: fc.constantFrom(...FIELDS), alias: fc.constantFrom('', 'a: ', 'b: ', '_: ') }),
    {
      minLength: 1,
      maxLength: 8,
      selector: ({ field, alias }) => alias || field,
    },
  )
  .map((fields) => fields.map(({ field, alias }) => `${alias}${field}`).join(' '));

const where = fc.constantFrom(
  '',
  'where: { name: { contains: "c" } }',
  'where: { size: { gt: "-3" } }',
  'where: { color: { in: [red, null] } }',
  'where: { not: { used: { eq: true } } }',
  'where: { name: { matches: "(" } }',
);
const rest = fc.constantFrom('', 'take: 2', 'skip: 1', 'take: -1', 'order: [{ price: DESC }]', 'search: "c"');

// The first time a document is executed; from then on the answer is written straight from the rows.
it('are answered as executing them answers', async () => {
  await fc.assert(
    fc.asyncProperty(selection, where, rest, fc.nat(), async (fields, condition, other, run) => {
      const args = [condition, other].filter((each) => each !== '').join(', ');
      const query = `query Q${run} { things${args === '' ? '' : `(${args})`} { ${fields} } }`;
      const first = await answer({ query });
      expect(await answer({ query })).toBe(first);
      expect(await answer({ query })).toBe(first);
    }),
    { numRuns: 60 },
  );
});

it.each<[string, readonly object[]]>([
  [
    'query ($take: Int) { things(take: $take) { id } }',
    [{ take: 1 }, { take: 2 }, { take: null }, {}, { take: 'x' }],
  ],
  [
    'query ($id: ID!) { x: thing(id: $id) { id size } }',
    [{ id: 1 }, { id: '1' }, { id: 9 }, { id: 'x' }, {}, { id: null }],
  ],
  ['query ($take: Int = 1) { things(take: $take) { id name } }', [{}, { take: 3 }, { other: 1 }]],
  ['{ things { __typename id kind: __typename } }', [{}]],
  ['{ things { __typename } }', [{}]],
  ['{ thing(id: 1) { name __typename } }', [{}]],
  ['{ things { id __proto__: __typename } }', [{}]],
  ['{ things { id id } }', [{}]],
  ['{ things { __proto__: id } }', [{}]],
  ['{ things { id @skip(if: true) name } }', [{}]],
])('with variables: %s', async (query, variables) => {
  for (const each of variables) {
    const executed = await answer({ query: unseen(query), variables: each });
    expect(await answer({ query, variables: each })).toBe(executed);
    expect(await answer({ query, variables: each })).toBe(executed);
    expect(await answerByUrl({ query, variables: each })).toBe(executed);
  }
});

const NAMED = 'query Few($take: Int) { things(take: $take) { __typename id } }';

it.each<[string, Readonly<Record<string, unknown>>]>([
  ['its name', { operationName: 'Few' }],
  ['its name and variables', { operationName: 'Few', variables: { take: 2 } }],
  ['no name', { operationName: null }],
  ['another name', { operationName: 'Many' }],
  ['a name that is none', { operationName: '' }],
  ['a name that is no text', { operationName: 7 }],
  [
    'what a client says of itself',
    { operationName: 'Few', extensions: { clientLibrary: { name: 'c', version: '4' } } },
  ],
  ['extensions that are none', { extensions: 'x' }],
  ['variables that are none', { variables: 'x' }],
  ['something else', { operationName: 'Few', other: 1 }],
])('a document that comes with %s', async (_, beside) => {
  for (const ask of [answer, answerByUrl]) {
    const query = unseen(NAMED);
    await ask({ query });
    const executed = await ask({ query: unseen(NAMED), ...beside });
    expect(await ask({ query, ...beside })).toBe(executed);
    expect(await ask({ query, ...beside })).toBe(executed);
  }
});

it('a document by its hash', async () => {
  const query = unseen(NAMED);
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  const unknown = await answer({ extensions });
  expect(unknown).toContain('PERSISTED_QUERY_NOT_FOUND');
  const executed = await answer({ query, extensions });
  expect(executed).toContain('"__typename":"Thing","id":"4"');
  expect(await answer({ operationName: 'Few', extensions })).toBe(executed);
  expect(await answerByUrl({ operationName: 'Few', extensions })).toBe(executed);
  const few = await answer({ query: unseen(NAMED), variables: { take: 1 } });
  expect(await answerByUrl({ variables: { take: 1 }, extensions })).toBe(few);
  const ofAnotherVersion = { persistedQuery: { version: 2, sha256Hash } };
  expect(await answer({ extensions: ofAnotherVersion })).not.toContain('data');
  expect(await answer({ query: NAMED, extensions })).toContain('PERSISTED_QUERY_MISMATCH');
});
