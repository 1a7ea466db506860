import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Houses, version: 1.0.0 }
x-odata: { strict: true }
paths:
  /houses:
    get: { operationId: houses, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/House" } } } } } } }
  /roofs/best:
    get: { operationId: best, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Roof" } } } } } } }
components:
  schemas:
    Roof: { type: object, properties: { tiles: { type: integer, format: int32 }, colour: { type: string } } }
    House:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int32 }
        roof: { $ref: "#/components/schemas/Roof" }
`;

async function answerOf(path: string, resource: string, answer: unknown) {
  const { ask } = await serveDocument(DOCUMENT, { [`GET ${path}`]: answer });
  return ask(resource);
}

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

  it('is refused where an entity of the list is null', async () => {
    const answer = [{ id: 1, roof: { tiles: 3 } }, null];
    expect(await houses(answer)).toMatchObject([502, { error: { code: 'UpstreamBadResponse' } }]);
  });

  it('is refused where an object of the list that a function answers with is null', async () => {
    const answer = [{ tiles: 3 }, null];
    expect(await answerOf('/roofs/best', 'Best()', answer)).toMatchObject([
      502,
      { error: { code: 'UpstreamBadResponse' } },
    ]);
  });
});
