import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { permissionsOf } from '../../src/auth/permissions.ts';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import { createGraphQLEndpoint } from '../../src/graphql/endpoint.ts';
import { createGatewayMesh } from '../../src/mesh/mesh.ts';
import { modelFromOpenApi } from '../../src/model/from-openapi.ts';
import { answer } from '../mesh/document-scene.ts';
import { type Behaviour, startStandInUpstream } from '../support/stand-in-upstream.ts';

const LOG = { debug() {}, info() {}, warn() {}, error() {} };

/** Asks the GraphQL endpoint before a document with those paths; says what the upstream was sent, too. */
async function openPaths(paths: string, behaviour: Behaviour) {
  const upstream = await startStandInUpstream(behaviour);
  const document = { openapi: '3.1.0', info: { title: 'Api', version: '1' }, paths: parse(paths) };
  const { model } = modelFromOpenApi([{ name: 'Api', document }]);
  const source = { name: 'Api', document: '', endpoint: upstream.url, operationHeaders: {} };
  const mesh = await createGatewayMesh({
    project: { directory: '/', sources: [source] },
    documents: new Map([['Api', document]]),
    log: LOG,
  });
  onTestFinished(async () => {
    await mesh.destroy();
    await upstream.close();
  });
  const endpoint = createGraphQLEndpoint({
    model,
    schema: mesh.schema,
    permissions: permissionsOf(model),
    log: LOG,
  });
  const ask = async (query: string, variables?: object) => {
    const { body } = await endpoint({
      id: 'test',
      principal: UNRESTRICTED,
      signal: new AbortController().signal,
      method: 'POST',
      target: '/',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ query, variables })),
    });
    return JSON.parse(String(body));
  };
  return { ask, sent: () => upstream.requests.map(({ body }) => body.toString()) };
}

/** Schema; JSON of the upstream; what GraphQL shows. */
const VALUES: readonly (readonly [schema: string, upstream: string, shown: unknown])[] = [
  ['{ type: integer, format: int64 }', '9007199254740991', 9007199254740991],
  ['{ type: integer, format: int64 }', '9007199254740993', '9007199254740993'],
  ['{ type: integer, format: int64 }', '-9223372036854775808', '-9223372036854775808'],
  ['{ type: string, format: date }', '"2024-02-29"', '2024-02-29'],
  ['{ type: string, format: date-time }', '"2024-02-29T12:00:00Z"', '2024-02-29T12:00:00Z'],
  [
    '{ type: string, format: date-time }',
    '"2024-02-29T12:00:00.123456+02:00"',
    '2024-02-29T12:00:00.123456+02:00',
  ],
  ['{ type: string, format: time }', '"07:30:00"', '07:30:00'],
  ['{ type: string, format: time }', '"07:30"', '07:30'],
  ['{ type: string, format: time }', '"07:30:00.5+02:00"', '07:30:00.5+02:00'],
  ['{ type: string, format: byte }', '"+/8="', '+/8='],
  [
    '{ type: string, format: uuid }',
    '"2a5e5c70-9c59-4fee-8e0a-ce9d4321cab9"',
    '2a5e5c70-9c59-4fee-8e0a-ce9d4321cab9',
  ],
  ['{ type: number, format: decimal }', '8.90', 8.9],
];

describe('a value', () => {
  it.each(VALUES)('of %s, %s, is shown as it is, and sent as it was shown', async (schema, text, shown) => {
    const object = `{ type: object, properties: { v: ${schema} } }`;
    const { ask, sent } = await openPaths(
      `/f: { get: { operationId: f, responses: ${answer(object)} }, post: { operationId: g, requestBody: { content: { application/json: { schema: ${object} } } }, responses: ${answer(object)} } }`,
      (_, reply) => reply.send(200, `{"v":${text}}`),
    );
    // Documents that come again are compiled.
    for (let times = 0; times < 8; times += 1) {
      expect(await ask('{ f { v } }')).toEqual({ data: { f: { v: shown } } });
    }
    const created = await ask('mutation($input: G_Input) { g(input: $input) { v } }', {
      input: { v: shown },
    });
    expect(created).toEqual({ data: { g: { v: shown } } });
    const literal = await ask(`mutation { g(input: { v: ${JSON.stringify(shown)} }) { v } }`);
    expect(literal).toEqual({ data: { g: { v: shown } } });
    const body = `{"v":${text === '8.90' ? '8.9' : text}}`;
    expect(sent().slice(-2)).toEqual([body, body]);
  });

  it.each([
    ['integer, format: int64', 2 ** 53, /beyond 2\^53 is sent as a text/],
    ['integer, format: int64', '1.5', /BigInt cannot be "1\.5"/],
    ['string, format: date', '2024-02-30', /2024-02-30/],
    ['string, format: date', 20240229, /Date is a text, found a value of type number/],
    ['string, format: date-time', '2024-02-29', /2024-02-29/],
    ['string, format: time', '24:00', /Time cannot be "24:00"/],
  ])('of %s that is none is refused: %j', async (schema, value, message) => {
    const { ask, sent } = await openPaths(
      `/f: { get: { operationId: f, parameters: [{ name: v, in: query, schema: { type: ${schema} } }], responses: ${answer('{ type: string }')} } }`,
      (_, reply) => reply.json('x'),
    );
    const types: Readonly<Record<string, string>> = {
      int64: 'BigInt',
      date: 'Date',
      'date-time': 'DateTime',
      time: 'Time',
    };
    const type = types[schema.split(' ').at(-1) ?? ''];
    const { errors } = await ask(`query($v: ${type}) { f(v: $v) }`, { v: value });
    expect(errors[0].message).toMatch(message);
    expect(sent()).toEqual([]);
  });
});

describe('a literal', () => {
  it('that is none of its type is shown where it is', async () => {
    const { ask } = await openPaths(
      `/f: { get: { operationId: f, parameters: [{ name: v, in: query, schema: { type: integer, format: int64 } }], responses: ${answer('{ type: string }')} } }`,
      (_, reply) => reply.json('x'),
    );
    const at = { locations: [{ line: 1, column: 8 }], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } };
    expect(await ask('{ f(v: "x") }')).toEqual({ errors: [{ message: 'BigInt cannot be "x".', ...at }] });
    expect(await ask('{ f(v: 1.5) }')).toEqual({
      errors: [{ message: 'BigInt cannot be written as FloatValue.', ...at }],
    });
  });
});

describe('an answer that is not JSON', () => {
  it.each([
    ['image/png', Uint8Array.of(0x89, 0x50, 0x00, 0xff), 'iVAA/w=='],
    ['application/octet-stream', Uint8Array.of(1, 2, 3), 'AQID'],
    ['image/svg+xml', Buffer.from('<svg/>'), '<svg/>'],
    ['text/csv', Buffer.from('a,b'), 'a,b'],
  ])('of %s is shown whole', async (media, bytes, shown) => {
    const { ask } = await openPaths(
      `/f: { get: { operationId: f, responses: { '200': { description: x, content: { ${media}: {} } } } } }`,
      (_, reply) => reply.send(200, bytes, { 'content-type': media }),
    );
    expect(await ask('{ f }')).toEqual({ data: { f: shown } });
  });
});
