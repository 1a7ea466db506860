import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Faces, openFaces, requestOf, userWith } from '../auth/faces.ts';

const ANSWER = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const parameter = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const call = (operationId: string, schema: object, more: object = {}) => ({
  operationId,
  responses: ANSWER(schema),
  ...more,
});

/** Only one of the roles may call what is bound to things, and see their secrets. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  'x-odata': { namespace: 'Shop' },
  paths: {
    '/things': {
      get: { operationId: 'things', responses: ANSWER({ type: 'array', items: reference('Thing') }) },
      post: {
        operationId: 'make',
        requestBody: { content: { 'application/json': { schema: reference('Thing') } } },
        responses: ANSWER(reference('Thing')),
      },
    },
    '/things/{id}': {
      get: { operationId: 'thing', parameters: [parameter('id')], responses: ANSWER(reference('Thing')) },
    },
    '/things/{id}/weigh': {
      get: call('weigh', { type: 'integer' }, { parameters: [parameter('id')] }),
    },
    '/things/{id}/scrap': {
      post: call('scrap', { type: 'integer' }, { parameters: [parameter('id')] }),
    },
    '/things/sum': { get: call('sum', { type: 'integer' }) },
    '/things/scrapAll': { post: call('scrapAll', { type: 'integer' }) },
    '/things/{id}/secrets': {
      get: {
        operationId: 'secrets',
        parameters: [parameter('id')],
        responses: ANSWER({ type: 'array', items: reference('Secret') }),
      },
    },
    '/secrets': {
      get: { operationId: 'allSecrets', responses: ANSWER({ type: 'array', items: reference('Secret') }) },
    },
    '/secrets/{id}': {
      get: { operationId: 'secret', parameters: [parameter('id')], responses: ANSWER(reference('Secret')) },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        properties: { id: { type: 'string' } },
        'x-odata': { grants: { Clerk: ['View', 'Insert'], Boss: ['View', 'Insert', 'Call'] } },
      },
      Secret: {
        type: 'object',
        properties: { id: { type: 'string' } },
        'x-odata': { grants: { Boss: ['View'] } },
      },
    },
  },
};

let faces: Faces;
beforeAll(async () => {
  faces = await openFaces('Shop', DOCUMENT, ({ method, target }, reply) => {
    reply.json(method === 'GET' && target === '/things' ? [{ id: '1' }] : { id: '1' });
  });
});
afterAll(() => faces.close());

const FULL = '$format=application/json;odata.metadata=full';

async function namesIn(role: string, method: string, path: string): Promise<readonly string[]> {
  const call = `${method} ${path}${path.includes('?') ? '&' : '?'}${FULL}`;
  const { status, body } = await faces.odata(
    requestOf(userWith(role), call, method === 'POST' ? { Id: '1' } : undefined),
  );
  const text = String(body);
  expect([call, status]).toStrictEqual([call, method === 'POST' ? 201 : 200]);
  return ['Shop.GetWeigh', 'Shop.Scrap"', 'Shop.Sum', 'Shop.ScrapAll', 'Secrets@'].filter((name) =>
    text.includes(name),
  );
}

/** The role with the fewest links, before and after the one with all: responses may be cached. */
const ROLES = ['Clerk', 'Boss', 'Clerk', 'Clerk', 'Boss', 'Boss'];

describe('links and operations in full metadata (JSON Format, 4.5.8 to 17)', () => {
  it.each([
    ['GET', '/Thing'],
    ['GET', "/Thing('1')"],
    ['GET', '/Thing?$filter=Id%20ne%20null'],
    ['GET', "/Thing('1')?$select=*,Shop.*"],
    ['POST', '/Thing'],
  ])('are those that whoever asks may know of: %s %s', async (method, path) => {
    expect(faces.model.callables.map(({ name }) => name).sort()).toStrictEqual([
      'GetWeigh',
      'Scrap',
      'ScrapAll',
      'Sum',
    ]);
    for (const role of ROLES) {
      const names = await namesIn(role, method, path);
      expect([role, names.length > 0]).toStrictEqual([role, role === 'Boss']);
    }
  });
});
