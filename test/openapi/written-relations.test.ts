import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const ref = (schema: string): string => `{ $ref: '#/components/schemas/${schema}' }`;
const answer = (schema: string): string =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const body = (schema: string): string => `{ content: { application/json: { schema: ${schema} } } }`;
const KEY = 'parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]';

const set = (path: string, schema: string, sent = schema): string => `
  ${path}:
    get: { operationId: list${schema}, responses: ${answer(`{ type: array, items: ${ref(schema)} }`)} }
    post: { operationId: create${schema}, requestBody: ${body(ref(sent))}, responses: ${answer(ref(schema))} }
  ${path}/{id}:
    ${KEY}
    get: { operationId: get${schema}, responses: ${answer(ref(schema))} }
    patch: { operationId: change${schema}, requestBody: ${body(ref(sent))}, responses: ${answer(ref(schema))} }
    put: { operationId: put${schema}, requestBody: ${body(ref(sent))}, responses: ${answer(ref(schema))} }
    delete: { operationId: delete${schema}, responses: { '204': { description: gone } } }`;

interface Restrictions {
  readonly RestrictedProperties: readonly object[];
}

describe('an entity behind a collection of its owner', () => {
  const DOCUMENT = `
openapi: 3.1.0
info: { title: Shop, version: '1' }
paths:${set('/customers', 'Customer')}${set('/orders', 'Order')}
components:
  schemas:
    Customer: { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, name: { type: string } } }
    Order: { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, customer_id: { type: [integer, 'null'] }, total: { type: integer } } }
`;
  const ORDERS = [
    { id: 6, customer_id: 1, total: 10 },
    { id: 7, customer_id: 2, total: 20 },
  ];
  const ANSWERS = {
    'GET /customers/1': { id: 1, name: 'Ann' },
    'GET /customers/2': { id: 2, name: 'Ben' },
    'GET /orders': ORDERS,
    'GET /orders/7': ORDERS[1],
    'PATCH /orders/7': (sent: object) => ({ ...ORDERS[1], ...sent }),
    'PUT /orders/7': (sent: object) => ({ ...ORDERS[1], ...sent }),
    'DELETE /orders/7': Buffer.from(''),
  };

  it('is changed by the operation of its set', async () => {
    const { ask, lastSent } = await serveDocument(DOCUMENT, ANSWERS);
    expect((await ask('Customer(2)/Orders(7)', 'PATCH', { Total: 25 }))[0]).toBe(204);
    expect(lastSent()).toBe('PATCH /orders/7 {"total":25}');
    expect((await ask('Customer(2)/Orders(7)', 'PUT', { Total: 30, CustomerId: 2 }))[0]).toBe(204);
    expect(lastSent()).toBe('PUT /orders/7 {"total":30,"customer_id":2}');
    expect((await ask('Customer(2)/Orders(7)', 'DELETE'))[0]).toBe(204);
    expect(lastSent()).toBe('DELETE /orders/7');
  });

  it('is so also where a path below the owner lists it, and $metadata says so', async () => {
    const path = `
  /customers/{id}/orders:
    ${KEY}
    get: { operationId: ordersOf, responses: ${answer(`{ type: array, items: ${ref('Order')} }`)} }
components:`;
    const { ask, lastSent, json } = await serveDocument(DOCUMENT.replace('\ncomponents:', path), {
      ...ANSWERS,
      'GET /customers/1/orders': [ORDERS[0]],
      'GET /customers/2/orders': [ORDERS[1]],
    });
    expect((await ask('Customer(2)/Orders(7)', 'PATCH', { Total: 25 }))[0]).toBe(204);
    expect(lastSent()).toBe('PATCH /orders/7 {"total":25}');
    expect((await ask('Customer(1)/Orders(7)', 'DELETE'))[0]).toBe(404);
    const metadata = (await json('/odata/$metadata?$format=json')) as Record<string, Record<string, object>>;
    const sets = metadata['Test']?.['Container'] as Record<string, Record<string, Restrictions>>;
    const [orders] = sets['Customer']?.['@Capabilities.NavigationRestrictions']?.RestrictedProperties ?? [];
    // True is the default of both.
    expect(orders).toMatchObject({ NavigationProperty: 'Orders' });
    expect(orders).not.toHaveProperty(['UpdateRestrictions', 'Updatable']);
    expect(orders).not.toHaveProperty(['DeleteRestrictions', 'Deletable']);
  });

  it('is not there behind another owner, and nothing is sent', async () => {
    const { ask, requests } = await serveDocument(DOCUMENT, ANSWERS);
    const status = async (method: string, content?: object) =>
      (await ask('Customer(1)/Orders(7)', method, content))[0];
    expect(await status('PATCH', { Total: 25 })).toBe(404);
    expect(await status('PUT', { Total: 25 })).toBe(404);
    expect(await status('DELETE')).toBe(404);
    expect((await ask('Customer(3)/Orders(7)', 'DELETE'))[0]).toBe(404);
    expect(requests.filter(({ method }) => method !== 'GET')).toStrictEqual([]);
  });
});

describe('the key of a related entity in place of an object', () => {
  const documentWith = (sent: string): string => `
openapi: 3.1.0
info: { title: Net, version: '1' }
paths:${set('/vrfs', 'VRF')}${set('/prefixes', 'Prefix', 'WritablePrefix')}
components:
  schemas:
    VRF: { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, name: { type: string } } }
    NestedVRF: { type: object, properties: { id: { type: integer, readOnly: true }, url: { type: string, readOnly: true } } }
    BriefVRFRequest: { type: object, required: [name], properties: { name: { type: string } } }
    Prefix: { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, vrf: { oneOf: [{ $ref: '#/components/schemas/NestedVRF' }], nullable: true }, text: { type: string } } }
    WritablePrefix: { type: object, properties: { vrf: ${sent}, text: { type: string } } }
`;
  const PREFIX = { id: 4, vrf: { id: 1, url: '/vrfs/1' }, text: 'x' };
  const ANSWERS = {
    'GET /vrfs/7': { id: 7, name: 'Red' },
    'GET /vrfs/1': { id: 1, name: 'Blue' },
    'GET /prefixes/4': PREFIX,
    'GET /prefixes': [PREFIX],
    'POST /prefixes': { ...PREFIX, id: 5 },
    'PATCH /prefixes/4': PREFIX,
    'PUT /prefixes/4': PREFIX,
  };

  it.each([
    ['a number', "{ type: [integer, 'null'] }"],
    [
      'a number or an object',
      "{ oneOf: [{ type: integer }, { $ref: '#/components/schemas/BriefVRFRequest' }] }",
    ],
  ])('is sent where the body has %s', async (_, sent) => {
    const { ask, query, lastSent } = await serveDocument(documentWith(sent), ANSWERS);
    const [status] = await ask('Prefix', 'POST', { Text: 'x', 'VrfEntity@odata.bind': 'VRF(7)' });
    expect([status, lastSent()]).toStrictEqual([201, 'POST /prefixes {"text":"x","vrf":7}']);
    await ask('Prefix(4)', 'PATCH', { 'VrfEntity@odata.bind': 'VRF(7)' });
    expect(lastSent()).toBe('PATCH /prefixes/4 {"vrf":7}');
    await ask('Prefix(4)/VrfEntity/$ref', 'PUT', { '@odata.id': 'VRF(7)' });
    expect(lastSent()).toBe('PATCH /prefixes/4 {"vrf":7}');
    await ask('Prefix(4)/VrfEntity/$ref', 'DELETE');
    expect(lastSent()).toBe('PATCH /prefixes/4 {"vrf":null}');
    await query('mutation { updatePrefix(id: 4, input: { vrfEntity: { link: { id: 7 } } }) { id } }');
    expect(lastSent()).toBe('PATCH /prefixes/4 {"vrf":7}');
    await query('mutation { updatePrefix(id: 4, input: { text: "y" }) { id } }');
    expect(lastSent()).toBe('PATCH /prefixes/4 {"text":"y"}');
    await ask('Prefix(4)', 'PUT', { Text: 'z', 'VrfEntity@odata.bind': 'VRF(7)' });
    expect(lastSent()).toBe('PUT /prefixes/4 {"text":"z","vrf":7}');
  });
});
