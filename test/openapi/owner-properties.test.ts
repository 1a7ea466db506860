import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const TEXT = { type: 'string' };

const answered = (schema: object) => ({
  responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
});
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listed = (name: string) => answered({ type: 'array', items: reference(name) });
const inPath = (name: string, schema: object) => ({ name, in: 'path', required: true, schema });

/** Shops are read by their codes, or by their ids; their orders are listed by the parameter alone that is given. */
function shops(parameter: string, schema: object, id: object, list: object = {}): string {
  return JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Shops', version: '1' },
    paths: {
      '/shops': { get: { operationId: 'shops', ...listed('Shop') } },
      '/shops/{idOrCode}': {
        get: {
          operationId: 'shop',
          parameters: [inPath('idOrCode', TEXT)],
          ...answered(reference('Shop')),
        },
      },
      [`/shops/{${parameter}}/orders`]: {
        get: {
          operationId: 'orders',
          parameters: [inPath(parameter, schema)],
          ...list,
          ...listed('Order'),
        },
      },
    },
    components: {
      schemas: {
        Shop: {
          type: 'object',
          required: ['code'],
          properties: { code: TEXT, id },
          'x-odata': { key: 'code' },
        },
        Order: { type: 'object', properties: { id: { type: 'integer' } } },
      },
    },
  });
}

const INTEGER = { type: 'integer' };

describe('a list that is asked for by another property of its owner than the key', () => {
  const ANSWERS = {
    'GET /shops': [
      { code: 'north', id: 7 },
      { code: 'south', id: 8 },
    ],
    'GET /shops/north': { code: 'north', id: 7 },
    'GET /shops/7/orders': [{ id: 1 }],
    'GET /shops/8/orders': [{ id: 1 }, { id: 2 }],
  };

  it.each([
    ["Shop('north')/Orders", { value: [{ Id: 1 }] }],
    [
      'Shop?$expand=Orders',
      {
        value: [
          { Code: 'north', Id: 7, Orders: [{ Id: 1 }] },
          { Code: 'south', Id: 8, Orders: [{ Id: 1 }, { Id: 2 }] },
        ],
      },
    ],
    [
      'ShopsOrders',
      {
        value: [
          { Id: 1, ShopId: 7 },
          { Id: 1, ShopId: 8 },
          { Id: 2, ShopId: 8 },
        ],
      },
    ],
    [
      'ShopsOrders?$filter=ShopId eq 8',
      {
        value: [
          { Id: 1, ShopId: 8 },
          { Id: 2, ShopId: 8 },
        ],
      },
    ],
  ])('answers %s', async (path, expected) => {
    const { ask } = await serveDocument(shops('shopId', INTEGER, INTEGER), ANSWERS);
    expect(await ask(path)).toEqual([200, expected]);
  });
});

describe('a list whose owners are identified by other values than its document says', () => {
  const ANSWERS = {
    'GET /shops': [{ code: 'n-1' }, { code: '02' }],
    'GET /shops/n-1': { code: 'n-1' },
    'GET /shops/n-1/orders': [{ id: 1 }],
    'GET /shops/02/orders': [{ id: 2 }],
  };

  it('is asked for by these', async () => {
    const { ask } = await serveDocument(shops('idOrCode', INTEGER, INTEGER), ANSWERS);
    expect(await ask("Shop('n-1')/Orders")).toEqual([200, { value: [{ Id: 1 }] }]);
  });

  it('is asked for by those of all owners', async () => {
    const { ask } = await serveDocument(shops('idOrCode', INTEGER, INTEGER), ANSWERS);
    expect(await ask('ShopsOrders')).toEqual([
      200,
      {
        value: [
          { Id: 1, IdOrCode: 'n-1' },
          { Id: 2, IdOrCode: '02' },
        ],
      },
    ]);
  });
});

describe('a GET whose document gives it a body', () => {
  it('is sent without one (RFC 9110, 9.3.1)', async () => {
    const body = { type: 'object', required: ['limit'], properties: { limit: INTEGER } };
    const requestBody = { required: true, content: { 'application/json': { schema: body } } };
    const { ask } = await serveDocument(shops('idOrCode', TEXT, INTEGER, { requestBody }), {
      'GET /shops/north/orders': [{ id: 1 }],
    });
    expect(await ask("Shop('north')/Orders")).toEqual([200, { value: [{ Id: 1 }] }]);
  });
});
