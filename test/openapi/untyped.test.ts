import { beforeAll, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type ServedDocument, serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const THING = "{ $ref: '#/components/schemas/Thing' }";
const EITHER = '{ oneOf: [{ type: string }, { type: object }] }';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: '1' }
x-odata: { strict: true }
paths:
  /things:
    get: { operationId: things, responses: ${answer(`{ type: array, items: ${THING} }`)} }
    post: { operationId: addThing, requestBody: { content: { application/json: { schema: ${THING} } } }, responses: ${answer(THING)} }
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: thing, responses: ${answer(THING)} }
    patch: { operationId: changeThing, requestBody: { content: { application/json: { schema: ${THING} } } }, responses: ${answer(THING)} }
  /search:
    get:
      operationId: search
      parameters: [{ name: q, in: query, required: true, schema: { type: [string, integer] } }]
      responses: ${answer('{}')}
  /store:
    post:
      operationId: store
      requestBody: { content: { application/json: { schema: { type: object, required: [what], properties: { what: ${EITHER} } } } } }
      responses: { '204': { description: stored } }
components:
  schemas:
    Thing:
      type: object
      required: [id]
      properties:
        id: { type: string }
        owner: ${EITHER}
        any: {}
        more: { type: array }
        rows: { type: array, items: { type: array, items: { type: integer } } }
`;

const BIG = '9007199254740993';
const THINGS = `[
  {"id":"a","owner":"o1","any":1.5,"more":[1,"x",null,{"y":[2]}],"rows":[[1],[2]]},
  {"id":"b","owner":{"id":"o2","size":${BIG}},"any":${BIG},"more":[],"rows":[]},
  {"id":"c","owner":null,"any":true},
  {"id":"d","owner":"12","any":"{}"}
]`;

let served: ServedDocument;
beforeAll(async () => {
  const echo = (sent: object) => ({ id: 'n', ...sent });
  const answers = {
    'GET /things': Buffer.from(THINGS),
    'POST /things': echo,
    'PATCH /things/n': echo,
    'GET /search?q=12': { found: [1] },
    'POST /store': () => ({}),
  };
  served = await serveDocument(DOCUMENT, answers, atEndOfFile);
});

/** The answer's text behind its context. */
async function text(path: string, version: string, sent?: string, method = 'POST'): Promise<string> {
  const response = await fetch(`${served.gateway.url}/odata/${path}`, {
    method: sent === undefined ? 'GET' : method,
    headers: {
      'odata-maxversion': version,
      'content-type': 'application/json',
      prefer: 'return=representation',
    },
    ...(sent !== undefined && { body: sent }),
  });
  return (await response.text()).replace(/^\{"@[^"]*":"[^"]*",/, '{');
}

describe('values of one type or another, or of none (Edm.Untyped; CSDL 4.01, 4.2)', () => {
  it('are what they are in 4.01, with all digits', async () => {
    expect(await text('Thing?$select=Id,Owner,Any', '4.01')).toBe(
      `{"value":[{"Id":"a","Owner":"o1","Any":1.5},{"Id":"b","Owner":{"id":"o2","size":${BIG}},"Any":${BIG}},{"Id":"c","Owner":null,"Any":true},{"Id":"d","Owner":"12","Any":"{}"}]}`,
    );
    expect(await text('Thing?$top=1', '4.01')).toBe(
      '{"value":[{"Id":"a","Owner":"o1","Any":1.5,"More":[1,"x",null,{"y":[2]}],"Rows":[[1],[2]]}]}',
    );
  });

  it('are texts of JSON in 4.0, where those that could be taken for no JSON stand as they are', async () => {
    expect(await text('Thing?$select=Id,Owner,Any', '4.0')).toBe(
      `{"value":[{"Id":"a","Owner":"o1","Any":"1.5"},{"Id":"b","Owner":"{\\"id\\":\\"o2\\",\\"size\\":${BIG}}","Any":"${BIG}"},{"Id":"c","Owner":null,"Any":"true"},{"Id":"d","Owner":"\\"12\\"","Any":"\\"{}\\""}]}`,
    );
    expect(await text('Thing?$top=1&$select=Id,More,Rows', '4.0')).toBe(
      '{"value":[{"Id":"a","More":["1","x",null,"{\\"y\\":[2]}"],"Rows":["[1]","[2]"]}]}',
    );
  });

  it('are in each version of the type that its metadata document says', async () => {
    expect(await served.csdl('<Property Name="Owner"')).toStrictEqual([
      '<Property Name="Owner" Type="Edm.Untyped"/>',
    ]);
    expect(await served.csdl('<Property Name="Owner"', '4.0')).toStrictEqual([
      '<Property Name="Owner" Type="Edm.String"/>',
    ]);
    expect(await served.csdl('<Property Name="More"')).toStrictEqual([
      '<Property Name="More" Type="Collection(Edm.Untyped)" Nullable="true"/>',
    ]);
    expect(await served.csdl('<Property Name="More"', '4.0')).toStrictEqual([
      '<Property Name="More" Type="Collection(Edm.String)" Nullable="true"/>',
    ]);
    expect(await text('Search(Q=12)', '4.01')).toBe('{"value":{"found":[1]}}');
    expect(await text('Search(Q=12)', '4.0')).toBe('{"value":"{\\"found\\":[1]}"}');
  });

  it.each([
    ["Owner eq 'o1'", ['a']],
    ['Owner eq null', ['c']],
    ['Any gt 1', ['a', 'b']],
    ['Any eq true', ['c']],
    ["Owner/id eq 'o2'", ['b']],
    ["More/any(m:m eq 'x')", ['a']],
  ])('are compared as what they are: %s', async (filter, ids) => {
    const [, json] = await served.ask(`Thing?$select=Id&$filter=${encodeURIComponent(filter)}`);
    expect(json).toStrictEqual({ value: ids.map((Id) => ({ Id })) });
  });

  it.each([
    [
      '4.01',
      '{"Id":"n","Owner":{"a":[1]},"Any":"12","More":[{"b":2}]}',
      '{"id":"n","owner":{"a":[1]},"any":"12","more":[{"b":2}]}',
    ],
    [
      '4.0',
      '{"Id":"n","Owner":"{\\"a\\":[1]}","Any":"12","More":["{\\"b\\":2}","x"]}',
      '{"id":"n","owner":{"a":[1]},"any":12,"more":[{"b":2},"x"]}',
    ],
    [
      '4.0',
      '{"Id":"n","Owner":"\\"12\\"","Any":"not {","More":[]}',
      '{"id":"n","owner":"12","any":"not {","more":[]}',
    ],
    ['4.0', `{"Id":"n","Any":"${BIG}"}`, `{"id":"n","any":${BIG}}`],
  ])('are taken back as %s has them: %s', async (version, sent, upstream) => {
    await text('Thing', version, sent);
    expect(served.lastSent()).toBe(`POST /things ${upstream}`);
    const { Id: _, ...change } = JSON.parse(sent);
    await text("Thing('n')", version, JSON.stringify(change), 'PATCH');
    expect(served.lastSent()).toBe(`PATCH /things/n ${upstream.replace('"id":"n",', '')}`);
  });

  it('are taken by actions', async () => {
    await text('Store', '4.01', '{"What":{"a":1}}');
    expect(served.lastSent()).toBe('POST /store {"what":{"a":1}}');
    await text('Store', '4.0', '{"What":"{\\"a\\":1}"}');
    expect(served.lastSent()).toBe('POST /store {"what":{"a":1}}');
  });

  it('are JSON in GraphQL', async () => {
    expect(await served.query('{ things { id owner any more rows } }')).toMatchObject({
      data: {
        things: [
          { id: 'a', owner: 'o1', any: 1.5, more: [1, 'x', null, { y: [2] }], rows: [[1], [2]] },
          { id: 'b' },
          { id: 'c', any: true, more: [] },
          { id: 'd', any: '{}' },
        ],
      },
    });
    const mutation = 'mutation ($input: ThingInput!) { createThing(input: $input) { id owner any } }';
    expect(await served.query(mutation, { input: { id: 'n', owner: { a: [1] }, any: 2 } })).toStrictEqual({
      data: { createThing: { id: 'n', owner: { a: [1] }, any: 2 } },
    });
  });
});
