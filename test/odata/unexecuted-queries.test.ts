import { GraphQLError } from 'graphql';
import { expect, it } from 'vitest';
import { createEntitySource } from '../../src/mesh/entity-source.ts';
import { createODataEndpoint, writeODataError } from '../../src/odata/endpoint.ts';
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
  const errors = [new GraphQLError('Cannot query field "things".')];
  const source = createEntitySource({ mesh: { ...mesh, execute: async () => ({ errors }) }, model });
  const root = 'http://127.0.0.1/odata';
  const handler = createODataEndpoint({ model, source, root, answerMemoryBytes: 0 });
  const part = { path: '/odata', maxBodyBytes: 1_000, handler, errorResponse: writeODataError };
  return { ...(await runServer([part])), upstream };
}

it.each([
  ['a list', 'GET', 'Thing'],
  ['a count', 'GET', 'Thing/$count'],
  ['an entity', 'GET', 'Thing(1)'],
  ['a create', 'POST', 'Thing'],
  ['a delete', 'DELETE', 'Thing(1)'],
])(
  '%s that the mesh does not execute is a fault of the gateway, logged with its errors',
  async (_, method, path) => {
    const { url, entries, upstream } = await serveApart();
    const sent = method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } };
    const answer = await fetch(`${url}/odata/${path}`, { method, ...sent });
    const error = { code: 'InternalError', message: 'The gateway failed to answer this request.' };
    expect([answer.status, await answer.json()]).toStrictEqual([500, { error }]);
    const logged = entries().filter(({ code }) => code === 'InternalError');
    expect(JSON.stringify(logged)).toContain('Cannot query field \\"things\\".');
    expect(upstream.requests).toHaveLength(0);
  },
);
