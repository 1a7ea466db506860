import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { guardSource, permissionsOf } from '../../src/auth/permissions.ts';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import type { GatewayRequest, GatewayResponse } from '../../src/contract/exchange.ts';
import type { Principal } from '../../src/contract/principal.ts';
import { startLibraryUpstream } from '../../src/demo/library/library-upstream.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { startSampleUpstream } from '../../src/demo/sample-upstream.ts';
import { createGraphQLEndpoint } from '../../src/graphql/endpoint.ts';
import { publicSchema } from '../../src/graphql/public-schema.ts';
import { createEntitySource } from '../../src/mesh/entity-source.ts';
import { createGatewayMesh, type GatewayMesh } from '../../src/mesh/mesh.ts';
import { modelFromOpenApi } from '../../src/model/from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import {
  type Allowed,
  LIBRARY_FIELDS,
  LIBRARY_ODATA,
  type ODataCase,
  POSTS_FIELDS,
  POSTS_ODATA,
} from './matrix.cases.ts';

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

type Endpoint = (request: GatewayRequest) => Promise<GatewayResponse>;

/** Both faces of one API, as the gateway puts them together. */
interface Faces {
  readonly odata: Endpoint;
  readonly graphql: Endpoint;
  readonly schema: GraphQLSchema;
  close(): Promise<void>;
}

async function openFaces(name: string, start: () => Promise<SampleUpstream>): Promise<Faces> {
  const upstream = await start();
  const file = join(import.meta.dirname, `../../openapi/${name}.yaml`);
  const document = parse(readFileSync(file, 'utf8'));
  const { model } = modelFromOpenApi([{ name, document }]);
  const source = { name, document: file, endpoint: upstream.url, operationHeaders: {} };
  const mesh: GatewayMesh = await createGatewayMesh({
    project: { directory: '/', sources: [source] },
    documents: new Map([[name, document]]),
    log: SILENT,
  });
  const permissions = permissionsOf(model);
  const guard = (unguarded: EntitySource): EntitySource => guardSource(unguarded, permissions, model);
  return {
    odata: createODataEndpoint({
      model,
      source: guard(createEntitySource({ mesh, model })),
      guard,
      root: 'http://x/odata',
      answerMemoryBytes: 1_000_000,
    }),
    graphql: createGraphQLEndpoint({ model, schema: mesh.schema, permissions, log: SILENT }),
    schema: publicSchema(mesh.schema, model),
    async close() {
      await mesh.destroy();
      await upstream.close();
    },
  };
}

const user = (...roles: readonly string[]): Principal => ({ kind: 'user', id: roles.join(), roles });

/** The most powerful first: what was kept for them must not reach the others. */
const PRINCIPALS: Readonly<Record<string, Principal>> = {
  librarian: user('Librarian'),
  user: user('User'),
  stranger: user('constructor', 'Guest'),
  anonymous: { kind: 'anonymous' },
};

type Outcome = 'done' | 'forbidden' | 'log in' | string;
type Row = Readonly<Record<string, Outcome>>;

const ROWS: Readonly<Record<Allowed, Row>> = {
  users: { librarian: 'done', user: 'done', stranger: 'forbidden', anonymous: 'log in' },
  librarians: { librarian: 'done', user: 'forbidden', stranger: 'forbidden', anonymous: 'log in' },
  'only users': { librarian: 'forbidden', user: 'done', stranger: 'forbidden', anonymous: 'log in' },
};

/** What becomes of an attempt for each principal, one after the other. */
async function rowOf(attempt: (principal: Principal) => Promise<Outcome>): Promise<Row> {
  const row: Record<string, Outcome> = {};
  for (const [name, principal] of Object.entries(PRINCIPALS)) row[name] = await attempt(principal);
  return row;
}

function requestOf(principal: Principal, method: string, target: string, body?: unknown): GatewayRequest {
  return {
    id: 'test',
    principal,
    signal: new AbortController().signal,
    method,
    target: target.replaceAll(' ', '%20'),
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  };
}

/** The upstream may not have it, or not as it was before; that it was asked is what counts. */
function outcomeOf(status: number): Outcome {
  if (status === 401) return 'log in';
  if (status === 403) return 'forbidden';
  return status < 300 || [404, 409].includes(status) ? 'done' : `status ${status}`;
}

type Way = (odata: Endpoint, principal: Principal, call: ODataCase) => Promise<number>;

const WAYS: Readonly<Record<string, Way>> = {
  alone: async (odata, principal, [request, , body]) => {
    const [method = '', target = ''] = request.split(/ (.*)/);
    return (await odata(requestOf(principal, method, target, body))).status;
  },
  'in a batch': async (odata, principal, [request, , body]) => {
    const [method = '', target = ''] = request.split(/ (.*)/);
    const headers = { 'content-type': 'application/json' };
    const part = {
      id: '1',
      method,
      url: target.slice(1).replaceAll(' ', '%20'),
      headers,
      ...(body && { body }),
    };
    const answer = await odata(requestOf(principal, 'POST', '/$batch', { requests: [part] }));
    if (answer.status !== 200) return answer.status;
    return JSON.parse(String(answer.body)).responses[0].status;
  },
};

/** A value that the type takes: what it says does not matter, as long as it may be said. */
function literal(type: GraphQLInputType): string {
  if (isNonNullType(type)) return literal(type.ofType);
  if (isListType(type)) return `[${literal(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (isInputObjectType(type)) {
    const required = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
    return `{ ${required.map((field) => `${field.name}: ${literal(field.type)}`).join(', ')} }`;
  }
  return LITERALS[type.name] ?? '"x"';
}

const LITERALS: Readonly<Record<string, string>> = {
  Int: '1',
  Float: '1',
  BigInt: '1',
  Boolean: 'true',
  Date: '"2026-01-01"',
  DateTime: '"2026-01-01T00:00:00Z"',
  UUID: '"2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9"',
  ISBN: '"9783400000009"',
  NonNegativeInt: '1',
  PositiveInt: '1',
};

function selectionOf(field: GraphQLField<unknown, unknown>): string {
  const required = field.args.filter(({ type }) => isNonNullType(type));
  const given = required.map(({ name, type }) => `${name}: ${literal(type)}`).join(', ');
  const fields = isLeafType(getNamedType(field.type)) ? '' : ' { __typename }';
  return `${field.name}${given === '' ? '' : `(${given})`}${fields}`;
}

/** Ways to write the same selection. */
const SPELLINGS: Readonly<Record<string, (root: string, type: string, selection: string) => string>> = {
  plainly: (root, _type, selection) => `${root} { ${selection} }`,
  'under an alias': (root, _type, selection) => `${root} { __typename a: ${selection} }`,
  'in a fragment': (root, type, selection) => `${root} { ...f } fragment f on ${type} { ${selection} }`,
  'in an inline fragment': (root, type, selection) => `${root} { ... on ${type} { ${selection} } }`,
  'on a condition': (root, _type, selection) => `${root} { ... @include(if: true) { ${selection} } }`,
};

async function outcomeOfQuery(graphql: Endpoint, principal: Principal, query: string): Promise<Outcome> {
  const { body } = await graphql(requestOf(principal, 'POST', '', { query }));
  const { errors = [], data } = JSON.parse(String(body));
  const codes = errors.map(({ extensions }: { extensions?: { code?: string } }) => extensions?.code);
  if (codes.includes('Unauthorized')) return 'log in';
  if (codes.includes('Forbidden')) return data == null ? 'forbidden' : 'forbidden, but done';
  return data === undefined ? `not executed: ${errors[0]?.message}` : 'done';
}

function rootTypes(schema: GraphQLSchema): readonly (readonly [root: string, type: GraphQLObjectType])[] {
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  return [
    ...(query ? [['query', query] as const] : []),
    ...(mutation ? [['mutation', mutation] as const] : []),
  ];
}

describe.each([
  ['library', startLibraryUpstream, LIBRARY_ODATA, LIBRARY_FIELDS],
  ['posts', startSampleUpstream, POSTS_ODATA, POSTS_FIELDS],
] as const)('who may do what with the %s', (name, start, requests, fields) => {
  let faces: Faces;
  beforeAll(async () => {
    faces = await openFaces(name, () => start());
  });
  afterAll(() => faces.close());

  it.each(Object.entries(WAYS))('by OData, asked %s', async (_way, ask) => {
    const table: Record<string, Row> = {};
    for (const call of requests) {
      table[call[0]] = await rowOf(async (principal) => outcomeOf(await ask(faces.odata, principal, call)));
    }
    expect(table).toStrictEqual(Object.fromEntries(requests.map(([call, allowed]) => [call, ROWS[allowed]])));
  });

  it.each(Object.entries(SPELLINGS))('by GraphQL, asked %s', async (_spelling, spell) => {
    const table: Record<string, Row> = {};
    for (const [root, type] of rootTypes(faces.schema)) {
      for (const field of Object.values(type.getFields())) {
        const query = spell(root, type.name, selectionOf(field));
        table[field.name] = await rowOf((principal) => outcomeOfQuery(faces.graphql, principal, query));
      }
    }
    expect(table).toStrictEqual(
      Object.fromEntries(Object.entries(fields).map(([field, allowed]) => [field, ROWS[allowed]])),
    );
  });
});
