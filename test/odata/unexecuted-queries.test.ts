import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { createODataEndpoint, writeODataError } from '../../src/odata/endpoint.ts';
import { createEntitySource } from '../../src/source/entity-source.ts';
import { openDocument } from '../mesh/document-scene.ts';
import { runServer } from '../server/running-server.ts';

const PATHS = `
/things:
  get: { operationId: things, responses: { 200: { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Thing' } } } } } } }
  post: { operationId: addThing, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }, responses: { 201: { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } } } }
/things/{id}:
  get: { operationId: thing, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { 200: { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } } } }
  delete: { operationId: removeThing, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { 204: { description: x } } }
`;
const SCHEMAS = 'Thing: { type: object, properties: { id: { type: integer }, name: { type: string } } }';

/** Answers by a mesh whose schema is not that which the queries were made for. */
async function serveApart() {
  const { mesh, model, upstream } = await openDocument(PATHS, SCHEMAS, (_, reply) => reply.json([]));
  const schema = buildSchema('type Query { other: Int } type Mutation { other: Int }');
  const fieldOf: typeof mesh.fieldOf = (operation) => ({ ...mesh.fieldOf(operation), schema });
  const source = createEntitySource({ mesh: { ...mesh, fieldOf }, model });
  const root = 'http://127.0.0.1/odata';
  const handler = createODataEndpoint({ model, source, root, answerMemoryBytes: 0 });
  const part = { path: '/odata', maxBodyBytes: 1_000, handler, errorResponse: writeODataError };
  return { ...(await runServer([part])), upstream };
}

const UNKNOWN_TYPE = 'Variable \\"$id\\" expected value of type \\"BigInt!\\"';

it.each([
  ['a list', 'GET', 'Thing', 'things: it says no error'],
  ['a count', 'GET', 'Thing/$count', 'things: it says no error'],
  ['an entity', 'GET', 'Thing(1)', `thing: ${UNKNOWN_TYPE}`],
  ['a create', 'POST', 'Thing', 'addThing: it says no error'],
  ['a delete', 'DELETE', 'Thing(1)', `removeThing: ${UNKNOWN_TYPE}`],
])(
  '%s that the mesh does not execute is a fault of the gateway, logged with what GraphQL says of it',
  async (_, method, path, said) => {
    const { url, entries, upstream } = await serveApart();
    const sent = method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`${url}/odata/${path}`, { method, ...sent });
    const error = { code: 'InternalError', message: 'The gateway failed to answer this request.' };
    expect([answer.status, await answer.json()]).toStrictEqual([500, { error }]);
    const logged = entries().filter(({ code }) => code === 'InternalError');
    expect(JSON.stringify(logged)).toContain(`The mesh did not execute ${said}`);
    expect(upstream.requests).toHaveLength(0);
  },
);
