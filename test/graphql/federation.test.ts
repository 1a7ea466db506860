import { describe, expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const json = (schema: string) =>
  `responses: { "200": { description: x, content: { application/json: { schema: ${schema} } } } }`;
const ID = 'parameters: [{ name: id, in: path, required: true, schema: { type: integer, format: int64 } }]';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /goods: { get: { ${json('{ type: array, items: { $ref: "#/components/schemas/Good" } }')} } }
  /goods/{id}: { ${ID}, get: { ${json('{ $ref: "#/components/schemas/Good" }')} } }
components:
  schemas:
    Good:
      type: object
      required: [id]
      properties: { id: { type: integer, format: int64 }, code: { type: integer, format: int64 }, price: { type: number, format: decimal } }
`;
const ANSWERS = {
  'GET /goods': [{ id: 1, code: 5, price: 8.9 }],
  'GET /goods/1': { id: 1, code: 5, price: 8.9 },
  'GET /goods/2': Buffer.from('{"id":2,"code":9100000000000000001,"price":0.10}'),
};

describe('FEDERATION=on', () => {
  const ENTITIES =
    'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename ... on Good { id price } } }';

  it('reads entities by their keys', async () => {
    const { query } = await serveDocument(DOCUMENT, ANSWERS, undefined, { FEDERATION: 'on' });
    const representations = [
      { __typename: 'Good', id: '1' },
      { __typename: 'Good', id: '7' },
      { __typename: 'Good' },
      { __typename: 'Good', id: { x: 1 } },
      { __typename: 'Good', id: 'x' },
      { __typename: 'Other', id: '1' },
      JSON.parse('{ "__proto__": { "__typename": "Good" }, "id": "1" }'),
      'Good',
    ];
    expect(await query(ENTITIES, { representations })).toStrictEqual({
      data: {
        _entities: [{ __typename: 'Good', id: '1', price: 8.9 }, null, null, null, null, null, null, null],
      },
    });
  });

  it('shows its schema with the directives of a subgraph', async () => {
    const served = await serveDocument(DOCUMENT, ANSWERS, undefined, { FEDERATION: 'on' });
    const { data } = (await served.query('{ _service { sdl } }')) as { data: { _service: { sdl: string } } };
    const response = await fetch(`${served.gateway.url}/graphql?sdl`);
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([
      200,
      'text/plain; charset=utf-8',
    ]);
    expect(await response.text()).toBe(data._service.sdl);
    const lines = data._service.sdl
      .split('\n')
      .filter((line) => line.includes('@') && !line.includes('@spec'));
    expect(lines).toStrictEqual([
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable", "@inaccessible"])',
      '  ): Node @inaccessible',
      '  ): [Node]! @inaccessible',
      'type Good implements Node @key(fields: "id") {',
      'type PageInfo @shareable {',
    ]);
  });

  it('hides only the fields of global identifiers, and shares what other subgraphs have too', async () => {
    const document = `
openapi: 3.1.0
info: { title: Tree, version: '1' }
paths:
  /nodes: { get: { ${json('{ type: array, items: { $ref: "#/components/schemas/Node" } }')} } }
  /nodes/{id}:
    ${ID}
    get: { ${json('{ $ref: "#/components/schemas/Node" }')} }
    patch: { requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Node" } } } }, ${json('{ $ref: "#/components/schemas/Node" }')} }
components:
  schemas:
    Node: { type: object, required: [id], properties: { id: { type: integer, format: int64 }, name: { type: string } } }
`;
    const served = await serveDocument(document, {}, undefined, { FEDERATION: 'on' });
    const sdl = await (await fetch(`${served.gateway.url}/graphql?sdl`)).text();
    const lines = sdl.split('\n').filter((line) => /@(?:inaccessible|shareable)\b(?!")/.test(line));
    expect(lines).toStrictEqual([
      '  ): Node_2 @inaccessible',
      '  ): [Node_2]! @inaccessible',
      'type PageInfo @shareable {',
      'type UpdatedEntities @shareable {',
    ]);
  });

  it('is off without it', async () => {
    const { query } = await serveDocument(DOCUMENT, ANSWERS);
    expect(await query('{ _service { sdl } }')).toMatchObject({
      errors: [{ message: 'Cannot query field "_service" on type "Query".' }],
    });
  });
});

describe('GRAPHQL_NUMBERS', () => {
  it.each([
    ['mixed', '{"code":5,"price":8.9}', '{"code":"9100000000000000001","price":0.1}'],
    ['strings', '{"code":"5","price":"8.9"}', '{"code":"9100000000000000001","price":"0.1"}'],
    ['numbers', '{"code":5,"price":8.9}', '{"code":9100000000000000001,"price":0.1}'],
  ])('writes %s', async (form, small, large) => {
    const { gateway } = await serveDocument(DOCUMENT, ANSWERS, undefined, { GRAPHQL_NUMBERS: form });
    const ask = async (text: string) => {
      const body = JSON.stringify({ query: text });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body })).text();
    };
    const query = (id: number) => `{ good(id: ${id}) { code price } }`;
    for (const _ of [1, 2]) expect(await ask(query(1))).toBe(`{"data":{"good":${small}}}`);
    expect(await ask(query(2))).toBe(`{"data":{"good":${large}}}`);
  });
});
