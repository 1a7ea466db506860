import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { guardSource, permissionsOf } from '../../src/auth/permissions.ts';
import type { GatewayRequest, GatewayResponse } from '../../src/contract/exchange.ts';
import type { Principal } from '../../src/contract/principal.ts';
import { createGraphQLEndpoint } from '../../src/graphql/endpoint.ts';
import { createEntitySource } from '../../src/mesh/entity-source.ts';
import { createGatewayMesh, type GatewayMesh } from '../../src/mesh/mesh.ts';
import { modelFromOpenApi } from '../../src/model/from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { postsApi } from '../support/running-gateway.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';

const DOCUMENT = join(import.meta.dirname, '../../openapi/posts.yaml');
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

type Endpoint = (request: GatewayRequest) => Promise<GatewayResponse>;

let upstream: StandInUpstream;
let mesh: GatewayMesh;
let odata: Endpoint;
let graphql: Endpoint;

/** The posts service with other grants: what a reader, a writer and everybody else may do. */
beforeAll(async () => {
  upstream = await startStandInUpstream(postsApi);
  const document = parse(readFileSync(DOCUMENT, 'utf8'));
  document.components.schemas.Post['x-odata'].grants = { Reader: ['View'], Writer: ['Insert'] };
  const { model } = modelFromOpenApi([{ name: 'Posts', document }]);
  const source = { name: 'Posts', document: DOCUMENT, endpoint: upstream.url, operationHeaders: {} };
  mesh = await createGatewayMesh({
    project: { directory: '/', sources: [source] },
    documents: new Map([['Posts', document]]),
    log: SILENT,
  });
  const permissions = permissionsOf(model);
  const entities = guardSource(createEntitySource({ mesh, model }), permissions, model);
  odata = createODataEndpoint({
    model,
    source: entities,
    root: 'http://x/odata',
    answerMemoryBytes: 1_000_000,
  });
  graphql = createGraphQLEndpoint({ model, schema: mesh.schema, permissions, log: SILENT });
});

afterAll(async () => {
  await mesh.destroy();
  await upstream.close();
});

beforeEach(() => upstream.behave(postsApi));

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  anonymous: { kind: 'anonymous' },
  stranger: { kind: 'user', id: 's', roles: ['constructor', 'Nobody'] },
  reader: { kind: 'user', id: 'r', roles: ['Reader'] },
  writer: { kind: 'user', id: 'w', roles: ['Nobody', 'Writer'] },
  both: { kind: 'user', id: 'b', roles: ['Reader', 'Writer'] },
};

function request(principal: Principal, method: string, target: string, body?: string): GatewayRequest {
  return {
    id: 'test',
    principal,
    signal: new AbortController().signal,
    method,
    target,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? undefined : Buffer.from(body),
  };
}

interface Asked {
  readonly ask: string;
  readonly run: (principal: Principal) => Promise<GatewayResponse>;
  /** Who gets an answer. */
  readonly allowed: readonly string[];
}

const get = (target: string): Asked => ({
  ask: `GET ${target}`,
  run: (principal) => odata(request(principal, 'GET', target)),
  allowed: ['reader', 'both'],
});

const query = (text: string, allowed: readonly string[]): Asked => ({
  ask: text,
  run: (principal) => graphql(request(principal, 'POST', '', JSON.stringify({ query: text }))),
  allowed,
});

const ASKED: readonly Asked[] = [
  get('/Post'),
  get("/Post('1')"),
  get('/Post/$count'),
  {
    ask: 'POST /Post',
    run: (principal) => odata(request(principal, 'POST', '/Post', '{"title":"x"}')),
    allowed: ['writer', 'both'],
  },
  query('{ posts { id } }', ['reader', 'both']),
  query('{ post(id: "1") { id } }', ['reader', 'both']),
  query('{ a: posts { id } }', ['reader', 'both']),
  query('query { ...f } fragment f on Query { posts { id } }', ['reader', 'both']),
  query('{ ... on Query { posts { id } } }', ['reader', 'both']),
  query('{ posts @include(if: true) { id } }', ['reader', 'both']),
  query('mutation { createPost(input: { title: "x" }) { id } }', ['writer', 'both']),
  query('mutation { a: createPost(input: { title: "x" }) { id } }', ['writer', 'both']),
  query('{ __typename }', ['stranger', 'reader', 'writer', 'both']),
];

describe.each(ASKED)('$ask', ({ run, allowed }) => {
  it.each(Object.entries(PRINCIPALS))('asked by %s', async (name, principal) => {
    const before = upstream.requests.length;
    const { status, body } = await run(principal);
    const answer = JSON.parse(String(body));
    const isAllowed = allowed.includes(name);
    if (isAllowed) {
      expect(status).toBeLessThan(300);
      expect(answer.errors).toBeUndefined();
    } else {
      const code = name === 'anonymous' ? 'Unauthorized' : 'Forbidden';
      expect(answer.error?.code ?? answer.errors[0].extensions.code).toBe(code);
      expect(status).toBe(name === 'anonymous' ? 401 : 403);
      expect(answer.data ?? undefined).toBeUndefined();
      expect(upstream.requests.length).toBe(before);
    }
  });
});

describe('a document that is asked again and again', () => {
  it('is refused to whom it is not open, however often it was answered to others', async () => {
    const { run } = query('{ posts { id title } }', []);
    for (let times = 0; times < 10; times++)
      expect((await run(PRINCIPALS['both'] as Principal)).status).toBe(200);
    for (const name of ['anonymous', 'stranger', 'writer']) {
      expect((await run(PRINCIPALS[name] as Principal)).status).toBeGreaterThan(400);
    }
    expect((await run(PRINCIPALS['both'] as Principal)).status).toBe(200);
  });

  it('runs the operation that is named', async () => {
    const text = 'query A { a: post(id: "1") { id } } query B { b: post(id: "2") { id } }';
    const run = async (operationName: string) => {
      const body = JSON.stringify({ query: text, operationName });
      const answer = await graphql(request(PRINCIPALS['both'] as Principal, 'POST', '', body));
      return JSON.parse(String(answer.body)).data;
    };
    for (let times = 0; times < 10; times++) {
      expect(await run('A')).toStrictEqual({ a: { id: 1 } });
      expect(await run('B')).toStrictEqual({ b: { id: 2 } });
    }
  });
});
