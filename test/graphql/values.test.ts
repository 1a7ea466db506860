import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { UNRESTRICTED } from '../../src/contract/principal.ts';
import { openFaces, requestOf } from '../auth/faces.ts';
import { answer } from '../mesh/document-scene.ts';

/** An entity set with one property beside its key, before an upstream that answers with that JSON. */
async function openValues(schema: string, json: string, key = { schema: '{ type: string }', json: '"1"' }) {
  const object = `{ type: object, properties: { id: ${key.schema}, v: ${schema} } }`;
  const media = `content: { application/json: { schema: ${object} } }`;
  const paths = `
/things:
  get: { operationId: things, responses: ${answer(`{ type: array, items: ${object} }`)} }
  post: { operationId: newThing, requestBody: { ${media} }, responses: ${answer(object)} }
/things/{id}: { get: { operationId: thing, parameters: [{ name: id, in: path, required: true, schema: ${key.schema.replace(", 'null'", '')} }], responses: ${answer(object)} } }`;
  const document = { openapi: '3.1.0', info: { title: 'Api', version: '1' }, paths: parse(paths) };
  const bodies: string[] = [];
  const faces = await openFaces('Api', document, ({ method, target, body }, reply) => {
    if (method === 'POST') bodies.push(body.toString());
    const one = `{"id":${key.json},"v":${json}}`;
    reply.send(method === 'POST' ? 201 : 200, target === '/things' && method === 'GET' ? `[${one}]` : one);
  });
  onTestFinished(() => faces.close());
  const askText = async (text: string) => {
    const request = { ...requestOf(UNRESTRICTED, 'POST ', {}), body: Buffer.from(text) };
    return JSON.parse(String((await faces.graphql(request)).body));
  };
  const ask = (query: string, variables?: object) => askText(JSON.stringify({ query, variables }));
  return { ask, askText, bodies };
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
  ['{ type: string, format: byte }', '"+/8="', '-_8='],
  [
    '{ type: string, format: uuid }',
    '"2a5e5c70-9c59-4fee-8e0a-ce9d4321cab9"',
    '2a5e5c70-9c59-4fee-8e0a-ce9d4321cab9',
  ],
  ['{ type: number, format: decimal }', '8.90', 8.9],
];

describe('a value', () => {
  it.each(VALUES)('of %s, %s, is shown as it is, and sent as it was shown', async (schema, text, shown) => {
    const { ask, bodies } = await openValues(schema, text);
    // Documents that come again are answered straight from the rows.
    for (let times = 0; times < 8; times += 1) {
      expect(await ask('{ things { v } }')).toEqual({ data: { things: [{ v: shown }] } });
    }
    expect(
      await ask('mutation($input: ThingInput!) { createThing(input: $input) { v } }', {
        input: { v: shown },
      }),
    ).toEqual({ data: { createThing: { v: shown } } });
    expect(await ask(`mutation { createThing(input: { v: ${JSON.stringify(shown)} }) { v } }`)).toEqual({
      data: { createThing: { v: shown } },
    });
    const body = `{"v":${text === '8.90' ? '8.9' : text}}`;
    expect(bodies).toEqual([body, body]);
  });

  it.each([
    ['{ type: integer, format: int64 }', '1.5', /Expected a value of type Long, found "1\.5"/],
    ['{ type: string, format: date }', '2024-02-30', /Expected a value of type Date, found "2024-02-30"/],
    ['{ type: string, format: date }', 20240229, /Expected a value of type Date, found "20240229"/],
    ['{ type: string, format: date-time }', '2024-02-29', /Expected a value of type DateTime/],
    ['{ type: string, format: time }', '24:00', /Expected a value of type TimeOfDay, found "24:00"/],
  ])('of %s that is none is refused: %j', async (schema, value, message) => {
    const { ask, bodies } = await openValues(schema, 'null');
    const { errors } = await ask('mutation($input: ThingInput!) { createThing(input: $input) { v } }', {
      input: { v: value },
    });
    expect(errors[0].message).toMatch(message);
    expect(bodies).toEqual([]);
  });

  it.each([
    ["{ type: [string, 'null'] }", 'null', { data: { things: [{ id: null }] } }],
    [
      '{ type: string }',
      'null',
      {
        data: null,
        errors: [
          {
            message: 'The API sent no value where its document promises one.',
            locations: [{ line: 1, column: 12 }],
            path: ['things', 0, 'id'],
            extensions: { code: 'UpstreamBadResponse', http: { status: 502 } },
          },
        ],
      },
    ],
  ])('of a key of %s that is %s is told', async (schema, json, answer) => {
    const { ask } = await openValues('{ type: string }', '"x"', { schema, json });
    for (let times = 0; times < 3; times += 1) expect(await ask('{ things { id } }')).toEqual(answer);
  });

  it.each([
    ['{ type: number }', '1.5', '1.5'],
    ['{ type: number }', '7', '7'],
    ['{ type: integer, format: int64 }', '9007199254740993', '9007199254740993'],
    ['{ type: string, format: date }', '"2024-02-29"', '2024-02-29'],
  ])('of a key of %s, %s, is an ID that finds its object', async (schema, json, id) => {
    const { ask } = await openValues('{ type: string }', '"x"', { schema, json });
    const list = { data: { things: [{ id, v: 'x' }] } };
    for (let times = 0; times < 3; times += 1) {
      expect(await ask('{ things { id v } }')).toStrictEqual(list);
      expect(await ask('query($id: ID!) { thing(id: $id) { id v } }', { id })).toStrictEqual({
        data: { thing: { id, v: 'x' } },
      });
    }
  });

  it.each([
    ['{ type: integer, format: int64 }', '9007199254740993'],
    ['{ type: integer, format: int64 }', '9007199254740992'],
    ['{ type: number, format: decimal }', '1234567890.12345678901234'],
    ['{ type: number }', '0.1'],
    ['{}', '12345678901234567890'],
    ['{}', '{"a":[12345678901234567890]}'],
  ])('of %s is read exactly from a number of a variable: %s', async (schema, text) => {
    const { askText, bodies } = await openValues(schema, text);
    const query = 'mutation($v: ThingInput!) { createThing(input: $v) { id } }';
    const sent = `{"query":${JSON.stringify(query)},"variables":{"v":{"v":${text}}}}`;
    expect(await askText(sent)).toEqual({ data: { createThing: { id: '1' } } });
    expect(bodies).toEqual([`{"v":${text}}`]);
  });

  it.each([
    ['{ type: number }', '0.12345678901234567890', '{"v":0.12345678901234568}'],
    ['{ type: number }', '123456789012345678901', '{"v":123456789012345680000}'],
  ])('of %s is the nearest one to a number of a variable: %s', async (schema, text, body) => {
    const { askText, bodies } = await openValues(schema, text);
    const query = 'mutation($v: ThingInput!) { createThing(input: $v) { id } }';
    await askText(`{"query":${JSON.stringify(query)},"variables":{"v":{"v":${text}}}}`);
    expect(bodies).toEqual([body]);
  });

  it('of a key is found by a number of a variable with all its digits', async () => {
    const { askText } = await openValues('{ type: string }', '"x"', {
      schema: '{ type: integer, format: int64 }',
      json: '9007199254740993',
    });
    const query = 'query($id: ID!) { thing(id: $id) { id } }';
    for (let times = 0; times < 3; times += 1) {
      const answer = await askText(`{"query":${JSON.stringify(query)},"variables":{"id":9007199254740993}}`);
      expect(answer).toEqual({ data: { thing: { id: '9007199254740993' } } });
    }
  });

  it('that is none of its type is shown where it stands in a document', async () => {
    const { ask } = await openValues('{ type: integer, format: int64 }', '1');
    expect(await ask('{ things(where: { v: { eq: "x" } }) { v } }')).toEqual({
      errors: [
        {
          message: 'Expected a value of type Long, found "x".',
          locations: [{ line: 1, column: 28 }],
          extensions: { code: 'GRAPHQL_VALIDATION_FAILED', http: { status: 400 } },
        },
      ],
    });
  });
});
