import { describe, expect, it } from 'vitest';
import type { Value } from '../../src/contract/row.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';
import { answer, type DocumentScene, openDocument, requestsOf } from './document-scene.ts';
import { failureOf } from './support.ts';

const COLOUR = `
Colour: { type: string, enum: [dark red, green] }
Size: { type: integer, enum: [1, 2], x-odata: { members: { Small: 1, Large: 2 } } }
Money:
  type: object
  properties:
    the-amount: { type: number, format: decimal }
    colour: { $ref: '#/components/schemas/Colour' }`;

const ref = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const parameter = (place: string, schema: string, more = '') =>
  `{ name: the-value, in: ${place}, required: ${place === 'path'}, schema: ${schema}${more} }`;

async function openFunction(place: string, schema: string, more = ''): Promise<DocumentScene> {
  const path = place === 'path' ? '/f/{the-value}' : '/f';
  const paths = `${path}: { get: { operationId: f, parameters: [${parameter(place, schema, more)}], responses: ${answer('{ type: string }')} } }`;
  return openDocument(paths, COLOUR, (_, reply) => reply.json('ok'));
}

const INT64 = '{ type: integer, format: int64 }';
const format = (name: string) => `{ type: string, format: ${name} }`;
const listOf = (schema: string) => `{ type: array, items: ${schema} }`;

/** JSON schema, value, and the text in the URL (in a header where that differs). */
const ARGUMENTS = (
  [
    ['{ type: integer }', -7, '-7'],
    [INT64, 9007199254740993n, '9007199254740993'],
    [INT64, 5, '5'],
    ['{ type: number, format: decimal }', '12345678901234567890.10', '12345678901234567890.10'],
    ['{ type: number, format: decimal }', '1.50', '1.50'],
    ['{ type: number }', 0.1, '0.1'],
    ['{ type: boolean }', false, 'false'],
    ['{ type: string }', 'a b&c', 'a%20b%26c', 'a b&c'],
    ['{ type: string }', '{env.PATH}', '%7Benv.PATH%7D', '{env.PATH}'],
    [format('date'), '2024-02-29', '2024-02-29'],
    [
      format('date-time'),
      '2024-02-29T12:00:00.123456+02:00',
      '2024-02-29T12%3A00%3A00.123456%2B02%3A00',
      '2024-02-29T12:00:00.123456+02:00',
    ],
    [format('date-time'), '2024-02-29T12:00Z', '2024-02-29T12%3A00%3A00Z', '2024-02-29T12:00:00Z'],
    [format('time'), '07:30:00.5', '07%3A30%3A00.5', '07:30:00.5'],
    [format('time'), '07:30', '07%3A30%3A00', '07:30:00'],
    [format('duration'), 'P1DT2H', 'P1DT2H'],
    [format('uuid'), '00000000-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000000'],
    [format('byte'), '-_8', '%2B%2F8%3D', '+/8='],
    [ref('Colour'), 'dark_red', 'dark%20red', 'dark red'],
    [ref('Size'), 'Large', '2'],
  ] as readonly (readonly [schema: string, value: Value, text: string, plain?: string])[]
).map(([schema, value, text, plain = text]) => [schema, value, text, plain] as const);

describe('an argument', () => {
  it.each(ARGUMENTS)('of %s in the path: %s', async (schema, value, text) => {
    const scene = await openFunction('path', schema);
    expect((await scene.call('F', { TheValue: value })).data).toBe('ok');
    expect(requestsOf(scene)).toEqual([`GET /f/${text}`]);
  });

  it.each(ARGUMENTS)('of %s in the query: %s', async (schema, value, text) => {
    const scene = await openFunction('query', schema);
    await scene.call('F', { TheValue: value });
    expect(requestsOf(scene)).toEqual([`GET /f?the-value=${text}`]);
  });

  it.each(ARGUMENTS)('of %s in a header: %s', async (schema, value, _, plain) => {
    const paths = `/f: { get: { operationId: f, parameters: [{ name: the-value, in: header, required: true, schema: ${schema} }], responses: ${answer('{ type: string }')} } }`;
    const scene = await openDocument(paths, COLOUR, (_, reply) => reply.json('ok'));
    await scene.call('F', { TheValue: value });
    expect(scene.upstream.requests.map(({ headers }) => headers['the-value'])).toEqual([plain]);
  });

  it.each<readonly [place: string, schema: string, more: string, value: Value, target: string]>([
    ['query', listOf('{ type: string }'), '', ['a,b', 'c'], '?the-value=a%2Cb&the-value=c'],
    ['query', listOf('{ type: string }'), ', explode: false', ['a,b', 'c'], '?the-value=a%2Cb,c'],
    ['query', listOf(ref('Colour')), '', ['dark_red', 'green'], '?the-value=dark%20red&the-value=green'],
    ['query', listOf(format('date')), ', explode: false', ['2024-02-29'], '?the-value=2024-02-29'],
    ['query', listOf(INT64), '', [9007199254740993n, 1], '?the-value=9007199254740993&the-value=1'],
    ['query', listOf('{ type: string }'), '', [], ''],
    ['path', listOf('{ type: string }'), '', ['a,b', 'c'], '/a%2Cb,c'],
    [
      'query',
      ref('Money'),
      '',
      { TheAmount: '1.50', Colour: 'dark_red' },
      '?colour=dark%20red&the-amount=1.50',
    ],
    ['query', '{ type: object, properties: { a-b: { type: string } } }', '', { AB: '1&2' }, '?a-b=1%262'],
    [
      'query',
      ref('Money'),
      ', style: deepObject, explode: true',
      { TheAmount: '1.50', Colour: null },
      '?the-value%5Bthe-amount%5D=1.50',
    ],
  ])('in the %s of %s%s: %s', async (place, schema, more, value, target) => {
    const scene = await openFunction(place, schema, more);
    await scene.call('F', { TheValue: value });
    expect(requestsOf(scene)).toEqual([`GET /f${target}`]);
  });

  it.each([{}, { TheValue: null }])('that is optional and %j is not sent', async (given) => {
    const scene = await openFunction('query', '{ type: integer, default: 5 }');
    await scene.call('F', given);
    expect(requestsOf(scene)).toEqual(['GET /f']);
  });

  it('has its own name in the URL, whatever its name is in GraphQL', async () => {
    const names = ['page[size]', 'thing-id', 'a.b', '$top', 'x y'];
    const parameters = names.map((name) => `{ name: "${name}", in: query, schema: { type: integer } }`);
    const paths = `/f: { get: { operationId: f, parameters: [${parameters}], responses: ${answer('{ type: string }')} } }`;
    const scene = await openDocument(paths, '', (_, reply) => reply.json('ok'));
    await scene.call('F', { PageSize: 1, ThingId: 2, AB: 3, Top: 4, XY: 5 });
    expect(requestsOf(scene)).toEqual(['GET /f?page%5Bsize%5D=1&thing-id=2&a.b=3&%24top=4&x%20y=5']);
  });

  it.each([
    ['path', ''],
    ['path', '..'],
    ['path', 'a\0b'],
    ['query', 'a\0b'],
    ['query', '\ud800'],
  ])('in the %s that is %j is refused', async (place, value) => {
    const scene = await openFunction(place, '{ type: string }');
    expect((await failureOf(scene.call('F', { TheValue: value }))).code).toBe('BadRequest');
    expect(scene.upstream.requests).toHaveLength(0);
  });
});

const BODY = `{ type: object, required: [when], properties: {
  when: ${format('date')}, big-number: ${INT64}, price: { type: number, format: decimal }, data: ${format('byte')},
  colours: ${listOf(ref('Colour'))}, money: ${ref('Money')}, note: { type: [string, 'null'] } } }`;

const GIVEN = {
  When: '2024-02-29',
  BigNumber: 9007199254740993n,
  Price: '12345678901234567890.10',
  Data: '-_8',
  Colours: ['dark_red', 'green'],
  Money: { TheAmount: 1.5, Colour: 'dark_red' },
  Note: null,
};

function actionPath(media: string, body: string, response: string): string {
  return `/do: { post: { operationId: act, requestBody: { required: true, content: { ${media}: { schema: ${body} } } }, responses: ${response} } }`;
}

const NOTHING = "{ '204': { description: done } }";
const nothing: Behaviour = (_, reply) => reply.write('HTTP/1.1 204 -\r\n\r\n');

describe('the body of an action', () => {
  it('has the upstream’s names and values, with all their digits', async () => {
    const scene = await openDocument(actionPath('application/json', BODY, NOTHING), COLOUR, nothing);
    expect((await scene.call('Act', GIVEN)).data).toBeNull();
    expect(requestsOf(scene)).toEqual([
      'POST /do | application/json | {"when":"2024-02-29","big-number":9007199254740993,' +
        '"price":12345678901234567890.10,"data":"+/8=","colours":["dark red","green"],' +
        '"money":{"the-amount":1.5,"colour":"dark red"}}',
    ]);
  });

  it('may be a list', async () => {
    const paths = actionPath('application/json', listOf(ref('Colour')), NOTHING);
    const scene = await openDocument(paths, COLOUR, nothing);
    await scene.call('Act', { Value: ['dark_red'] });
    expect(requestsOf(scene)).toEqual(['POST /do | application/json | ["dark red"]']);
  });

  it('may be a form', async () => {
    const body = `{ type: object, properties: { a-b: { type: string }, n: ${INT64}, l: ${listOf('{ type: string }')} } }`;
    const paths = actionPath('application/x-www-form-urlencoded', body, NOTHING);
    const scene = await openDocument(paths, COLOUR, nothing);
    await scene.call('Act', { AB: 'x y&z', N: 9007199254740993n, L: ['1', '2'] });
    expect(requestsOf(scene)).toEqual([
      'POST /do | application/x-www-form-urlencoded | a-b=x+y%26z&n=9007199254740993&l=1&l=2',
    ]);
  });

  it('has no number that JSON has no form for', async () => {
    const body = '{ type: object, properties: { x: { type: number } } }';
    const scene = await openDocument(actionPath('application/json', body, NOTHING), COLOUR, nothing);
    expect((await failureOf(scene.call('Act', { X: Number.POSITIVE_INFINITY }))).code).toBe('BadRequest');
  });
});

const THING = `
Thing: { type: object, required: [id], properties: { id: { type: integer }, the-colour: { $ref: '#/components/schemas/Colour' } } }`;

const THINGS = `
/things: { get: { operationId: things, responses: ${answer(listOf(ref('Thing')))} } }
/things/{id}: { get: { operationId: thing, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: ${answer(ref('Thing'))} } }`;

/** The schema of the result, the upstream's JSON, and the value; undefined where it is refused. */
const RESULTS: readonly (readonly [schema: string, json: string, value: Value | undefined])[] = [
  ['{ type: integer, format: int32 }', '7', 7],
  ['{ type: integer, format: int32 }', '"7"', undefined],
  [INT64, '9007199254740993', 9007199254740993n],
  ['{ type: number, format: decimal }', '12345678901234567890.10', '12345678901234567890.10'],
  ['{ type: boolean }', 'true', true],
  ['{ type: string }', '"a"', 'a'],
  ["{ type: [string, 'null'] }", 'null', null],
  [format('time'), '"07:30:00"', '07:30:00'],
  [format('time'), '"07:30:00Z"', '07:30:00'],
  [format('time'), '"07:30:00+02:00"', undefined],
  [ref('Colour'), '"dark red"', 'dark_red'],
  [ref('Colour'), '"red"', undefined],
  [ref('Size'), '2', 'Large'],
  [listOf(ref('Colour')), '["dark red",null]', ['dark_red', null]],
  [listOf('{ type: integer, format: int32 }'), '[1,2]', [1, 2]],
  [listOf('{ type: integer, format: int32 }'), '[1,"2"]', undefined],
  [listOf('{ type: integer, format: int32 }'), '{}', undefined],
  [ref('Money'), '{"The-Amount":0.10,"colour":"green"}', { TheAmount: 0.1, Colour: 'green' }],
  [ref('Thing'), '{"id":1,"the-colour":"green","more":1}', { Id: 1, TheColour: 'green' }],
  [listOf(ref('Thing')), '[{"id":1}]', [{ Id: 1, TheColour: null }]],
  [
    `{ type: object, properties: { items: ${listOf(ref('Thing'))}, total: { type: integer } } }`,
    '{"items":[{"id":1}],"total":1}',
    [{ Id: 1, TheColour: null }],
  ],
];

describe('the result', () => {
  it.each(RESULTS)('of a function, %s: %s', async (schema, json, value) => {
    const paths = `${THINGS}\n/f: { get: { operationId: f, parameters: [{ name: q, in: query, schema: { type: string } }], x-odata: { function: F }, responses: ${answer(schema)} } }`;
    const scene = await openDocument(paths, COLOUR + THING, (_, reply) =>
      reply.send(200, json, { 'content-type': 'application/json' }),
    );
    const calling = scene.call('F');
    if (value === undefined) expect((await failureOf(calling)).code).toBe('UpstreamBadResponse');
    else expect((await calling).data).toEqual(value);
  });

  it.each(RESULTS)('of an action, %s: %s', async (schema, json, value) => {
    const paths = `${THINGS}\n/f: { post: { operationId: f, x-odata: { action: F }, responses: ${answer(schema)} } }`;
    const scene = await openDocument(paths, COLOUR + THING, (_, reply) =>
      reply.send(200, json, { 'content-type': 'application/json' }),
    );
    const calling = scene.call('F');
    if (value === undefined) expect((await failureOf(calling)).code).toBe('UpstreamBadResponse');
    else expect((await calling).data).toEqual(value);
  });

  it.each<readonly [schema: string, text: string, value: Value]>([
    ['{ type: string }', '1234567890.12345678901', '1234567890.12345678901'],
    ['{ type: string }', '"quoted"', '"quoted"'],
    [format('date'), '2024-02-29', '2024-02-29'],
    ['{ type: integer }', '7', 7],
    ['{ type: number, format: decimal }', '1234567890.12345678901', '1234567890.12345678901'],
    ['{ type: boolean }', 'true', true],
  ])('of a function may be plain text: %s, %s', async (schema, text, value) => {
    const paths = `/f: { get: { operationId: f, responses: ${answer(schema)} } }`;
    const scene = await openDocument(paths, '', (_, reply) =>
      reply.send(200, text, { 'content-type': 'text/plain' }),
    );
    expect([(await scene.call('F')).data, (await scene.call('F')).data]).toEqual([value, value]);
  });

  it.each([
    ['null where it must be a value', '{ type: string }', 'null'],
    ['null where it must be a list', listOf('{ type: string }'), 'null'],
    ['text that is not JSON', '{ type: integer }', 'seven'],
  ])('of a function that is %s is refused', async (_, schema, json) => {
    const paths = `/f: { get: { operationId: f, responses: ${answer(schema)} } }`;
    const scene = await openDocument(paths, '', (__, reply) =>
      reply.send(200, json, { 'content-type': 'application/json' }),
    );
    expect((await failureOf(scene.call('F'))).code).toBe('UpstreamBadResponse');
  });

  it('of a function is the same while the data is', async () => {
    const paths = `/f: { get: { operationId: f, responses: ${answer(listOf('{ type: number, format: decimal }'))} } }`;
    const scene = await openDocument(paths, '', (_, reply) =>
      reply.send(200, '[0.12345678901234567890]', { 'content-type': 'application/json' }),
    );
    const [first, second] = [await scene.call('F'), await scene.call('F')];
    expect(first.data).toEqual(['0.12345678901234567890']);
    expect(second.data).toBe(first.data);
    expect(second.version).toBe(first.version);
    expect(scene.upstream.requests).toHaveLength(2);
  });
});

describe('a call that the upstream refuses', () => {
  it.each([
    [400, 'BadRequest', 400],
    [404, 'UpstreamBadResponse', 502],
    [409, 'Conflict', 409],
    [412, 'PreconditionFailed', 412],
    [413, 'PayloadTooLarge', 413],
    [422, 'UnprocessableContent', 422],
    [428, 'PreconditionRequired', 428],
    [401, 'UpstreamBadResponse', 502],
    [403, 'UpstreamBadResponse', 502],
    [302, 'UpstreamBadResponse', 502],
    [429, 'UpstreamThrottled', 503],
    [500, 'UpstreamUnavailable', 502],
  ])('with %i is %s, and nothing of its text is shown', async (status, code, shown) => {
    const paths = actionPath('application/json', BODY, NOTHING);
    const scene = await openDocument(paths, COLOUR, (_, reply) => reply.send(status, 'secret text'));
    const error = await failureOf(scene.call('Act', GIVEN));
    expect({ code: error.code, status: error.status }).toEqual({ code, status: shown });
    expect(error.message).not.toMatch(/secret|127\.0\.0\.1|\d/);
    expect(scene.upstream.requests).toHaveLength(1);
    expect(scene.log).toHaveLength(1);
  });
});
