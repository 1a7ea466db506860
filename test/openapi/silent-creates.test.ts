import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;

/** A list of things whose POST takes one of that schema, and has those answers. */
function shop(responses: string, taken = 'Thing'): string {
  return `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    get: { operationId: things, responses: { "200": { description: OK, ${json(`{ type: array, items: ${ref('Thing')} }`)} } } }
    post:
      operationId: postThing
      requestBody: { ${json(ref(taken))} }
      responses: ${responses}
  /things/{id}:
    get:
      operationId: thing
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { "200": { description: OK, ${json(ref('Thing'))} } }
components:
  schemas:
    Thing: { type: object, properties: { id: { type: integer }, name: { type: string }, size: { type: integer } } }
    Part: { type: object, properties: { name: { type: string } } }
    Search: { type: object, properties: { word: { type: string } } }
`;
}

const OK = '{ "200": { description: OK } }';
const NONE = '{ "204": { description: Done }, default: { description: Wrong } }';

describe('a create that answers with nothing', () => {
  it.each([
    ['200 alone', shop(OK)],
    ['204', shop(NONE)],
    ['200, for a part of the entity', shop(OK, 'Part')],
  ])('is one, and what was sent is what is known: %s', async (_, document) => {
    const { ask, lastSent, query } = await serveDocument(document, { 'POST /things': Buffer.alloc(0) });
    expect(await ask('Thing', 'POST', { Name: 'Saw' })).toEqual([
      201,
      expect.objectContaining({ Name: 'Saw' }),
    ]);
    expect(lastSent()).toBe('POST /things {"name":"Saw"}');
    expect(await query('mutation { createThing(input: { name: "Axe" }) { name } }')).toEqual({
      data: { createThing: { name: 'Axe' } },
    });
  });

  it.each([
    ['accepts it only', shop('{ "202": { description: Later } }')],
    ['takes something else', shop(OK, 'Search')],
    [
      'answers with a text',
      shop('{ "200": { description: OK, content: { text/plain: { schema: { type: string } } } } }'),
    ],
  ])('is none where it %s', async (_, document) => {
    const { ask } = await serveDocument(document);
    expect(await ask('Thing', 'POST', { Name: 'Saw' })).toEqual([405, expect.anything()]);
  });
});

describe('a create whose answer the document says nothing of', () => {
  const ANYTHING = '{ "200": { description: OK, content: { application/json: { schema: {} } } } }';
  const ANY_OBJECT =
    '{ "201": { description: OK, content: { application/json: { schema: { type: object, additionalProperties: true } } } } }';
  const CREATED = { id: 7, name: 'Saw', size: 3 };

  it.each<[string, string, unknown]>([
    ['the entity', ANYTHING, CREATED],
    ['the entity, as any object', ANY_OBJECT, CREATED],
    ['a part of it', ANYTHING, { id: 7, message: 'Created' }],
  ])('is answered with %s', async (_, responses, answer) => {
    const { ask } = await serveDocument(shop(responses), {
      'POST /things': answer,
      'GET /things/7': CREATED,
    });
    expect(await ask('Thing', 'POST', { Name: 'Saw', Size: 3 })).toEqual([
      201,
      expect.objectContaining({ Id: 7, Name: 'Saw', Size: 3 }),
    ]);
  });

  it.each<[string, unknown]>([
    ['something else', { name: 'ok', message: 'Created' }],
    ['a text', 'Created'],
    ['a list', [CREATED]],
    ['what is named like parts of an object', JSON.parse('{"constructor":1,"__proto__":2}')],
  ])('knows what was sent where it is answered with %s', async (_, answer) => {
    const { ask, query } = await serveDocument(shop(ANYTHING), { 'POST /things': answer });
    expect(await ask('Thing', 'POST', { Name: 'Saw' })).toEqual([
      201,
      expect.objectContaining({ Name: 'Saw' }),
    ]);
    expect(await query('mutation { createThing(input: { name: "Axe" }) { name } }')).toEqual({
      data: { createThing: { name: 'Axe' } },
    });
  });

  it('is none where it takes something else', async () => {
    const { ask } = await serveDocument(shop(ANYTHING, 'Search'));
    expect(await ask('Thing', 'POST', { Name: 'Saw' })).toEqual([405, expect.anything()]);
  });

  it('is none where it is said that the answer is of texts', async () => {
    const texts = ANY_OBJECT.replace('true', '{ type: string }');
    const { ask } = await serveDocument(shop(texts));
    expect(await ask('Thing', 'POST', { Name: 'Saw' })).toEqual([405, expect.anything()]);
  });
});
