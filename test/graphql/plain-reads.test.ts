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
  const response = await fetch(`${things.gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return [response.status, response.headers.get('content-type'), await response.text()].join(' ');
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
  ['{ things { __typename id } }', [{}]],
  ['{ things { id id } }', [{}]],
  ['{ things { __proto__: id } }', [{}]],
  ['{ things { id @skip(if: true) name } }', [{}]],
])('with variables: %s', async (query, variables) => {
  const executed = (each: object) => answer({ query, variables: each, operationName: null, extensions: {} });
  const expected: string[] = [];
  for (const each of variables) expected.push(await executed(each));
  for (const [index, each] of variables.entries()) {
    expect(await answer({ query, variables: each })).toBe(expected[index]);
  }
});
