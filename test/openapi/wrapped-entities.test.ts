import { expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const body = (schema: string) => `{ content: { application/json: { schema: ${schema} } } }`;
const wrapped = (name: string, schema: string) =>
  `{ type: object, properties: { ${name}: { $ref: '#/components/schemas/${schema}' } } }`;
const id = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: integer } }`;

const SHOP = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /things:
    get: { operationId: things, responses: ${answer("{ type: object, properties: { items: { type: array, items: { $ref: '#/components/schemas/Thing' } }, total: { type: integer } } }")} }
    post: { operationId: addThing, requestBody: ${body(wrapped('data', 'NewThing'))}, responses: ${answer("{ $ref: '#/components/schemas/ThingAnswer' }")} }
  /things/{id}:
    parameters: [${id('id')}]
    get: { operationId: thing, responses: ${answer("{ $ref: '#/components/schemas/ThingAnswer' }")} }
    put: { operationId: change, requestBody: ${body("{ $ref: '#/components/schemas/NewThing' }")}, responses: ${answer("{ $ref: '#/components/schemas/ThingAnswer' }")} }
  /things/{id}/parts:
    parameters: [${id('id')}]
    get: { operationId: parts, responses: ${answer("{ type: object, properties: { parts: { type: array, items: { $ref: '#/components/schemas/Part' } } } }")} }
  /things/{id}/parts/{no}:
    parameters: [${id('id')}, ${id('no')}]
    get: { operationId: part, responses: ${answer(wrapped('part', 'Part'))} }
components:
  schemas:
    Thing: { type: object, x-odata: { grants: { User: [View] } }, required: [id], properties: { id: { type: integer }, name: { type: string }, tags: { type: array, items: { type: string } } } }
    NewThing: { type: object, properties: { name: { type: string } } }
    ThingAnswer: { type: object, required: [data], properties: { data: { $ref: '#/components/schemas/Thing' }, status: { type: string } } }
    Part: { type: object, properties: { no: { type: integer }, text: { type: string } } }
`;

const THING = { id: 1, name: 'a', tags: ['x'] };
const ANSWERS = {
  'GET /things': { items: [THING], total: 1 },
  'GET /things/1': { status: 'ok', data: THING },
  'GET /things/2': { status: 'none' },
  'GET /things/1/parts': { parts: [{ no: 5, text: 't' }] },
  'GET /things/1/parts/5': { part: { no: 5, text: 't' } },
  'POST /things': ({ data }: { data: object }) => ({ data: { id: 9, ...data } }),
  'PUT /things/1': (changed: object) => ({ data: { ...THING, ...changed } }),
};

it.each([
  ['Thing', { value: [{ Id: 1, Name: 'a', Tags: ['x'] }] }],
  ['Thing(1)', { Id: 1, Name: 'a', Tags: ['x'] }],
  ['Thing(1)?$select=Id,Name', { Id: 1, Name: 'a' }],
  ['Thing(1)/Parts', { value: [{ No: 5, Text: 't' }] }],
  ['Thing(1)/Parts(5)', { No: 5, Text: 't' }],
])('%s is read from what it is wrapped in', async (path, json) => {
  const { ask, entries } = await serveDocument(SHOP, ANSWERS);
  expect(await ask(path)).toStrictEqual([200, json]);
  expect(entries().filter(({ msg }) => /property of/.test(String(msg)))).toStrictEqual([]);
});

it('an answer without the entity is no good', async () => {
  const { ask } = await serveDocument(SHOP, ANSWERS);
  expect((await ask('Thing(2)?$select=Id'))[0]).toBe(502);
});

it('a body is wrapped where the document wraps it, and only there', async () => {
  const { ask, lastSent } = await serveDocument(SHOP, ANSWERS);
  expect(await ask('Thing', 'POST', { Name: 'n' })).toStrictEqual([201, { Id: 9, Name: 'n', Tags: [] }]);
  expect(lastSent()).toBe('POST /things {"data":{"name":"n"}}');
  await ask('Thing(1)', 'PUT', { Name: 'm' });
  expect(lastSent()).toMatch(/^PUT \/things\/1 \{.*"name":"m"/);
});
