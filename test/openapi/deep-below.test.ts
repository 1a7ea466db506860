import { expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

/** Orders below their shop, and items below their order. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths:
  /shops:
    get: { operationId: shops, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Shop" } } } } } } }
  /shops/{shopId}:
    parameters: [{ name: shopId, in: path, required: true, schema: { type: integer, format: int32 } }]
    get: { operationId: shop, responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Shop" } } } } } }
  /shops/{shopId}/orders:
    parameters: [{ name: shopId, in: path, required: true, schema: { type: integer, format: int32 } }]
    get: { operationId: orders, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Order" } } } } } } }
    post: { operationId: addOrder, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }, responses: { "201": { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } } }
  /shops/{shopId}/orders/{orderId}:
    parameters:
      - { name: shopId, in: path, required: true, schema: { type: integer, format: int32 } }
      - { name: orderId, in: path, required: true, schema: { type: integer, format: int32 } }
    get: { operationId: order, responses: { "200": { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } } }
  /shops/{shopId}/orders/{orderId}/items:
    parameters:
      - { name: shopId, in: path, required: true, schema: { type: integer, format: int32 } }
      - { name: orderId, in: path, required: true, schema: { type: integer, format: int32 } }
    get: { operationId: items, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Item" } } } } } } }
    post: { operationId: addItem, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }, responses: { "201": { content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } } }
components:
  schemas:
    Shop: { type: object, properties: { id: { type: integer, format: int32 } } }
    Order: { type: object, properties: { id: { type: integer, format: int32 }, note: { type: string } } }
    Item: { type: object, properties: { id: { type: integer, format: int32 }, name: { type: string } } }
`;

it.each([
  ['by itself', { Note: 'x' }],
  ['with others', { Items: [{ Name: 'Pen' }] }],
])('an entity that is created %s below what is not there says so', async (_, order) => {
  const { ask } = await serveDocument(DOCUMENT, { 'GET /shops': [{ id: 1 }] });
  const error = { code: 'NotFound', message: 'There is no Shop(9).' };
  expect(await ask('Shop(9)/Orders', 'POST', order)).toEqual([404, { error }]);
});
