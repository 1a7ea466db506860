import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildClientSchema,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import type { GatewayRequest } from '../../src/contract/exchange.ts';
import { type Principal, UNRESTRICTED } from '../../src/contract/principal.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';
import { startSampleUpstream } from '../../src/demo/sample-upstream.ts';
import { askGraphQL, type Faces, forwardTo, openFaces, requestOf, userWith } from './faces.ts';
import {
  type Allowed,
  LIBRARY_FIELDS,
  LIBRARY_ODATA,
  LIBRARY_RELATED,
  type ODataCase,
  POSTS_FIELDS,
  POSTS_ODATA,
} from './matrix.cases.ts';

/** The most powerful first: what was kept for them must not reach the others. */
const PRINCIPALS: Readonly<Record<string, Principal>> = {
  librarian: userWith('Librarian'),
  user: userWith('User'),
  stranger: userWith('constructor', 'Guest'),
  anonymous: { kind: 'anonymous' },
};

type Outcome = 'done' | 'forbidden' | 'sign in' | string;
type Row = Readonly<Record<string, Outcome>>;

const ROWS: Readonly<Record<Allowed, Row>> = {
  everyone: { librarian: 'done', user: 'done', stranger: 'done', anonymous: 'sign in' },
  users: { librarian: 'done', user: 'done', stranger: 'forbidden', anonymous: 'sign in' },
  librarians: { librarian: 'done', user: 'forbidden', stranger: 'forbidden', anonymous: 'sign in' },
  'only users': { librarian: 'forbidden', user: 'done', stranger: 'forbidden', anonymous: 'sign in' },
};

function rowsOf(cases: Readonly<Record<string, Allowed>>): Readonly<Record<string, Row>> {
  return Object.fromEntries(Object.entries(cases).map(([asked, allowed]) => [asked, ROWS[allowed]]));
}

/** The outcome of an attempt for each principal. Checks that rejected principals make no call. */
async function rowOf(faces: Faces, attempt: (principal: Principal) => Promise<Outcome>): Promise<Row> {
  const row: Record<string, Outcome> = {};
  for (const [name, principal] of Object.entries(PRINCIPALS)) {
    const before = faces.calls();
    const attempted = await attempt(principal);
    const calls = faces.calls() - before;
    const outcome = attempted === 'unknown' ? (calls === 0 ? 'forbidden' : 'done') : attempted;
    row[name] = outcome === 'done' || calls === 0 ? outcome : `${outcome} after ${calls} calls`;
  }
  return row;
}

/**
 * The upstream may not have it, or not take it; that it was not refused before is what counts. To those who do not see a
 * name it is unknown, without a call.
 */
function outcomeOf(status: number, call: ODataCase): Outcome {
  if (status === 401) return 'sign in';
  if (status === 403) return 'forbidden';
  if (isRead(call) && (status === 400 || status === 404)) return 'unknown';
  return status < 300 || [400, 404, 409].includes(status) ? 'done' : `status ${status}`;
}

const PICTURE = '<svg xmlns="http://www.w3.org/2000/svg"/>';
const PICTURE_TYPE = 'image/svg+xml';

function requestFor(principal: Principal, [call, , body]: ODataCase): GatewayRequest {
  if (body !== 'picture') return requestOf(principal, call, body);
  const request = requestOf(principal, call);
  return { ...request, headers: { 'content-type': PICTURE_TYPE }, body: Buffer.from(PICTURE) };
}

/** A request of a batch in JSON (OData JSON Format 4.01, 19.1). */
function partOf([call, , body]: ODataCase, others: object): object {
  const { method, target } = requestOf({ kind: 'anonymous' }, call);
  const part = { id: '1', method, url: target.slice(1), ...others };
  if (body === undefined) return part;
  if (body !== 'picture') return { ...part, headers: { 'content-type': 'application/json' }, body };
  const encoded = Buffer.from(PICTURE).toString('base64url');
  return { ...part, headers: { 'content-type': PICTURE_TYPE }, body: encoded };
}

type Way = (faces: Faces, principal: Principal, call: ODataCase) => Promise<number>;

const inBatch =
  (others: object): Way =>
  async ({ odata }, principal, call) => {
    const { status, body } = await odata(
      requestOf(principal, 'POST /$batch', { requests: [partOf(call, others)] }),
    );
    return status === 200 ? JSON.parse(String(body)).responses[0].status : status;
  };

/** Reads alone: the options stand in the body of a POST (Part 1, 11.2.1.1). */
const byQuery: Way = async ({ odata }, principal, [call]) => {
  const { target } = requestOf(principal, call);
  const [path = '', options = ''] = target.split('?');
  const request = requestOf(principal, `POST ${path}/$query`);
  const headers = { 'content-type': 'text/plain' };
  return (await odata({ ...request, headers, body: Buffer.from(options) })).status;
};

const isRead = ([call]: ODataCase): boolean => call.startsWith('GET ');

const WAYS: readonly (readonly [string, Way, (call: ODataCase) => boolean])[] = [
  [
    'alone',
    async ({ odata }, principal, call) => (await odata(requestFor(principal, call))).status,
    () => true,
  ],
  ['in a batch', inBatch({}), () => true],
  ['in a change set', inBatch({ atomicityGroup: 'g' }), (call) => !isRead(call)],
  ['by $query', byQuery, (call) => isRead(call) && !call[0].includes('/$entity')],
];

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
  Decimal: '1',
  Float: '1',
  Long: '1',
  Boolean: 'true',
  Date: '"2026-01-01"',
  Duration: '"PT1H"',
  DateTime: '"2026-01-01T00:00:00Z"',
  UUID: '"2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9"',
  ID: '1',
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

async function outcomeOfQuery(faces: Faces, principal: Principal, query: string): Promise<Outcome> {
  const { errors = [], data } = await askGraphQL(faces, principal, query);
  const codes = errors.map(({ extensions }: { extensions?: { code?: string } }) => extensions?.code);
  if (codes.includes('Unauthorized')) return 'sign in';
  if (codes.includes('Forbidden')) return isNothing(data) ? 'forbidden' : 'forbidden, but done';
  return data === undefined ? `not executed: ${errors[0]?.message}` : 'done';
}

/** A field that was refused is null, and so is what may not be without it. */
function isNothing(data: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return Object.entries(data ?? {}).every(([name, value]) => name === '__typename' || value === null);
}

async function wholeSchema(faces: Faces): Promise<GraphQLSchema> {
  const { data } = await askGraphQL(faces, UNRESTRICTED, getIntrospectionQuery());
  return buildClientSchema(data);
}

function rootTypes(schema: GraphQLSchema): readonly (readonly [root: string, type: GraphQLObjectType])[] {
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()];
  return [
    ...(query ? [['query', query] as const] : []),
    ...(mutation ? [['mutation', mutation] as const] : []),
  ];
}

describe.each([
  [
    'library',
    'examples/library/openapi/library.yaml',
    startLibraryUpstream,
    LIBRARY_ODATA,
    LIBRARY_FIELDS,
    LIBRARY_RELATED,
  ],
  ['posts', 'openapi/posts.yaml', startSampleUpstream, POSTS_ODATA, POSTS_FIELDS, {}],
] as const)('who may do what with the %s', (name, document, start, requests, fields, related) => {
  let upstream: SampleUpstream;
  let faces: Faces;
  beforeAll(async () => {
    upstream = await start();
    const file = join(import.meta.dirname, '../..', document);
    faces = await openFaces(name, parse(readFileSync(file, 'utf8')), forwardTo(upstream.url));
  });
  afterAll(async () => {
    await faces.close();
    await upstream.close();
  });

  it.each(WAYS)('by OData, asked %s', async (_way, ask, isAskedSo) => {
    const cases = requests.filter(isAskedSo);
    const table: Record<string, Row> = {};
    for (const call of cases) {
      table[call[0]] = await rowOf(faces, async (principal) =>
        outcomeOf(await ask(faces, principal, call), call),
      );
    }
    expect(table).toStrictEqual(rowsOf(Object.fromEntries(cases)));
  });

  it.each(Object.entries(SPELLINGS))('by GraphQL, asked %s', async (_spelling, spell) => {
    const table: Record<string, Row> = {};
    for (const [root, type] of rootTypes(await wholeSchema(faces))) {
      for (const field of Object.values(type.getFields())) {
        const query = spell(root, type.name, selectionOf(field));
        table[field.name] = await rowOf(faces, (principal) => outcomeOfQuery(faces, principal, query));
      }
    }
    for (const selection of Object.keys(related)) {
      const query = spell('query', 'Query', selection);
      table[selection] = await rowOf(faces, (principal) => outcomeOfQuery(faces, principal, query));
    }
    expect(table).toStrictEqual(rowsOf({ ...fields, ...related }));
  });
});
