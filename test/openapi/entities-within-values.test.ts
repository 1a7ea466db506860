import { beforeAll, describe, expect, it } from 'vitest';
import { atEndOfFile } from '../support/end-of-file.ts';
import { type ServedDocument, serveDocument } from './served-document.ts';

/** Entities that hold others in their own JSON: by themselves, in what they hold, and within complex values. */
const document = (strict: boolean) => `
openapi: 3.1.0
info: { title: Orders, version: "1" }
x-odata: { strict: ${strict} }
paths:
${['Order', 'Item', 'Product'].map(pathsOf).join('')}
components:
  schemas:
    Order:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        items: { type: array, items: { $ref: "#/components/schemas/Item" } }
        delivery:
          type: object
          properties:
            note: { type: string }
            first: { $ref: "#/components/schemas/Item" }
            others: { type: array, items: { $ref: "#/components/schemas/Item" } }
            inner: { type: object, properties: { last: { $ref: "#/components/schemas/Item" } } }
        lines:
          type: array
          items: { type: object, properties: { count: { type: integer }, product: { $ref: "#/components/schemas/Product" } } }
    Item:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        name: { type: string }
        product: { $ref: "#/components/schemas/Product" }
    Product:
      type: object
      required: [id]
      properties:
        id: { type: integer }
        maker: { type: string }
`;

function pathsOf(name: string): string {
  const schema = `{ $ref: "#/components/schemas/${name}" }`;
  const answer = (of: string) => `responses: { "200": { content: { application/json: { schema: ${of} } } } }`;
  const path = `/${name.toLowerCase()}s`;
  return `
  ${path}:
    get: { operationId: list${name}, ${answer(`{ type: array, items: ${schema} }`)} }
  ${path}/{id}:
    get: { operationId: get${name}, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], ${answer(schema)} }`;
}

const item = (id: number, maker: string) => ({ id, name: `item ${id}`, product: { id: id * 10, maker } });

const FULL = {
  id: 1,
  items: [item(1, 'Ash'), item(2, 'Birch')],
  delivery: {
    note: 'n',
    first: item(3, 'Cedar'),
    others: [item(4, 'Elm'), item(5, 'Fir')],
    inner: { last: item(6, 'Gum') },
  },
  lines: [
    { count: 1, product: { id: 70, maker: 'Holly' } },
    { count: 2, product: null },
  ],
};
const BARE = { id: 2, items: [], delivery: { note: null, first: null, others: [], inner: null }, lines: [] };
const ANSWERS = { 'GET /orders': [FULL, BARE], 'GET /orders/1': FULL, 'GET /orders/2': BARE };

describe.each([true, false])('where strict is %s', (strict) => {
  let served: ServedDocument;
  beforeAll(async () => {
    served = await serveDocument(document(strict), ANSWERS, atEndOfFile);
  });

  it.each<readonly [path: string, value: unknown]>([
    [
      "Order?$expand=Items($select=Name;$expand=Product)&$select=Id&$filter=Items/any(i:i/Product/Maker eq 'Birch')",
      [
        {
          Id: 1,
          Items: [
            { '@odata.id': 'Item(1)', Name: 'item 1', Product: { Id: 10, Maker: 'Ash' } },
            { '@odata.id': 'Item(2)', Name: 'item 2', Product: { Id: 20, Maker: 'Birch' } },
          ],
        },
      ],
    ],
    ["Order?$select=Id&$filter=Delivery/First/Product/Maker eq 'Cedar'", [{ Id: 1 }]],
    ["Order?$select=Id&$filter=Lines/any(l:l/Product/Maker eq 'Holly')", [{ Id: 1 }]],
    ['Order?$select=Id&$orderby=Delivery/First/Name', [{ Id: 2 }, { Id: 1 }]],
    [
      'Order?$select=Delivery',
      [
        { '@odata.id': 'Order(1)', Delivery: { Note: 'n', Inner: {} } },
        { '@odata.id': 'Order(2)', Delivery: { Note: null, Inner: null } },
      ],
    ],
    [
      'Order?$select=Id,Delivery&$expand=Delivery/First($expand=Product)',
      [
        {
          Id: 1,
          Delivery: {
            Note: 'n',
            Inner: {},
            First: { Id: 3, Name: 'item 3', Product: { Id: 30, Maker: 'Cedar' } },
          },
        },
        { Id: 2, Delivery: { Note: null, Inner: null, First: null } },
      ],
    ],
    [
      'Order?$select=Id&$top=1&$expand=Delivery/Others($filter=Id gt 4;$count=true),Delivery/Inner/Last($select=Id)',
      [
        {
          Id: 1,
          Delivery: {
            'Others@odata.count': 1,
            Others: [{ Id: 5, Name: 'item 5' }],
            Inner: { Last: { Id: 6 } },
          },
        },
      ],
    ],
    [
      'Order?$select=Id,Lines&$top=1&$expand=Lines/Product',
      [
        {
          Id: 1,
          Lines: [
            { Count: 1, Product: { Id: 70, Maker: 'Holly' } },
            { Count: 2, Product: null },
          ],
        },
      ],
    ],
    [
      'Order?$select=Id&$top=1&$expand=Delivery/Others/$count',
      [{ Id: 1, Delivery: { 'Others@odata.count': 2 } }],
    ],
  ])('%s', async (path, value) => {
    expect(await served.ask(path.replaceAll(' ', '%20'))).toStrictEqual([200, { value }]);
  });

  it.each<readonly [path: string, answer: unknown]>([
    ['Order(1)/Delivery/First', { Id: 3, Name: 'item 3' }],
    ['Order(1)/Delivery/First/Name', { value: 'item 3' }],
    ['Order(1)/Delivery/First/Product?$select=Maker', { '@odata.id': 'Product(30)', Maker: 'Cedar' }],
    ['Order(1)/Delivery/Others(5)', { Id: 5, Name: 'item 5' }],
    [
      'Order(1)/Delivery/Others?$filter=Id gt 4&$expand=Product',
      { value: [{ Id: 5, Name: 'item 5', Product: { Id: 50, Maker: 'Fir' } }] },
    ],
    ['Order(1)/Delivery/Inner/Last', { Id: 6, Name: 'item 6' }],
    ['Order(1)/Lines/0/Product', { Id: 70, Maker: 'Holly' }],
  ])('%s', async (path, answer) => {
    expect(await served.ask(path.replaceAll(' ', '%20'))).toStrictEqual([200, answer]);
  });

  it.each([
    ['Order(2)/Delivery/First', 204],
    ['Order(2)/Delivery/Inner/Last', 204],
    ['Order(1)/Delivery/Others(9)', 404],
    ['Order(1)/Lines/Product', 404],
    ['Order(1)/Lines/7/Product', 204],
  ])('%s is answered with %i', async (path, status) => {
    expect((await served.ask(path))[0]).toBe(status);
  });

  it('GraphQL shows them, with the arguments of each', async () => {
    const text = `{ order(id: 1) {
      items { product { maker } }
      delivery { note first { name product { maker } } others(where: { name: { eq: "item 5" } }) { id } inner { last { id } } }
      lines { count product { maker } }
    } }`;
    expect(await served.query(text)).toStrictEqual({
      data: {
        order: {
          items: [{ product: { maker: 'Ash' } }, { product: { maker: 'Birch' } }],
          delivery: {
            note: 'n',
            first: { name: 'item 3', product: { maker: 'Cedar' } },
            others: [{ id: '5' }],
            inner: { last: { id: '6' } },
          },
          lines: [
            { count: 1, product: { maker: 'Holly' } },
            { count: 2, product: null },
          ],
        },
      },
    });
  });

  it.each([
    [
      'Order?$expand=Delivery/Note',
      '$expand: expected a navigation property of Test.OrderDelivery, found "Note" at position 9',
    ],
    [
      'Order?$expand=Lines',
      '$expand: expected a navigation property of Test.Order, found "Lines" at position 0',
    ],
    [
      'Order?$expand=Delivery/First,Delivery/First',
      '$expand: expected each navigation property once, found "Delivery/First" twice at position 15',
    ],
  ])('%s is refused', async (path, message) => {
    expect(await served.ask(path)).toStrictEqual([
      400,
      { error: { code: 'BadRequest', message, target: '$expand' } },
    ]);
  });

  it('the metadata document says which set they are in (CSDL 4.01, 13.4)', async () => {
    expect(await served.csdl('<NavigationPropertyBinding')).toStrictEqual([
      '<NavigationPropertyBinding Path="Items" Target="Item"/>',
      '<NavigationPropertyBinding Path="Delivery/First" Target="Item"/>',
      '<NavigationPropertyBinding Path="Delivery/Others" Target="Item"/>',
      '<NavigationPropertyBinding Path="Delivery/Inner/Last" Target="Item"/>',
      '<NavigationPropertyBinding Path="Lines/Product" Target="Product"/>',
      '<NavigationPropertyBinding Path="Product" Target="Product"/>',
    ]);
  });
});
