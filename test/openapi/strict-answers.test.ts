import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Houses, version: 1.0.0 }
x-odata: { strict: true }
paths:
  /houses:
    get: { operationId: houses, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/House" } } } } } } }
  /houses/{id}:
    delete: { operationId: demolish, parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32 } }], responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Roof" } } } } } }
    get: { operationId: house, parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int32 } }], responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/House" } } } } } }
  /colour:
    get: { operationId: colour, responses: { "200": { content: { application/json: { schema: { type: string } } } } } }
  /roofs/best:
    get: { operationId: best, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Roof" } } } } } } }
components:
  schemas:
    Roof: { type: object, properties: { tiles: { type: integer, format: int32 }, colour: { type: string }, flat: { type: boolean } } }
    Room: { type: object, required: [doors], properties: { doors: { type: array, items: { type: string } }, walls: { type: array, items: { type: string } } } }
    House:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int32 }
        roof: { $ref: "#/components/schemas/Roof" }
        hall: { $ref: "#/components/schemas/Room" }
`;

async function answerOf(path: string, resource: string, answer: unknown) {
  const { ask } = await serveDocument(DOCUMENT, { [`GET ${path}`]: answer });
  return ask(resource);
}

const REFUSED = [502, { error: { code: 'UpstreamBadResponse' } }];

const houses = (answer: unknown) => answerOf('/houses', 'House', answer);

describe('an answer to a strict document, whose entities hold others', () => {
  it('has members by their exact names, where there are others that differ in case', async () => {
    const answer = [{ id: 1, roof: { TILES: 2, tiles: 3, Tiles: 4, COLOUR: 'red' } }];
    expect(await houses(answer)).toMatchObject([
      200,
      { value: [{ Id: 1, Roof: { Tiles: 3, Colour: 'red' } }] },
    ]);
  });

  it('has members whose names differ in case alone', async () => {
    const answer = [{ ID: 1, Roof: { TILES: 2 } }];
    expect(await houses(answer)).toMatchObject([200, { value: [{ Id: 1, Roof: { Tiles: 2 } }] }]);
  });

  it.each<[string, object]>([
    ['a text for a number', { roof: { tiles: '3' } }],
    ['a number for a text', { roof: { colour: 3 } }],
    ['a list for an object', { roof: [] }],
    ['a number for a text in a list', { hall: { doors: [1] } }],
    ['no list that is required', { hall: {} }],
    ['null for a list that is required', { hall: { doors: null } }],
  ])('is refused where an entity has %s', async (_, house) => {
    expect(await houses([{ id: 1, ...house }])).toMatchObject(REFUSED);
  });

  it('may lack a list that is not required', async () => {
    const hall = { Doors: ['oak'], Walls: [] };
    expect(await houses([{ id: 1, hall: { doors: ['oak'] } }])).toMatchObject([
      200,
      { value: [{ Hall: hall }] },
    ]);
  });

  it('is refused where a function that answers with a text answers with a number', async () => {
    expect(await answerOf('/colour', 'Colour()', 3)).toMatchObject(REFUSED);
    expect(await answerOf('/colour', 'Colour()', '3')).toMatchObject([200, { value: '3' }]);
  });

  it('is refused where an entity of the list is null', async () => {
    const answer = [{ id: 1, roof: { tiles: 3 } }, null];
    expect(await houses(answer)).toMatchObject(REFUSED);
  });

  it('is refused where an object of the list that a function answers with is null', async () => {
    const answer = [{ tiles: 3 }, null];
    expect(await answerOf('/roofs/best', 'Best()', answer)).toMatchObject(REFUSED);
  });
});

describe('the answer to a delete', () => {
  it.each<[string, unknown, string]>([
    ['a strict document', Buffer.from('gone'), DOCUMENT],
    ['a strict document', [], DOCUMENT],
    ['another', Buffer.from('gone'), DOCUMENT.replace('strict: true', 'strict: false')],
    ['another', [], DOCUMENT.replace('strict: true', 'strict: false')],
  ])('may be anything, whatever %s says of it: nobody is shown it', async (_, answer, document) => {
    const { ask } = await serveDocument(document, { 'DELETE /houses/1': answer });
    expect(await ask('House(1)', 'DELETE')).toEqual([204]);
  });
});
