import { expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const body = (schema: string) => `{ content: { application/json: { schema: ${schema} } } }`;
const wrapped = (name: string, schema: string) =>
  `{ type: object, properties: { ${name}: { $ref: '#/components/schemas/${schema}' } } }`;
const id = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: integer } }`;

const SHOP = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /things:
    get: { operationId: things, responses: ${answer("{ type: object, properties: { items: { type: array, items: { $ref: '#/components/schemas/Thing' } }, total: { type: integer } } }")} }
    post: { operationId: addThing, requestBody: ${body(wrapped('data', 'NewThing'))}, responses: ${answer("{ $ref: '#/components/schemas/ThingAnswer' }")} }
  /things/{id}:
    parameters: [${id('id')}]
    get: { operationId: thing, responses: ${answer("{ $ref: '#/components/schemas/ThingAnswer' }")} }
    put: { operationId: change, requestBody: ${body("{ $ref: '#/components/schemas/NewThing' }")}, responses: ${answer("{ $ref: '#/components/schemas/ThingAnswer' }")} }
  /things/{id}/parts:
    parameters: [${id('id')}]
    get: { operationId: parts, responses: ${answer("{ type: object, properties: { parts: { type: array, items: { $ref: '#/components/schemas/Part' } } } }")} }
  /things/{id}/parts/{no}:
    parameters: [${id('id')}, ${id('no')}]
    get: { operationId: part, responses: ${answer(wrapped('part', 'Part'))} }
components:
  schemas:
    Thing: { type: object, x-odata: { grants: { User: [View] } }, required: [id], properties: { id: { type: integer }, name: { type: string }, tags: { type: array, items: { type: string } } } }
    NewThing: { type: object, properties: { name: { type: string } } }
    ThingAnswer: { type: object, required: [data], properties: { data: { $ref: '#/components/schemas/Thing' }, status: { type: string } } }
    Part: { type: object, properties: { no: { type: integer }, text: { type: string } } }
`;

const THING = { id: 1, name: 'a', tags: ['x'] };
const ANSWERS = {
  'GET /things': { items: [THING], total: 1 },
  'GET /things/1': { status: 'ok', data: THING },
  'GET /things/2': { status: 'none' },
  'GET /things/1/parts': { parts: [{ no: 5, text: 't' }] },
  'GET /things/1/parts/5': { part: { no: 5, text: 't' } },
  'POST /things': ({ data }: { data: object }) => ({ data: { id: 9, ...data } }),
  'PUT /things/1': (changed: object) => ({ data: { ...THING, ...changed } }),
};

it.each([
  ['Thing', { value: [{ Id: 1, Name: 'a', Tags: ['x'] }] }],
  ['Thing(1)', { Id: 1, Name: 'a', Tags: ['x'] }],
  ['Thing(1)?$select=Id,Name', { Id: 1, Name: 'a' }],
  ['Thing(1)/Parts', { value: [{ No: 5, Text: 't' }] }],
  ['Thing(1)/Parts(5)', { No: 5, Text: 't' }],
])('%s is read from what it is wrapped in', async (path, json) => {
  const { ask, entries } = await serveDocument(SHOP, ANSWERS);
  expect(await ask(path)).toStrictEqual([200, json]);
  expect(entries().filter(({ msg }) => /property of/.test(String(msg)))).toStrictEqual([]);
});

it('an answer without the entity is no good', async () => {
  const { ask } = await serveDocument(SHOP, ANSWERS);
  expect((await ask('Thing(2)?$select=Id'))[0]).toBe(502);
});

it('a body is wrapped where the document wraps it, and only there', async () => {
  const { ask, lastSent } = await serveDocument(SHOP, ANSWERS);
  expect(await ask('Thing', 'POST', { Name: 'n' })).toStrictEqual([201, { Id: 9, Name: 'n', Tags: [] }]);
  expect(lastSent()).toBe('POST /things {"data":{"name":"n"}}');
  await ask('Thing(1)', 'PUT', { Name: 'm' });
  expect(lastSent()).toMatch(/^PUT \/things\/1 \{.*"name":"m"/);
});

const ROOTS = `
openapi: 3.1.0
info: { title: Roots, version: '1' }
paths:
  /products:
    parameters: [{ name: page, in: query, schema: { type: integer } }]
    get: { operationId: listProducts, responses: ${answer("{ type: array, items: { $ref: '#/components/schemas/Product' } }")} }
    post: { operationId: addProduct, requestBody: ${body(wrapped('product', 'ProductFields'))}, responses: ${answer("{ $ref: '#/components/schemas/Product' }")} }
  /products/{id}:
    parameters: [${id('id')}]
    get: { operationId: readProduct, responses: ${answer("{ $ref: '#/components/schemas/Product' }")} }
    patch: { operationId: changeProduct, requestBody: ${body(wrapped('product', 'ProductFields'))}, responses: ${answer("{ $ref: '#/components/schemas/Product' }")} }
    delete: { operationId: removeProduct, responses: { '204': { description: gone } } }
components:
  schemas:
    Product: { type: object, x-odata: { grants: { User: [View, Insert, Update, Delete] } }, properties: { product: { $ref: '#/components/schemas/ProductFields' }, links: { type: array, items: { type: string } } } }
    ProductFields: { type: object, properties: { id: { type: integer, readOnly: true }, name: { type: string } } }
`;

const product = (number: number, name = `p${number}`) => ({ product: { id: number, name }, links: [] });
const products = (first: number) => Array.from({ length: 20 }, (_, index) => product(first + index));
const ROOT_ANSWERS = {
  // The first page is number one, which nothing but its rows say.
  'GET /products': products(1),
  'GET /products?page=1': products(1),
  'GET /products?page=2': products(21),
  'GET /products?page=3': [product(41)],
  'GET /products/7': product(7),
  'POST /products': (sent: { product: { name: string } }) => product(99, sent.product.name),
  'PATCH /products/7': (sent: { product: { name: string } }) => product(7, sent.product.name),
  'DELETE /products/7': {},
};

it('rows that are objects around one entity each are these entities', async () => {
  const { ask, query, lastSent } = await serveDocument(ROOTS, ROOT_ANSWERS);
  expect(await ask('Product(7)')).toStrictEqual([200, { Links: [], Id: 7, Name: 'p7' }]);
  expect(await ask("Product?$filter=Name eq 'p41'")).toStrictEqual([
    200,
    { value: [{ Links: [], Id: 41, Name: 'p41' }] },
  ]);
  expect(await query('{ products(order: [{ name: DESC }], take: 1) { id name } }')).toStrictEqual({
    data: { products: [{ id: '9', name: 'p9' }] },
  });
  expect(await ask('Product', 'POST', { Name: 'n' })).toStrictEqual([201, { Links: [], Id: 99, Name: 'n' }]);
  expect(lastSent()).toBe('POST /products {"product":{"name":"n"}}');
  expect(await ask('Product(7)', 'PATCH', { Name: 'm' })).toStrictEqual([204]);
  expect(lastSent()).toBe('PATCH /products/7 {"product":{"name":"m"}}');
  expect(await ask('Product(7)', 'DELETE')).toStrictEqual([204]);
});

it('pages of such rows are told apart by the entities within', async () => {
  const { ask } = await serveDocument(ROOTS, ROOT_ANSWERS);
  expect(await ask('Product?$count=true&$top=0')).toStrictEqual([200, { '@odata.count': 41, value: [] }]);
});
