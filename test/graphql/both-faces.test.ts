import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, validateSchema } from 'graphql';
import { expect, it } from 'vitest';
import { serveDocument } from '../openapi/served-document.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Parts, version: '1' }
paths:
  /parts:
    get: { operationId: parts, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/part' } } } } } } }
    post:
      operationId: newPart
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/part' } } } }
      responses: { '201': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/part' } } } } }
  /parts/{part_no}: { get: { operationId: part, parameters: [{ name: part_no, in: path, required: true, schema: { type: integer } }], responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/part' } } } } } } }
components:
  schemas:
    part:
      type: object
      description: What machines are made of.
      required: [part_no]
      additionalProperties: true
      properties:
        part_no: { type: integer, x-odata: { name: Number } }
        w_mm: { type: number, deprecated: true, description: In millimetres. }
`;

const PART = { part_no: 1, w_mm: 2.5, colour: 'grey', tags: ['a'] };

it('what a document names anew has that name in OData and in GraphQL, and what it does not name is there, too', async () => {
  const { ask, query, lastSent } = await serveDocument(DOCUMENT, {
    'GET /parts': [PART],
    'POST /parts': (sent: object) => ({ ...sent, part_no: 2 }),
  });
  const [, odata] = await ask('Part');
  expect(odata).toEqual({ value: [{ Number: 1, WMm: 2.5, colour: 'grey', tags: ['a'] }] });
  expect(await query('{ parts { __typename number wMm additionalProperties } }')).toEqual({
    data: {
      parts: [
        {
          __typename: 'Part',
          number: '1',
          wMm: 2.5,
          additionalProperties: { colour: 'grey', tags: ['a'] },
        },
      ],
    },
  });
  expect(
    await query(
      'mutation { createPart(input: { wMm: 3, additionalProperties: { colour: "red" } }) { number additionalProperties } }',
    ),
  ).toEqual({ data: { createPart: { number: '2', additionalProperties: { colour: 'red' } } } });
  expect(lastSent()).toBe('POST /parts {"w_mm":3,"colour":"red"}');
});

it('what a document says of types and properties is told', async () => {
  const { query } = await serveDocument(DOCUMENT);
  const type =
    '{ description fields(includeDeprecated: true) { name description isDeprecated type { name kind ofType { name } } } }';
  expect(await query(`{ __type(name: "Part") ${type} }`)).toEqual({
    data: {
      __type: {
        description: 'What machines are made of.',
        fields: [
          {
            name: 'nodeId',
            description: null,
            isDeprecated: false,
            type: { name: null, kind: 'NON_NULL', ofType: { name: 'ID' } },
          },
          {
            name: 'number',
            description: null,
            isDeprecated: false,
            type: { name: null, kind: 'NON_NULL', ofType: { name: 'ID' } },
          },
          {
            name: 'wMm',
            description: 'In millimetres.',
            isDeprecated: true,
            type: { name: 'Float', kind: 'SCALAR', ofType: null },
          },
          expect.objectContaining({
            name: 'additionalProperties',
            type: { name: 'JSON', kind: 'SCALAR', ofType: null },
          }),
        ],
      },
    },
  });
});

const SHAPES = `
openapi: 3.1.0
info: { title: Shapes, version: '1' }
paths:
  /things: { get: { operationId: things, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Thing' } } } } } } } }
components:
  schemas:
    Thing: { type: object, required: [id], properties: { id: { type: integer }, shape: { $ref: '#/components/schemas/Shape' } } }
    Shape: { type: object, additionalProperties: false, discriminator: { propertyName: kind } }
    Circle: { allOf: [{ $ref: '#/components/schemas/Shape' }, { type: object, properties: { radius: { type: number } } }] }
`;

it('a type without properties, and what is derived from it, can be shown', async () => {
  const { query } = await serveDocument(SHAPES, {
    'GET /things': [
      { id: 1, shape: { kind: 'Shape' } },
      { id: 2, shape: { kind: 'Circle', radius: 3 } },
    ],
  });
  const { data } = (await query(getIntrospectionQuery())) as { readonly data: IntrospectionQuery };
  expect(validateSchema(buildClientSchema(data))).toEqual([]);
  expect(await query('{ things { shape { __typename ... on Circle { radius } } } }')).toEqual({
    data: {
      things: [{ shape: { __typename: 'PlainShape' } }, { shape: { __typename: 'Circle', radius: 3 } }],
    },
  });
});
