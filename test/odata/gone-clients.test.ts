import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import {
  type ReceivedRequest,
  type StandInUpstream,
  startStandInUpstream,
} from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';

const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = (schema: object) => ({
  200: { description: 'ok', content: { 'application/json': { schema } } },
});
const listOf = (name: string) => answer({ type: 'array', items: $ref(name) });
const integer = { type: 'integer' };
const path = (name: string) => ({ name, in: 'path', required: true, schema: integer });
const schema = { type: 'object', required: ['id'], properties: { id: integer, size: integer } };

/** Shelves that contain boxes and have a label, and toys that come in pages. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shelves', version: '1' },
  paths: {
    '/shelves': {
      get: { operationId: 'shelves', responses: listOf('Shelf') },
      post: {
        operationId: 'createShelf',
        requestBody: { content: { 'application/json': { schema: $ref('Shelf') } } },
        responses: { 201: answer($ref('Shelf'))[200] },
      },
    },
    '/shelves/{id}': {
      parameters: [path('id')],
      get: { operationId: 'shelf', responses: answer($ref('Shelf')) },
    },
    '/shelves/{id}/boxes': {
      parameters: [path('id')],
      get: { operationId: 'boxes', responses: listOf('Box') },
    },
    '/shelves/{id}/boxes/{box_id}': {
      parameters: [path('id'), path('box_id')],
      get: { operationId: 'box', responses: answer($ref('Box')) },
    },
    '/toys': {
      get: {
        operationId: 'toys',
        parameters: [
          { name: 'page', in: 'query', schema: { ...integer, default: 1 } },
          { name: 'limit', in: 'query', schema: { ...integer, maximum: 10 } },
        ],
        responses: answer({
          type: 'object',
          properties: { total: integer, items: { type: 'array', items: $ref('Toy') } },
        }),
      },
    },
    '/toys/{id}': {
      parameters: [path('id')],
      get: { operationId: 'toy', responses: answer($ref('Toy')) },
    },
    '/report': {
      get: {
        operationId: 'report',
        responses: { 200: { description: 'ok', content: { 'application/pdf': {} } } },
      },
    },
  },
  components: { schemas: { Shelf: schema, Box: schema, Toy: schema } },
};

const rows = (first: number) => Array.from({ length: 10 }, (_, index) => ({ id: first + index, size: 1 }));
const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const requests = ['Shelf(1)', 'Shelf(2)', 'Shelf(3)', 'Shelf(4)'].map((url, id) => ({
  id: `${id}`,
  method: 'GET',
  url,
}));
const multipart: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'multipart/mixed; boundary=b' },
  body: `${requests
    .map(({ url }) => `--b\r\ncontent-type: application/http\r\n\r\nGET ${url} HTTP/1.1\r\n\r\n\r\n`)
    .join('')}--b--\r\n`,
};

/** A request, and how many of its calls are made at once: two have a place, others wait. */
const KINDS: readonly (readonly [kind: string, path: string, calls: number, init?: RequestInit])[] = [
  ['an entity', '/odata/Shelf(1)', 1],
  ['a list in pages', '/odata/Toy?$orderby=Size', 2],
  ['a list in pages as CSV', '/odata/Toy?$format=csv', 2],
  ['$count of a list in pages', '/odata/Toy/$count?$filter=Size gt 0', 2],
  ['$apply over a list in pages', '/odata/Toy?$apply=aggregate(Size with sum as Sum)', 2],
  ['$expand', '/odata/Shelf?$expand=Boxes', 2],
  ['$filter by contained entities', '/odata/Shelf?$filter=Boxes/any(b:b/Size gt 0)', 2],
  ['$crossjoin', '/odata/$crossjoin(Shelf,Toy)', 2],
  ['a stream', '/odata/Report()', 1],
  ['a create', '/odata/Shelf', 1, json({ Id: 1 })],
  ['a batch in JSON', '/odata/$batch', 2, json({ requests })],
  ['a multipart batch', '/odata/$batch', 2, multipart],
  ['related lists in GraphQL', '/graphql', 2, json({ query: '{ shelves { id boxes { id } } }' })],
  ['a list in pages in GraphQL', '/graphql', 2, json({ query: '{ toys { id } }' })],
];

describe('a client that goes away', () => {
  let upstream: StandInUpstream;
  let url: string;
  let withheld: ReceivedRequest[];
  beforeAll(async () => {
    upstream = await startStandInUpstream();
    atEndOfFile(() => upstream.close());
    const project = createProject(
      {
        'shelves.json': JSON.stringify(DOCUMENT),
        '.meshrc.yaml': `sources:\n${sourceOf('Shelves', './shelves.json', upstream.url)}`,
      },
      atEndOfFile,
    );
    const environment = {
      UPSTREAM_CONNECTIONS: '2',
      UPSTREAM_TIMEOUT_MS: '60000',
      UPSTREAM_QUEUE_MS: '60000',
    };
    const { gateway } = await serveProject(project, environment, atEndOfFile);
    url = gateway.url;
  });
  beforeEach(() => {
    withheld = [];
    upstream.behave((request, reply) => {
      const [pathname = '', query] = request.target.split('?');
      const page = Number(new URLSearchParams(query).get('page') ?? 1);
      if (pathname === '/shelves' && request.method === 'GET') reply.json(rows(1));
      else if (pathname === '/toys' && page < 3) reply.json({ total: 100, items: rows(page * 10 - 9) });
      else withheld.push(request);
    });
  });
  afterEach(() => upstream.behave((_, reply) => reply.json([])));

  it.each(KINDS.map(([kind, target, calls, init = {}]) => [kind, target, calls, init] as const))(
    'has the calls for %s ended, and no more made',
    async (_, target, calls, init) => {
      const client = new AbortController();
      const answering = fetch(`${url}${target}`, { ...init, signal: client.signal });
      const outcome = answering.then((response) => response.text()).catch(() => 'gone');
      await expect.poll(() => withheld.length).toBe(calls);
      const before = upstream.requests.length;
      client.abort();
      expect(await outcome).toBe('gone');
      await Promise.all(withheld.map(({ closed }) => closed));
      // This call waits behind those that others would still make.
      upstream.behave((_, reply) => reply.json({ id: 7 }));
      expect((await fetch(`${url}/odata/Toy(7)`)).status).toBe(200);
      expect(upstream.requests.slice(before).map(({ target }) => target)).toEqual(['/toys/7']);
    },
  );
});
