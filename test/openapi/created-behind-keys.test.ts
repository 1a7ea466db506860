import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const ref = (schema: string): string => `{ $ref: '#/components/schemas/${schema}' }`;
const json = (schema: string): string => `{ content: { application/json: { schema: ${schema} } } }`;
const answer = (schema: string, status = 200): string =>
  `{ '${status}': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const id = '{ name: id, in: path, required: true, schema: { type: integer } }';

/** Customers and orders; what an order has for its customer, and whether orders can be created and changed. */
const documentOf = (property: string, more = ''): string => `
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:
  /customers:
    get: { operationId: customers, responses: ${answer(`{ type: array, items: ${ref('Customer')} }`)} }
  /customers/{id}:
    get: { operationId: customer, parameters: [${id}], responses: ${answer(ref('Customer'))} }
  /orders:
    get: { operationId: orders, responses: ${answer(`{ type: array, items: ${ref('Order')} }`)} }
    post: { operationId: createOrder, requestBody: ${json(ref('Order'))}, responses: ${answer(ref('Order'), 201)} }
  /orders/{id}:
    get: { operationId: order, parameters: [${id}], responses: ${answer(ref('Order'))} }
    patch: { operationId: changeOrder, parameters: [${id}], requestBody: ${json(ref('Order'))}, responses: ${answer(ref('Order'))} }
components:
  schemas:
    Customer: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } }
    Order: { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, total: { type: integer }, ${property} } }
    ${more}
`;

const ANSWERS = {
  'GET /customers/2': { id: 2, name: 'Ben' },
  'GET /customers/3': { id: 3, name: 'Cem' },
  'GET /orders/7': { id: 7, total: 5 },
  'POST /orders': (sent: object) => ({ id: 7, ...sent }),
  'PATCH /orders/7': (sent: object) => ({ id: 7, total: 5, ...sent }),
};

const SHAPES: readonly (readonly [string, string, string, object, object])[] = [
  [
    'a foreign key',
    'customer_id: { type: [integer, "null"] }',
    'Customer',
    { customer_id: 2 },
    { customer_id: 3 },
  ],
  [
    'an object that has the key',
    'customer: { type: object, properties: { id: { type: integer } } }',
    'CustomerEntity',
    { customer: { id: 2 } },
    { customer: { id: 3 } },
  ],
];

describe.each(SHAPES)('behind %s', (_, property, navigation, second, third) => {
  it('an entity is created with its foreign key', async () => {
    const { ask, lastSent } = await serveDocument(documentOf(property), ANSWERS);
    const [status] = await ask('Customer(2)/Orders', 'POST', { Total: 9 });
    expect([status, lastSent()]).toStrictEqual([
      201,
      `POST /orders ${JSON.stringify({ total: 9, ...second })}`,
    ]);
    expect((await ask('Customer(9)/Orders', 'POST', { Total: 9 }))[0]).toBe(404);
  });

  it('an entity is linked by a binding, at its creation and later', async () => {
    const { ask, lastSent } = await serveDocument(documentOf(property), ANSWERS);
    const bind = `${navigation}@odata.bind`;
    expect((await ask('Order', 'POST', { Total: 9, [bind]: 'Customer(2)' }))[0]).toBe(201);
    expect(lastSent()).toBe(`POST /orders ${JSON.stringify({ total: 9, ...second })}`);
    expect((await ask('Order(7)', 'PATCH', { [bind]: 'Customer(3)' }))[0]).toBe(204);
    expect(lastSent()).toBe(`PATCH /orders/7 ${JSON.stringify(third)}`);
    expect((await ask(`Order(7)/${navigation}/$ref`, 'PUT', { '@odata.id': 'Customer(2)' }))[0]).toBe(204);
    expect(lastSent()).toBe(`PATCH /orders/7 ${JSON.stringify(second)}`);
    expect((await ask('Order(7)', 'PATCH', { [bind]: 'Customer(8)' }))[0]).toBe(400);
  });

  it('an entity is linked in GraphQL', async () => {
    const { query, lastSent } = await serveDocument(documentOf(property), ANSWERS);
    const field = navigation.replace('C', 'c');
    expect(
      await query(`mutation { createOrder(input: { total: 9, ${field}: { link: { id: 2 } } }) { id } }`),
    ).toMatchObject({ data: { createOrder: { id: '7' } } });
    expect(lastSent()).toBe(`POST /orders ${JSON.stringify({ total: 9, ...second })}`);
  });

  it('is announced', async () => {
    const { csdl } = await serveDocument(documentOf(property), ANSWERS);
    expect(await csdl('<NavigationProperty Name="Orders"')).toStrictEqual([
      `<NavigationProperty Name="Orders" Type="Collection(Test.Order)" Partner="${navigation}"/>`,
    ]);
  });
});
