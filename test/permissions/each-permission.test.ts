import { beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { ACCESS } from '../auth/account-client.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { NOBODY, roleKeys } from '../support/role-keys.ts';
import { type Behaviour, type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const thing = { $ref: '#/components/schemas/Thing' };
const other = { $ref: '#/components/schemas/Other' };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const ok = (schema: object) => ({ 200: { description: 'OK', ...json(schema) } });
const many = { type: 'array', items: thing };
const GONE = { 204: { description: 'Done' } };
const text = { type: 'string' };
const bytes = { content: { '*/*': { schema: { type: 'string', format: 'binary' } } } };
const PERMISSIONS = ['View', 'Insert', 'Update', 'Delete', 'Call'] as const;

/** Each role has the permission that it is named after, and no other. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1' },
  servers: [{ url: 'http://localhost' }],
  'x-odata': { namespace: 'Things' },
  paths: {
    '/things': {
      get: { operationId: 'things', responses: ok(many) },
      post: { operationId: 'createThing', requestBody: json(thing), responses: { 201: ok(thing)[200] } },
    },
    '/things/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } }],
      get: { operationId: 'thing', responses: ok(thing) },
      patch: { operationId: 'changeThing', requestBody: json(thing), responses: ok(thing) },
      delete: { operationId: 'deleteThing', responses: GONE },
    },
    '/things/{id}/worth': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } }],
      get: { operationId: 'worth', 'x-odata': { function: 'Worth', bound: 'Thing' }, responses: ok(text) },
    },
    '/things/{id}/paint': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } }],
      post: { operationId: 'paint', 'x-odata': { action: 'Paint', bound: 'Thing' }, responses: GONE },
    },
    '/things/{id}/photo': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } }],
      get: { operationId: 'photo', responses: { 200: { description: 'OK', ...bytes } } },
      put: { operationId: 'putPhoto', requestBody: bytes, responses: GONE },
      delete: { operationId: 'deletePhoto', responses: GONE },
    },
    '/others': { get: { operationId: 'others', responses: ok({ type: 'array', items: other }) } },
    '/changes': {
      get: {
        operationId: 'changes',
        'x-odata': { since: 'since', next: 'state', items: 'changed', removed: 'removed' },
        parameters: [{ name: 'since', in: 'query', schema: text }],
        responses: ok({
          type: 'object',
          properties: { changed: many, removed: { type: 'array', items: { type: 'integer' } }, state: text },
        }),
      },
    },
  },
  components: {
    schemas: {
      // None of the roles may view these: what shows all entities leaves them out.
      Other: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer', format: 'int32' } },
        'x-odata': { entitySet: 'Other', key: 'id', grants: { Admin: ['View'] } },
      },
      Thing: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer', format: 'int32', readOnly: true }, name: text },
        'x-odata': {
          entitySet: 'Thing',
          changes: 'changes',
          streams: [{ name: 'Photo', get: 'photo', put: 'putPhoto', delete: 'deletePhoto' }],
          grants: Object.fromEntries(PERMISSIONS.map((permission) => [permission, [permission]])),
        },
      },
    },
  },
};

const THING = { id: 1, name: 'a' };

const behaviour: Behaviour = ({ method, target }, reply) => {
  const [path] = target.split('?');
  if (method === 'DELETE' || method === 'PUT' || path === '/things/1/paint') reply.send(204);
  else if (method === 'POST') reply.send(201, JSON.stringify(THING), { 'content-type': 'application/json' });
  else if (path === '/things') reply.json([THING]);
  else if (path === '/changes') reply.json({ changed: [THING], removed: [], state: 's1' });
  else reply.json(path === '/things/1/worth' ? 'much' : THING);
};

type Permission = (typeof PERMISSIONS)[number];

const item = (method: string, url: string, body?: object) => ({
  requests: [
    { id: '1', atomicityGroup: 'g', method, url, ...(body && { body }) },
    { id: '2', atomicityGroup: 'g', method, url, ...(body && { body }) },
  ],
});
const query = (source: string) => ['POST', '/graphql', { query: source }] as const;

const ROUTES: readonly (readonly [Permission, string, string, (object | string)?])[] = [
  ['View', 'GET', '/odata/Thing'],
  ['View', 'GET', '/odata/Thing/$count'],
  ['View', 'GET', '/odata/Thing/$ref'],
  ['View', 'GET', '/odata/Thing(1)'],
  ['View', 'GET', '/odata/Thing(1)/Name'],
  ['View', 'GET', '/odata/Thing(1)/Name/$value'],
  ['View', 'GET', '/odata/Thing(1)/Photo'],
  ['View', 'GET', '/odata/$entity?$id=Thing(1)'],
  ['View', 'GET', '/odata/$all'],
  ['View', 'GET', '/odata/$crossjoin(Thing)'],
  ['View', 'POST', '/odata/Thing/$query', '$top=1'],
  ['Insert', 'POST', '/odata/Thing', { Name: 'b' }],
  ['Insert', 'POST', '/odata/$batch', item('POST', 'Thing', { Name: 'b' })],
  ['Update', 'PATCH', '/odata/Thing(1)', { Name: 'b' }],
  ['Update', 'PUT', '/odata/Thing(1)', { Name: 'b' }],
  ['Update', 'PUT', '/odata/Thing(1)/Name', { value: 'b' }],
  ['Update', 'PUT', '/odata/Thing(1)/Photo', 'bytes'],
  ['Update', 'DELETE', '/odata/Thing(1)/Photo'],
  ['Update', 'POST', '/odata/$batch', item('PATCH', 'Thing(1)', { Name: 'b' })],
  ['Delete', 'DELETE', '/odata/Thing(1)'],
  ['Delete', 'POST', '/odata/$batch', item('DELETE', 'Thing(1)')],
  ['Call', 'GET', '/odata/Thing(1)/Things.Worth()'],
  ['Call', 'POST', '/odata/Thing(1)/Things.Paint'],
  ['View', ...query('{ things { id } }')],
  ['View', ...query('{ thing(id: 1) { id } }')],
  ['Insert', ...query('mutation { createThing(input: { name: "b" }) { id } }')],
  ['Update', ...query('mutation { updateThing(id: 1, input: { name: "b" }) { __typename } }')],
  ['Delete', ...query('mutation { deleteThing(id: 1) }')],
];

describe('of five roles with one permission each', () => {
  let upstream: StandInUpstream;
  let keys: ReadonlyMap<string, string>;
  let url = '';
  beforeAll(async () => {
    upstream = await startStandInUpstream(behaviour);
    atEndOfFile(() => upstream.close());
    const files = {
      'api.json': JSON.stringify(DOCUMENT),
      '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.json', upstream.url)}`,
    };
    const project = createProject(files, atEndOfFile);
    const environment = { ...ACCESS, DATABASE_URL: project.path('accounts.sqlite') };
    const config = readConfig({ ...environment, MESH_CONFIG: project.path('.meshrc.yaml') });
    keys = await roleKeys(config, [...PERMISSIONS, NOBODY]);
    url = (await serveProject(project, environment, atEndOfFile)).gateway.url;
  });

  /** The outcome: executed, rejected, or rejected after an upstream call. */
  async function outcome(
    role: string,
    method: string,
    path: string,
    body?: object | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const before = upstream.requests.length;
    const key = keys.get(role);
    const type = typeof body === 'string' ? 'text/plain' : 'application/json';
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': type, ...(key && { 'x-api-key': key }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const answer = await response.text();
    const calls = upstream.requests.length - before;
    if (/Your role needs|sign in/i.test(answer)) return calls === 0 ? 'refused' : 'refused too late';
    const isDone = response.ok && calls > 0 && !/"status":[45]|"errors"/.test(answer);
    return isDone ? 'done' : `${response.status} ${answer}`;
  }

  it.each(ROUTES.map(([permission, method, path, body]) => ({ permission, method, path, body })))(
    '$permission is what takes $method $path $body',
    async ({ permission, method, path, body }) => {
      const found: Record<string, string> = {};
      for (const role of [...PERMISSIONS, NOBODY, 'anonymous']) {
        found[role] = await outcome(role, method, path, body);
      }
      const expected = [...PERMISSIONS, NOBODY, 'anonymous'].map((role) => [
        role,
        role === permission ? 'done' : 'refused',
      ]);
      expect(found).toStrictEqual(Object.fromEntries(expected));
    },
  );

  it.each([
    ['Update', 'PATCH', { Name: 'b' }],
    ['Update', 'MERGE', { Name: 'b' }],
    ['Update', 'PUT', { Name: 'b' }],
    ['Delete', 'DELETE', undefined],
  ] as const)('%s is what takes a POST with X-HTTP-Method: %s', async (permission, method, body) => {
    const found: string[] = [];
    for (const role of PERMISSIONS) {
      found.push(await outcome(role, 'POST', '/odata/Thing(1)', body, { 'x-http-method': method }));
    }
    expect(found).toStrictEqual(PERMISSIONS.map((each) => (each === permission ? 'done' : 'refused')));
  });

  it('View is what takes the changes since a state', async () => {
    const headers = { 'x-api-key': keys.get('View') ?? '', prefer: 'track-changes' };
    const first = await (await fetch(`${url}/odata/Thing`, { headers })).json();
    const delta: string = first['@odata.deltaLink'];
    const path = delta.slice(url.length);
    const found: string[] = [];
    for (const role of PERMISSIONS) found.push(await outcome(role, 'GET', path));
    expect(found).toStrictEqual(['done', 'refused', 'refused', 'refused', 'refused']);
  });
});
