import { describe, expect, it, onTestFinished } from 'vitest';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import type { Value } from '../../src/contract/row.ts';
import type { GatewayMesh } from '../../src/mesh/mesh.ts';
import type { EntitySet, PrimitiveTypeName } from '../../src/model/edm.ts';
import type { JsonType } from '../../src/model/type-use.ts';
import { createEntitySource } from '../../src/source/entity-source.ts';
import { entityTypeOf, listOf, modelOf, primitiveProperty, readOf } from '../support/model.ts';
import { type Behaviour, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createGatewayMesh } from './gateway-mesh.ts';
import { callContext, failureOf, recordingLog } from './support.ts';

interface ValueSchema {
  readonly type?: JsonType;
  readonly enum?: readonly (string | number)[];
  readonly [keyword: string]: unknown;
}

interface ThingScene {
  readonly mesh: GatewayMesh;
  readonly source: EntitySource;
  readonly set: EntitySet;
}

/** Serves things with one property `value` of that JSON schema and EDM type, in a list below `items`. */
async function openThings(
  schema: ValueSchema,
  type: PrimitiveTypeName,
  behaviour: Behaviour,
  keySchema: object = INTEGER,
): Promise<ThingScene> {
  const upstream = await startStandInUpstream(behaviour);
  const things = { name: 'Things', document: '', endpoint: upstream.url, operationHeaders: {} };
  const mesh = await createGatewayMesh({
    project: { directory: '/', sources: [things] },
    documents: new Map([['Things', thingsDocument(schema, keySchema)]]),
    log: recordingLog([]),
  });
  onTestFinished(async () => {
    await mesh.destroy();
    await upstream.close();
  });
  const set = thingSet(type, schema);
  return { mesh, source: createEntitySource({ mesh, model: modelOf('Things', [set]) }), set };
}

function thingsDocument(value: object, keySchema: object): object {
  const answer = (schema: object) => ({
    200: { description: 'x', content: { 'application/json': { schema } } },
  });
  const list = {
    type: 'object',
    properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Thing' } } },
  };
  const id = { name: 'thing-id', in: 'path', required: true, schema: keySchema };
  return {
    openapi: '3.1.0',
    'x-odata': { strict: true },
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': { get: { operationId: 'things', responses: answer(list) } },
      '/things/{thing-id}': {
        get: {
          operationId: 'thing',
          parameters: [id],
          responses: answer({ $ref: '#/components/schemas/Thing' }),
        },
      },
    },
    components: { schemas: { Thing: { type: 'object', properties: { 'the-value': value } } } },
  };
}

function thingSet(edmType: PrimitiveTypeName, schema: ValueSchema): EntitySet {
  const { type, enum: allowedValues } = schema;
  const upstreamTypes = type === undefined ? [] : [type];
  const plain = primitiveProperty('Größe', edmType, 'the-value');
  const property = { ...plain, upstreamTypes, facets: { allowedValues } };
  return {
    name: 'Thing',
    entityType: entityTypeOf('Things', 'Thing', [property]),
    list: { id: 'things', parameters: [], wrappedIn: ['items'] },
    read: { id: 'thing', parameters: [{ name: 'thing_id', property: 'Id' }] },
    insert: undefined,
    grants: new Map(),
  };
}

const INTEGER: ValueSchema = { type: 'integer', format: 'int32' };
const LONG: ValueSchema = { type: 'integer', format: 'int64' };
const NUMBER: ValueSchema = { type: 'number' };
const STRING: ValueSchema = { type: 'string' };
const BOOLEAN: ValueSchema = { type: 'boolean' };
const format = (name: string): ValueSchema => ({ type: 'string', format: name });

/** JSON schema, EDM type, the upstream's JSON, and the value; undefined where it is refused. */
const VALUES: readonly (readonly [ValueSchema, PrimitiveTypeName, string, Value | undefined])[] = [
  [INTEGER, 'Edm.Int32', '2147483647', 2147483647],
  [INTEGER, 'Edm.Int32', '-2147483648', -2147483648],
  [INTEGER, 'Edm.Int32', '2147483648', undefined],
  [INTEGER, 'Edm.Int32', '1.0', 1],
  [INTEGER, 'Edm.Int32', '"1"', undefined],
  [INTEGER, 'Edm.Int32', 'null', null],
  [INTEGER, 'Edm.String', '7', '7'],
  [INTEGER, 'Edm.Byte', '255', 255],
  [INTEGER, 'Edm.Byte', '256', undefined],
  [INTEGER, 'Edm.SByte', '-129', undefined],
  [INTEGER, 'Edm.Int16', '32768', undefined],
  [INTEGER, 'Edm.Double', '3', 3],
  [INTEGER, 'Edm.Boolean', '1', undefined],
  [LONG, 'Edm.Int64', '9007199254740991', 9007199254740991],
  [LONG, 'Edm.Int64', '9007199254740993', 9007199254740993n],
  [LONG, 'Edm.Int64', '-9223372036854775808', -(2n ** 63n)],
  [LONG, 'Edm.Int64', '9223372036854775808', undefined],
  [LONG, 'Edm.Int64', '"42"', 42],
  [LONG, 'Edm.Int64', '"9007199254740993"', 9007199254740993n],
  [LONG, 'Edm.Int64', '1.5', undefined],
  [LONG, 'Edm.Int64', '1e30', undefined],
  [LONG, 'Edm.String', '9007199254740993', '9007199254740993'],
  [NUMBER, 'Edm.Double', '0.1', 0.1],
  [NUMBER, 'Edm.Double', '1e400', undefined],
  [NUMBER, 'Edm.Double', '"1"', undefined],
  [NUMBER, 'Edm.Decimal', '10.25', 10.25],
  [NUMBER, 'Edm.Int32', '10.5', undefined],
  [STRING, 'Edm.Decimal', '"10.250"', '10.250'],
  [STRING, 'Edm.Decimal', '"ten"', undefined],
  [BOOLEAN, 'Edm.Boolean', 'true', true],
  [BOOLEAN, 'Edm.Boolean', '"true"', undefined],
  [BOOLEAN, 'Edm.Boolean', '0', undefined],
  [STRING, 'Edm.String', '"a\\u0000\\ud800"', 'a\0\ud800'],
  [STRING, 'Edm.String', '["a"]', undefined],
  [STRING, 'Edm.Date', '"2024-02-29"', '2024-02-29'],
  [STRING, 'Edm.Date', '"today"', undefined],
  [format('date'), 'Edm.Date', '"2024-02-29"', '2024-02-29'],
  [format('date'), 'Edm.Date', '"2024-02-30"', undefined],
  [format('date-time'), 'Edm.DateTimeOffset', '"2024-02-29T12:00:00.123456Z"', '2024-02-29T12:00:00.123456Z'],
  [format('date-time'), 'Edm.DateTimeOffset', '"2024-02-29T12:00:00+02:00"', '2024-02-29T12:00:00+02:00'],
  [format('date-time'), 'Edm.DateTimeOffset', '"2024-02-29"', undefined],
  [format('date-time'), 'Edm.DateTimeOffset', '1709208000', undefined],
  [format('time'), 'Edm.TimeOfDay', '"noon"', undefined],
  [format('duration'), 'Edm.Duration', '"P1DT2H"', 'P1DT2H'],
  [format('duration'), 'Edm.Duration', '"1 day"', undefined],
  [
    format('uuid'),
    'Edm.Guid',
    '"00000000-0000-4000-8000-000000000000"',
    '00000000-0000-4000-8000-000000000000',
  ],
  [format('uuid'), 'Edm.Guid', '"1"', undefined],
  [format('byte'), 'Edm.Binary', '"+/8="', '-_8='],
  // What bounds values within their type is the upstream's to enforce.
  [{ type: 'string', maxLength: 3 }, 'Edm.String', '"abcd"', 'abcd'],
  [{ type: 'string', pattern: '^a$' }, 'Edm.String', '"b"', 'b'],
  [{ type: 'string', enum: ['B c', 'd'] }, 'Edm.String', '"B c"', 'B c'],
  [{ type: 'string', enum: ['B c', 'd'] }, 'Edm.String', '"B_c"', undefined],
  [{ type: 'integer', format: 'int32', minimum: 0 }, 'Edm.Int32', '-5', -5],
  [{}, 'Edm.String', '"any"', 'any'],
  [{}, 'Edm.String', '{}', undefined],
];

describe('a value', () => {
  it.each(VALUES)('of %j as %s: %s is %s', async (schema, type, json, expected) => {
    const { source, set } = await openThings(schema, type, (_, reply) =>
      reply.send(200, `{"items":[{"the-value":${json}}]}`),
    );
    const read = source.readCollection(listOf(set, ['Größe']), callContext());
    if (expected === undefined) expect((await failureOf(read)).code).toBe('UpstreamBadResponse');
    else expect((await read).data).toEqual([{ Größe: expected }]);
  });
});

describe('a wrapped list', () => {
  const things = (text: string) => openThings(INTEGER, 'Edm.Int32', (_, reply) => reply.send(200, text));
  const read = ({ source, set }: ThingScene) => source.readCollection(listOf(set, ['Größe']), callContext());

  it('is recognised when it has not changed', async () => {
    const scene = await things('{"items":[{"The-Value":1}],"total":1}');
    expect((await read(scene)).data).toEqual([{ Größe: 1 }]);
    expect((await read(scene)).data).toBe((await read(scene)).data);
  });

  it.each(['[]', '{}', '{"items":null}', '{"items":{}}', '{"items":[null]}'])(
    'that is %s is refused',
    async (text) => {
      expect((await failureOf(read(await things(text)))).code).toBe('UpstreamBadResponse');
    },
  );
});

describe('a numeric key', () => {
  it.each([
    ['7', '/things/7'],
    ['-7', '/things/-7'],
    ['007', undefined],
    ['7.0', undefined],
    ['abc', undefined],
    ['9999999999', undefined],
  ])('%s calls %s', async (key, expected) => {
    const targets: string[] = [];
    const { source, set } = await openThings(INTEGER, 'Edm.Int32', ({ target }, reply) => {
      targets.push(target);
      reply.json({ 'the-value': 1 });
    });
    const read = readOf(set, ['Größe'], key);
    const found = await source.readEntity(read, callContext());
    expect(targets).toEqual(expected === undefined ? [] : [expected]);
    expect(found?.data).toEqual(expected === undefined ? undefined : { Größe: 1 });
  });
});

describe('a key of a type of its own', () => {
  const UUID = '00000000-0000-4000-8000-000000000000';

  it.each([
    [format('uuid'), UUID, `/things/${UUID}`],
    [format('uuid'), 'abc', undefined],
    [LONG, '9007199254740993', '/things/9007199254740993'],
    [LONG, '1.5', undefined],
    [format('date-time'), '2024-02-29T12:00:00Z', '/things/2024-02-29T12%3A00%3A00Z'],
    [{ type: 'string', maxLength: 3 }, 'a/b', '/things/a%2Fb'],
    [{ type: 'string', maxLength: 3 }, 'abcd', '/things/abcd'],
    [NUMBER, '1.5', '/things/1.5'],
  ])('%j: %s calls %s', async (schema, key, expected) => {
    const targets: string[] = [];
    const answer: Behaviour = ({ target }, reply) => {
      targets.push(target);
      reply.json({ 'the-value': 1 });
    };
    const { source, set } = await openThings(INTEGER, 'Edm.Int32', answer, schema);
    const read = readOf(set, ['Größe'], key);
    const found = await source.readEntity(read, callContext());
    expect(targets).toEqual(expected === undefined ? [] : [expected]);
    expect(found?.data).toEqual(expected === undefined ? undefined : { Größe: 1 });
  });
});
