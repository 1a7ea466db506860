import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const answer = (content: object, links = {}) => ({
  200: { description: 'Found.', content: { 'application/json': { schema: content } }, links },
});
const ID = [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } }];
const integer = { type: 'integer', format: 'int32' };
const open = (more: object) => ({
  type: 'object',
  required: ['id'],
  additionalProperties: true,
  properties: { id: integer, ...more },
});

/** Orders and customers with undeclared properties. */
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: {
    '/orders': {
      get: { operationId: 'orders', responses: answer({ type: 'array', items: schema('Order') }) },
    },
    '/orders/{id}': {
      get: {
        operationId: 'order',
        parameters: ID,
        responses: answer(schema('Order'), {
          customer: { operationId: 'customer', parameters: { id: '$response.body#/customer_id' } },
        }),
      },
    },
    '/customers': {
      get: { operationId: 'customers', responses: answer({ type: 'array', items: schema('Customer') }) },
    },
    '/customers/{id}': {
      get: { operationId: 'customer', parameters: ID, responses: answer(schema('Customer')) },
    },
  },
  components: {
    schemas: {
      Order: { ...open({ customer_id: integer, version: integer }), 'x-odata': { etag: 'version' } },
      Customer: open({ name: { type: 'string' } }),
    },
  },
};

const project = mkdtempSync(join(tmpdir(), 'open-'));
writeFileSync(join(project, 'shop.json'), JSON.stringify(DOCUMENT));
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Shop\n    handler:\n      openapi:\n        source: ./shop.json\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml') });

const ORDERS = [
  { id: 1, customer_id: 1, version: 3, urgent: true, note: 'a' },
  { id: 2, customer_id: 2, version: 4, urgent: false, note: 'b' },
];
const CUSTOMERS = [
  { id: 1, name: 'Kim', city: 'Bonn' },
  { id: 2, name: 'Eve', city: 'Oslo' },
];

beforeEach(() =>
  gateway.upstream.behave(({ target }, reply) => {
    const [, path = '', id] = target.split(/[/?]/);
    const rows = path === 'orders' ? ORDERS : CUSTOMERS;
    reply.json(id === undefined ? rows : rows.find((row) => String(row.id) === id));
  }),
);

const first = { '@odata.etag': 'W/"3"' };
const second = { '@odata.etag': 'W/"4"' };

describe('CSDL 4.01, 6.3: undeclared properties beside related entities', () => {
  it.each<[string, readonly object[]]>([
    [
      'Order?$select=urgent&$expand=Customer($select=Id,Name)',
      [
        { '@odata.id': 'Order(1)', ...first, Customer: { Id: 1, Name: 'Kim' }, urgent: true },
        { '@odata.id': 'Order(2)', ...second, Customer: { Id: 2, Name: 'Eve' }, urgent: false },
      ],
    ],
    [
      'Order?$filter=urgent eq true&$select=Id&$expand=Customer($select=Id,city)',
      [{ ...first, Id: 1, Customer: { Id: 1, city: 'Bonn' } }],
    ],
    ["Order?$filter=Customer/city eq 'Oslo'&$select=Id", [{ ...second, Id: 2 }]],
    [
      "Order?$filter=Customer/city eq 'Oslo'",
      [{ ...second, Id: 2, CustomerId: 2, Version: 4, urgent: false, note: 'b' }],
    ],
    [
      'Order?$select=Id,note&$orderby=Customer/city desc',
      [
        { ...second, Id: 2, note: 'b' },
        { ...first, Id: 1, note: 'a' },
      ],
    ],
    ["Order?$filter=$root/Customer(2)/city eq 'Oslo' and note eq 'a'&$select=Id", [{ ...first, Id: 1 }]],
    [
      "Order?$select=Id&$filter=note eq 'b'&$expand=Customer($compute=$it/Customer/city as C;$select=Id,C)",
      [{ ...second, Id: 2, Customer: { Id: 2, C: 'Oslo' } }],
    ],
  ])('%s', async (target, value) => {
    const { text } = await gateway.fetch(`/odata/${encodeURI(target)}`);
    expect(JSON.parse(text)).toEqual({ '@odata.context': expect.any(String), value });
  });
});
