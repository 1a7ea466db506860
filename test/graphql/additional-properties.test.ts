import { expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Parts, version: '1' }
paths:
  /parts:
    get: { operationId: parts, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Part' } } } } } } }
    post:
      operationId: newPart
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Part' } } } }
      responses: { '201': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Part' } } } } }
  /parts/{id}: { get: { operationId: part, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Part' } } } } } } }
components:
  schemas:
    Part:
      type: object
      required: [id]
      additionalProperties: true
      properties: { id: { type: integer }, size: { type: object, properties: { w: { type: integer } } }, any: {} }
`;

it('additional properties are those of the API, and not what entities are sorted by', async () => {
  const { query } = await serveDocument(DOCUMENT, {
    'GET /parts': [{ id: 1, size: { w: 2 }, colour: 'grey' }],
  });
  const answer = await query(
    '{ partsConnection(order: [{ size: { w: ASC } }]) { nodes { additionalProperties } } }',
  );
  expect(answer).toEqual({
    data: { partsConnection: { nodes: [{ additionalProperties: { colour: 'grey' } }] } },
  });
});

it('whole numbers that a double does not hold keep their digits where a document has them', async () => {
  const { query, lastSent } = await serveDocument(DOCUMENT, { 'POST /parts': { id: 1 } });
  const large = '12345678901234567890';
  await query(
    `mutation { createPart(input: { any: { a: [${large}, 1.5], c: null, d: TRUE, e: -1 }, additionalProperties: { n: ${large}, s: "s", t: true } }) { id } }`,
  );
  expect(lastSent()).toBe(
    `POST /parts {"any":{"a":[${large},1.5],"c":null,"d":"TRUE","e":-1},"n":${large},"s":"s","t":true}`,
  );
});

it('a variable may stand within a value of any type', async () => {
  const { query, lastSent } = await serveDocument(DOCUMENT, { 'POST /parts': { id: 1 } });
  await query('mutation($w: Int) { createPart(input: { any: { w: [$w] } }) { id } }', { w: 3 });
  expect(lastSent()).toBe('POST /parts {"any":{"w":[3]}}');
});

it.each(['id', 'Id', 'Size', '@odata.type', '#x'])(
  'none has the name of a declared property: %s',
  async (name) => {
    const { query, lastSent } = await serveDocument(DOCUMENT, { 'POST /parts': { id: 1 } });
    const create =
      'mutation($others: JSON) { createPart(input: { id: 1, additionalProperties: $others }) { id } }';
    const message = `input.additionalProperties.${name}: expected a property that no type declares, found another one.`;
    expect(await query(create, { others: { [name]: 7 } })).toMatchObject({ errors: [{ message }] });
    expect(lastSent()).toBeUndefined();
  },
);
