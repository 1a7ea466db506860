import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const THING = '{ $ref: "#/components/schemas/Thing" }';
const json = (schema: string) => `content: { application/json: { schema: ${schema} } }`;
const demanded = (name: string, place: string) =>
  `{ name: ${name}, in: ${place}, required: true, schema: { type: string } }`;

/** Entities that are created, changed and deleted by operations which ask for more than the entity. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
paths:
  /things:
    get: { operationId: things, responses: { "200": { description: OK, ${json(`{ type: array, items: ${THING} }`)} } } }
    post:
      operationId: addThing
      parameters: [${demanded('reason', 'query')}]
      requestBody: { ${json(THING)} }
      responses: { "201": { description: OK, ${json(THING)} } }
  /things/{id}:
    parameters: [${demanded('id', 'path')}]
    get: { operationId: thing, responses: { "200": { description: OK, ${json(THING)} } } }
    patch:
      operationId: changeThing
      parameters: [${demanded('reason', 'query')}]
      requestBody: { ${json(THING)} }
      responses: { "200": { description: OK, ${json(THING)} } }
    delete:
      operationId: deleteThing
      parameters: [${demanded('reason', 'query')}]
      responses: { "204": { description: Gone } }
components:
  schemas:
    Thing: { type: object, properties: { id: { type: string }, name: { type: string } } }
`;

describe('a change that demands more than an entity has', () => {
  it.each([
    ['POST', 'Thing', { Name: 'Saw' }],
    ['PATCH', "Thing('a')", { Name: 'Saw' }],
    ['DELETE', "Thing('a')", undefined],
  ])('is none of the set: %s', async (method, resource, body) => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, { 'GET /things/a': { id: 'a', name: 'Axe' } });
    expect(await ask(resource, method, body)).toEqual([405, expect.anything()]);
    expect(lastSent()).toBeUndefined();
  });

  it('is an action, which takes it', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, {
      'POST /things?reason=spare': { id: 'b', name: 'Saw' },
    });
    const answer = await ask('AddThing', 'POST', { Reason: 'spare', Name: 'Saw' });
    expect(answer).toEqual([200, expect.objectContaining({ Id: 'b', Name: 'Saw' })]);
    expect(lastSent()).toBe('POST /things?reason=spare {"name":"Saw"}');
  });
});
