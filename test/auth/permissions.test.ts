import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { GatewayResponse } from '../../src/contract/exchange.ts';
import type { Principal } from '../../src/contract/principal.ts';
import { postsApi } from '../support/running-gateway.ts';
import { type Faces, openFaces, requestOf } from './faces.ts';

const DOCUMENT = parse(readFileSync(join(import.meta.dirname, '../../openapi/posts.yaml'), 'utf8'));

let faces: Faces;

/** The posts service with other grants: what a reader, a writer and everybody else may do. */
beforeAll(async () => {
  DOCUMENT.components.schemas.Post['x-odata'].grants = { Reader: ['View'], Writer: ['Insert'] };
  faces = await openFaces('Posts', DOCUMENT, postsApi);
});
afterAll(() => faces.close());

const PRINCIPALS: Readonly<Record<string, Principal>> = {
  anonymous: { kind: 'anonymous' },
  stranger: { kind: 'user', id: 's', roles: ['constructor', 'Nobody'] },
  reader: { kind: 'user', id: 'r', roles: ['Reader'] },
  writer: { kind: 'user', id: 'w', roles: ['Nobody', 'Writer'] },
  both: { kind: 'user', id: 'b', roles: ['Reader', 'Writer'] },
};

interface PermittedRequest {
  readonly ask: string;
  readonly run: (principal: Principal) => Promise<GatewayResponse>;
  /** The principals that are admitted. */
  readonly allowed: readonly string[];
}

const get = (target: string): PermittedRequest => ({
  ask: `GET ${target}`,
  run: (principal) => faces.odata(requestOf(principal, `GET ${target}`)),
  allowed: ['reader', 'both'],
});

const query = (text: string, allowed: readonly string[]): PermittedRequest => ({
  ask: text,
  run: (principal) => faces.graphql(requestOf(principal, 'POST ', { query: text })),
  allowed,
});

const REQUESTS: readonly PermittedRequest[] = [
  get('/Post'),
  get("/Post('1')"),
  get('/Post/$count'),
  {
    ask: 'POST /Post',
    run: (principal) => faces.odata(requestOf(principal, 'POST /Post', { title: 'x' })),
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

describe.each(REQUESTS)('$ask', ({ run, allowed }) => {
  it.each(Object.entries(PRINCIPALS))('asked by %s', async (name, principal) => {
    const before = faces.calls();
    const { status, body } = await run(principal);
    // A principal who may create and not view gets no representation.
    const answer = status === 204 ? {} : JSON.parse(String(body));
    const isAllowed = allowed.includes(name);
    if (isAllowed) {
      expect(status).toBeLessThan(300);
      expect(answer.errors).toBeUndefined();
    } else {
      const code = name === 'anonymous' ? 'Unauthorized' : 'Forbidden';
      expect(answer.error?.code ?? answer.errors[0].extensions.code).toBe(code);
      expect(status).toBe(name === 'anonymous' ? 401 : 403);
      expect(Object.values(answer.data ?? {}).filter((value) => value !== null)).toStrictEqual([]);
      expect(faces.calls()).toBe(before);
    }
  });
});

describe('a refusal', () => {
  it('names the field by its place in the answer and in the document', async () => {
    const { run } = query(
      '{ a: post(id: "2") { id } ...f } fragment f on Query { one: post(id: "1") { id } }',
      [],
    );
    const { body } = await run(PRINCIPALS['writer'] as Principal);
    const message = 'Your role needs the permission View on Post.';
    const extensions = { code: 'Forbidden', http: { status: 403 } };
    expect(JSON.parse(String(body))).toStrictEqual({
      data: { a: null, one: null },
      errors: [
        { message, extensions, path: ['a'], locations: [{ line: 1, column: 3 }] },
        { message, extensions, path: ['one'], locations: [{ line: 1, column: 56 }] },
      ],
    });
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
      const both = PRINCIPALS['both'] as Principal;
      const answer = await faces.graphql(requestOf(both, 'POST ', { query: text, operationName }));
      return JSON.parse(String(answer.body)).data;
    };
    for (let times = 0; times < 10; times++) {
      expect(await run('A')).toStrictEqual({ a: { id: '1' } });
      expect(await run('B')).toStrictEqual({ b: { id: '2' } });
    }
  });
});
