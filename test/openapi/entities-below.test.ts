import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const reference = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const parameter = (name: string) => `{ name: ${name}, in: path, required: true, schema: { type: integer } }`;

function set(path: string, id: string, schema: string): string {
  return `
  /${path}: { get: { operationId: ${path}, responses: ${answer(`{ type: array, items: ${reference(schema)} }`)} } }
  /${path}/{id}:
    parameters: [${parameter('id')}]
    get: { operationId: ${id}, responses: ${answer(reference(schema))} }`;
}

/** Orders stand in two sets; what is below an order stands below one of these alone. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Orders, version: '1' }
paths:${set('orders', 'order', 'Order')}${set('archive', 'archived', 'Order')}${set('invoices', 'invoice', 'Invoice')}
  /orders/{id}/invoice:
    parameters: [${parameter('id')}]
    get: { operationId: invoiceOf, responses: ${answer(reference('Invoice'))} }
  /orders/{id}/lines:
    parameters: [${parameter('id')}]
    get: { operationId: lines, responses: ${answer(`{ type: array, items: ${reference('Line')} }`)} }
  /orders/{id}/lines/{no}:
    parameters: [${parameter('id')}, ${parameter('no')}]
    get: { operationId: line, responses: ${answer(reference('Line'))} }
    delete: { operationId: deleteLine, responses: { '204': { description: gone } } }
components:
  schemas:
    Order: { type: object, properties: { id: { type: integer } } }
    Invoice: { type: object, properties: { id: { type: integer }, text: { type: string } } }
    Line: { type: object, properties: { no: { type: integer }, text: { type: string } } }
`;

const serve = () =>
  serveDocument(DOCUMENT, {
    'GET /orders': [{ id: 1 }],
    'GET /archive': [{ id: 1 }],
    'GET /archive/1': { id: 1 },
    'GET /orders/1/invoice': { id: 7, text: 'paid' },
    'GET /orders/1/lines': [{ no: 2, text: 'pen' }],
    'GET /orders/1/lines/2': { no: 2, text: 'pen' },
    'DELETE /orders/1/lines/2': '',
  });

const LINE = { No: 2, Text: 'pen' };
const INVOICE = { Id: 7, Text: 'paid' };

describe('entities below an entity of one set', () => {
  it.each([
    ['Archive(1)/Lines', { value: [LINE] }],
    ['Archive(1)/Lines(2)/Text', { value: 'pen' }],
    ['Archive?$expand=Lines', { value: [{ Id: 1, Lines: [LINE] }] }],
    ["Archive?$filter=Lines/any(l:l/Text eq 'pen')&$select=Id", { value: [{ Id: 1 }] }],
  ])('are also below the same entity of another set: %s', async (path, expected) => {
    expect(await (await serve()).ask(path)).toMatchObject([200, expected]);
  });

  it('are changed there, too', async () => {
    const { ask, lastSent } = await serve();
    expect(await ask('Archive(1)/Lines(2)', 'DELETE')).toEqual([204]);
    expect(lastSent()).toBe('DELETE /orders/1/lines/2');
  });

  it.each([
    ['Order(1)/Invoice', INVOICE],
    ['Archive(1)/Invoice/Text', { value: 'paid' }],
    ['Order?$expand=Invoice', { value: [{ Id: 1, Invoice: INVOICE }] }],
    ["Archive?$filter=Invoice/Text eq 'paid'", { value: [{ Id: 1 }] }],
  ])('may be one alone: %s', async (path, expected) => {
    expect(await (await serve()).ask(path)).toMatchObject([200, expected]);
  });
});
