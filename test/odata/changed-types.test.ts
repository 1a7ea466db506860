import { describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Test, version: '1' }
paths:
  /docs: { get: { operationId: docs, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Doc' } } } } } } } }
  /docs/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: doc, responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Doc' } } } } } }
    patch: { operationId: patchDoc, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Doc' } } } }, responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Doc' } } } } } }
components:
  schemas:
    Part: { type: object, required: [kind], properties: { kind: { type: string }, by: { type: string } }, discriminator: { propertyName: kind, mapping: { wheel: '#/components/schemas/Wheel', bolt: '#/components/schemas/Bolt' } } }
    Wheel: { allOf: [{ $ref: '#/components/schemas/Part' }, { type: object, properties: { spokes: { type: integer } } }] }
    Bolt: { allOf: [{ $ref: '#/components/schemas/Part' }, { type: object, properties: { head: { type: string } } }] }
    Doc: { type: object, required: [id], properties: { id: { type: integer }, part: { $ref: '#/components/schemas/Part' } } }
`;

const DOC = { id: 1, part: { kind: 'wheel', by: 'me', spokes: 32 } };
const BOLT = { '@odata.type': '#Test.Bolt', Head: 'hex' };

describe('a complex value of another type than the present one', () => {
  it.each([
    ['PATCH', 'Doc(1)', { Part: BOLT }, { head: 'hex', kind: 'bolt' }],
    ['PATCH', 'Doc(1)/Part', BOLT, { head: 'hex', kind: 'bolt' }],
    ['PUT', 'Doc(1)/Part', BOLT, { by: null, head: 'hex', kind: 'bolt' }],
  ])('comes in the place of all that was there: %s %s', async (method, path, body, part) => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, { 'GET /docs/1': DOC, 'PATCH /docs/1': DOC });
    expect(await ask(path, method, body)).toEqual([204]);
    expect(JSON.parse((lastSent() ?? '').replace('PATCH /docs/1 ', ''))).toEqual({ part });
  });

  it('is merged where it is of the same type, or says none', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, { 'GET /docs/1': DOC, 'PATCH /docs/1': DOC });
    await ask('Doc(1)/Part', 'PATCH', { '@odata.type': '#Test.Wheel', Spokes: 28 });
    expect(lastSent()).toBe('PATCH /docs/1 {"part":{"spokes":28,"kind":"wheel","by":"me"}}');
    await ask('Doc(1)', 'PATCH', { Part: { By: 'you' } });
    expect(lastSent()).toBe('PATCH /docs/1 {"part":{"spokes":32,"kind":"wheel","by":"you"}}');
  });

  it('is merged where it says the declared type, and the present one is of no other', async () => {
    const part = { kind: 'other', by: 'me' };
    const { ask, lastSent } = await serveDocument(DOCUMENT, {
      'GET /docs/1': { id: 1, part },
      'PATCH /docs/1': DOC,
    });
    await ask('Doc(1)/Part', 'PATCH', { '@odata.type': '#Test.Part', Kind: 'another' });
    expect(lastSent()).toBe('PATCH /docs/1 {"part":{"kind":"another","by":"me"}}');
  });
});
