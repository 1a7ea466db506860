import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const json = (schema: string) =>
  `{ "200": { description: OK, content: { application/json: { schema: ${schema} } } } }`;
const THING = '{ $ref: "#/components/schemas/Thing" }';
const THINGS = `{ type: array, items: ${THING} }`;
const given = (name: string, place: string) =>
  `parameters: [{ name: ${name}, in: ${place}, required: true, schema: { type: integer } }]`;

/** A list of things, and a GET of one at that path. */
function shop(path: string, read: string, changes = ''): string {
  return `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    get: { operationId: things, responses: ${json(THINGS)} }
  ${JSON.stringify(path)}:
    get: { operationId: thing, ${read} }
    ${changes}
components:
  schemas:
    Thing: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string }, constructor: { type: string } } }
`;
}

const SAW = { id: 1, name: 'Saw', constructor: 'Eve' };
const AXE = { id: 2, name: 'Axe', constructor: 'Adam' };

describe('entities that are read as a list of one', () => {
  const bare = shop('/things/{id}', `${given('id', 'path')}, responses: ${json(THINGS)}`);
  const wrapped = shop(
    '/things/{thing_id}',
    `${given('thing_id', 'path')}, responses: ${json(`{ type: object, properties: { data: ${THINGS} } }`)}`,
  );

  it.each<[string, string, unknown]>([
    ['bare', bare, [AXE]],
    ['in an object', wrapped, { data: [AXE] }],
    ['among others', bare, [SAW, AXE]],
  ])('come by key: %s', async (_, document, answer) => {
    const { ask, lastSent, query } = await serveDocument(document, { 'GET /things/2': answer });
    expect(await ask('Thing(2)')).toEqual([
      200,
      expect.objectContaining({ Id: 2, Name: 'Axe', Constructor: 'Adam' }),
    ]);
    expect(lastSent()).toBe('GET /things/2');
    expect(await ask('Thing(2)/Name')).toEqual([200, { value: 'Axe' }]);
    expect(await query('{ thing(id: 2) { name } }')).toEqual({ data: { thing: { name: 'Axe' } } });
  });

  it.each<[string, unknown]>([
    ['an empty list', []],
    ['a list of another one', [SAW]],
  ])('are not there where the answer is %s', async (_, answer) => {
    const { ask, query } = await serveDocument(bare, { 'GET /things/2': answer });
    expect(await ask('Thing(2)')).toEqual([404, expect.anything()]);
    expect(await ask('Thing(3)')).toEqual([404, expect.anything()]);
    expect(await query('{ thing(id: 2) { name } }')).toMatchObject({ data: { thing: null } });
  });

  it.each<[string, unknown, number]>([
    ['has no list', { data: null }, 404],
    ['has no member of the document', { fault: 'try later' }, 502],
    ['reports an error', { data: null, error: 'try later' }, 502],
  ])('are not taken for missing where the answer %s', async (_, answer, status) => {
    const { ask } = await serveDocument(wrapped, { 'GET /things/2': answer });
    expect(await ask('Thing(2)')).toEqual([status, expect.anything()]);
  });

  it('may come without a list around them, unless the document is strict', async () => {
    const lenient = await serveDocument(bare, { 'GET /things/2': AXE, 'GET /things/3': 'Hoe' });
    expect(await lenient.ask('Thing(2)')).toEqual([200, expect.objectContaining({ Name: 'Axe' })]);
    expect(await lenient.ask('Thing(3)')).toEqual([502, expect.anything()]);
    const strict = bare.replace('paths:', 'x-odata: { strict: true }\npaths:');
    const { ask } = await serveDocument(strict, { 'GET /things/2': AXE });
    expect(await ask('Thing(2)')).toEqual([502, expect.anything()]);
  });
});

describe('entities that are read by a query parameter', () => {
  const ONE = `${given('id', 'query')}, responses: ${json(THING)}`;

  it('come by key', async () => {
    const { ask, lastSent, query } = await serveDocument(shop('/thing', ONE), { 'GET /thing?id=2': AXE });
    expect(await ask('Thing(2)')).toEqual([200, expect.objectContaining({ Id: 2, Name: 'Axe' })]);
    expect(lastSent()).toBe('GET /thing?id=2');
    expect(await query('{ thing(id: 2) { name } }')).toEqual({ data: { thing: { name: 'Axe' } } });
    expect(await ask('Thing(3)')).toEqual([404, expect.anything()]);
  });

  it('are deleted on the path of one, where there is that', async () => {
    const remove = `responses: { "204": { description: Done } }`;
    const document = shop('/thing', ONE).replace(
      'components:',
      `  /things/{id}: { delete: { operationId: remove, ${given('id', 'path')}, ${remove} } }\ncomponents:`,
    );
    const { ask, lastSent } = await serveDocument(document, { 'DELETE /things/2': Buffer.alloc(0) });
    expect(await ask('Thing(2)', 'DELETE')).toEqual([204]);
    expect(lastSent()).toBe('DELETE /things/2');
  });

  it('are not changed by what stands at that path for all of them', async () => {
    const post = `post: { operationId: post, requestBody: { content: { application/json: { schema: ${THING} } } }, responses: ${json(THING)} }`;
    const { ask } = await serveDocument(shop('/thing', ONE, post), { 'GET /thing?id=2': AXE });
    expect(await ask('Thing(2)', 'PATCH', { Name: 'Hoe' })).toEqual([405, expect.anything()]);
  });
});

describe('keys that are texts of several kinds', () => {
  it('are sent and read as they are', async () => {
    const ids = '{ anyOf: [{ type: string, pattern: "^a" }, { type: string, format: uuid }] }';
    const path = `parameters: [{ name: id, in: path, required: true, schema: ${ids} }]`;
    const document = shop('/things/{id}', `${path}, responses: ${json(THING)}`).replace(
      'id: { type: integer }',
      `id: ${ids}`,
    );
    const { ask, lastSent, query } = await serveDocument(document, {
      'GET /things': [{ id: 'a b', name: 'Saw' }],
      'GET /things/a%20b': { id: 'a b', name: 'Saw' },
    });
    expect(await ask("Thing('a b')")).toEqual([200, expect.objectContaining({ Id: 'a b', Name: 'Saw' })]);
    expect(lastSent()).toBe('GET /things/a%20b');
    expect(await ask("Thing?$filter=Id eq 'a b'")).toEqual([
      200,
      { value: [expect.objectContaining({ Name: 'Saw' })] },
    ]);
    expect(await query('{ thing(id: "a b") { name } }')).toEqual({ data: { thing: { name: 'Saw' } } });
  });
});
