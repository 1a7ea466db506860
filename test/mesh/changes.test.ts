import { describe, expect, it } from 'vitest';
import { type Row, TYPE } from '../../src/contract/row.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';
import { answer, type DocumentScene, openDocument, requestsOf } from './document-scene.ts';
import { callContext, failureOf } from './support.ts';

const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const id = '{ name: thing-id, in: path, required: true, schema: { type: integer, format: int32 } }';
const body = (schema: string) =>
  `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`;

const PATHS = `
/things:
  get: { operationId: things, responses: ${answer(`{ type: array, items: ${ref('Thing')} }`)} }
  post: { operationId: addThing, ${body(ref('Thing'))}, x-odata: { failure: Not added. }, responses: ${answer(ref('Thing'))} }
/things/{thing-id}:
  get: { operationId: thing, parameters: [${id}], responses: ${answer(ref('Thing'))} }
  patch:
    operationId: changeThing
    parameters: [${id}]
    requestBody: { content: { application/merge-patch+json: { schema: ${ref('Thing')} } } }
    responses: ${answer(ref('Thing'))}
  delete: { operationId: removeThing, parameters: [${id}], responses: { '204': { description: gone } } }`;

const SCHEMAS = `
Thing:
  type: object
  required: [thing-id]
  discriminator: { propertyName: kind }
  properties:
    thing-id: { type: integer, x-odata: { type: Edm.String } }
    kind: { type: string }
    price: { type: number, format: decimal }
    cost: { type: string, x-odata: { type: Edm.Decimal } }
    count: { type: integer, format: int64 }
    colours: { type: array, items: { type: string, enum: [dark red, green] } }
    data: { type: string, format: byte }
    at: { type: string, format: date-time }
    the-place: ${ref('Place')}
SpecialThing: { allOf: [${ref('Thing')}, { type: object, required: [the-extra], properties: { the-extra: { type: boolean } } }] }
Place: { type: object, properties: { street-name: { type: string }, next: ${ref('Place')} } }`;

function open(behaviour: Behaviour): Promise<DocumentScene> {
  return openDocument(PATHS, SCHEMAS, behaviour);
}

const echo: Behaviour = ({ body: sent }, reply) => reply.send(200, sent);

function update(scene: DocumentScene, sent: string, properties: readonly string[], key: Row[string] = '7') {
  const { name, entityType, update: operation } = scene.set('Thing');
  if (operation === undefined) throw new Error('Things cannot be changed');
  const what = { resource: name, entityType, operation, properties };
  return scene.source.update(
    { ...what, arguments: { thing_id: key }, values: valuesOf(sent) },
    callContext(),
  );
}

function remove(scene: DocumentScene, key: Row[string] = '7') {
  const { name, delete: operation } = scene.set('Thing');
  if (operation === undefined) throw new Error('Things cannot be removed');
  return scene.source.delete({ resource: name, operation, arguments: { thing_id: key } }, callContext());
}

function insert(scene: DocumentScene, sent: string, properties: readonly string[]) {
  const { name, entityType, insert: operation } = scene.set('Thing');
  if (operation === undefined) throw new Error('Things cannot be added');
  const what = { resource: name, entityType, operation, properties };
  const content = { kind: 'values', values: valuesOf(sent) } as const;
  return scene.source.insert({ ...what, arguments: {}, content }, callContext());
}

/** The values of JSON: numbers with all digits, and types from `@odata.type`. */
function valuesOf(json: string): Row {
  return JSON.parse(json, (_, value: unknown, { source }: { source?: string } = {}) => {
    if (typeof value === 'number' && String(value) !== source) return exactOf(source ?? '');
    if (typeof value !== 'object' || value === null || !('@odata.type' in value)) return value;
    const { '@odata.type': type, ...members } = value;
    return { ...members, [TYPE]: type };
  });
}

function exactOf(digits: string): bigint | string {
  return /^\d+$/.test(digits) ? BigInt(digits) : digits;
}

/** The body sent, and the body that the upstream receives. */
const BODIES: readonly (readonly [sent: string, received: string])[] = [
  ['{}', '{}'],
  ['{"Price":12345678901234567890.10}', '{"price":12345678901234567890.10}'],
  ['{"Price":"1.50","Count":"9007199254740993"}', '{"price":1.50,"count":9007199254740993}'],
  ['{"Cost":12345678901234567890.10}', '{"cost":"12345678901234567890.10"}'],
  ['{"Cost":"1.50"}', '{"cost":"1.50"}'],
  ['{"ThingId":"7"}', '{"thing-id":7}'],
  ['{"ThingId":"a7"}', '{"thing-id":"a7"}'],
  ['{"Colours":["dark_red","green"]}', '{"colours":["dark red","green"]}'],
  ['{"Data":"-_8"}', '{"data":"+/8="}'],
  ['{"At":"2024-02-29T12:00Z"}', '{"at":"2024-02-29T12:00:00Z"}'],
  ['{"Price":null,"ThePlace":null}', '{"price":null,"the-place":null}'],
  [
    '{"ThePlace":{"StreetName":"a","Next":{"StreetName":"b"}}}',
    '{"the-place":{"street-name":"a","next":{"street-name":"b"}}}',
  ],
  ['{"@odata.context":"x","Price@odata.type":"y","Price":1}', '{"price":1}'],
  ['{"@odata.type":"SpecialThing","TheExtra":true}', '{"the-extra":true,"kind":"SpecialThing"}'],
  ['{"@odata.type":"SpecialThing","Kind":"Other","TheExtra":true}', '{"kind":"Other","the-extra":true}'],
  ['{"Kind":"SpecialThing","TheExtra":true}', '{"kind":"SpecialThing","the-extra":true}'],
  ['{"unknown":12345678901234567890}', '{"unknown":12345678901234567890}'],
];

describe('a body', () => {
  it.each(BODIES)('of a change, %s, reaches the upstream as %s', async (sent, received) => {
    const scene = await open((_, reply) => reply.write('HTTP/1.1 204 -\r\n\r\n'));
    expect(await update(scene, sent, [])).toBeUndefined();
    expect(requestsOf(scene)).toEqual([`PATCH /things/7 | application/merge-patch+json | ${received}`]);
  });

  it.each(BODIES)('of a create, %s, reaches the upstream as %s', async (sent, received) => {
    const scene = await open((_, reply) => reply.send(201, '{"thing-id":1}'));
    expect(await insert(scene, sent, ['ThingId'])).toEqual({ ThingId: '1' });
    expect(requestsOf(scene)).toEqual([`POST /things | application/json | ${received}`]);
  });
});

describe('a change', () => {
  it('gives the entity as the upstream’s answer describes it', async () => {
    const scene = await open(echo);
    const row = await update(scene, '{"Kind":"SpecialThing","Count":"9007199254740993"}', [
      'Count',
      'TheExtra',
      'Price',
    ]);
    expect(row).toStrictEqual({
      Count: 9007199254740993n,
      TheExtra: null,
      Price: null,
      [TYPE]: 'SpecialThing',
    });
  });

  it.each(['', 'null'])('gives none where the answer is %j', async (text) => {
    const scene = await open((_, reply) => reply.send(200, text));
    expect(await update(scene, '{}', ['Count'])).toBeUndefined();
  });

  it.each(['007', 'x', null, '99999999999'])(
    'of the key %j, which no thing can have, is not sent',
    async (key) => {
      const scene = await open(echo);
      expect((await failureOf(update(scene, '{}', [], key))).code).toBe('NotFound');
      expect((await failureOf(remove(scene, key))).code).toBe('NotFound');
      expect(scene.upstream.requests).toHaveLength(0);
    },
  );

  it.each(['{"count":"x"}', '[]', 'text'])('is a fault where the answer is %s', async (text) => {
    const scene = await open((_, reply) => reply.send(200, text));
    expect((await failureOf(update(scene, '{}', ['Count']))).code).toBe('UpstreamBadResponse');
  });
});

describe('a removal', () => {
  it.each([
    ['204', 'HTTP/1.1 204 -\r\n\r\n'],
    ['200 and no body', 'HTTP/1.1 200 -\r\ncontent-length: 0\r\n\r\n'],
    ['200 and a body', 'HTTP/1.1 200 -\r\ncontent-length: 2\r\n\r\n{}'],
  ])('is done where the upstream answers %s', async (_, bytes) => {
    const scene = await open((__, reply) => reply.write(bytes));
    expect(await remove(scene)).toBeUndefined();
    expect(requestsOf(scene)).toEqual(['DELETE /things/7']);
  });
});

const REFUSALS = [
  [400, 'BadRequest'],
  [404, 'NotFound'],
  [409, 'Conflict'],
  [412, 'PreconditionFailed'],
  [413, 'PayloadTooLarge'],
  [422, 'UnprocessableContent'],
  [428, 'PreconditionRequired'],
  [401, 'UpstreamBadResponse'],
  [405, 'UpstreamBadResponse'],
  [429, 'UpstreamThrottled'],
  [500, 'UpstreamUnavailable'],
  [503, 'UpstreamUnavailable'],
] as const;

describe('where the upstream answers a write with', () => {
  it.each(REFUSALS)('%i, it is %s, and it is sent once', async (status, code) => {
    const scene = await open((_, reply) => reply.send(status, 'secret'));
    const failures = [await failureOf(update(scene, '{}', [])), await failureOf(remove(scene))];
    expect(failures.map((error) => error.code)).toEqual([code, code]);
    expect(failures.map(({ message }) => message).join()).not.toMatch(/secret|\d/);
    expect(requestsOf(scene)).toEqual([
      'PATCH /things/7 | application/merge-patch+json | {}',
      'DELETE /things/7',
    ]);
  });

  it.each(REFUSALS.filter(([status]) => status !== 429))(
    '%i, a create says what the document says',
    async (status) => {
      const scene = await open((_, reply) => reply.send(status, 'secret'));
      expect(await failureOf(insert(scene, '{}', []))).toMatchObject({
        code: 'InsertFailed',
        message: 'Not added.',
      });
      expect(requestsOf(scene)).toEqual(['POST /things | application/json | {}']);
      expect(JSON.stringify(scene.log)).toContain(`status ${status}`);
    },
  );

  it('nothing but a broken connection, it is not sent again', async () => {
    const scene = await open((_, reply) => reply.reset());
    expect((await failureOf(update(scene, '{}', []))).code).toBe('OutcomeUnknown');
    expect((await failureOf(remove(scene))).code).toBe('OutcomeUnknown');
    expect(scene.upstream.requests).toHaveLength(2);
  });
});
