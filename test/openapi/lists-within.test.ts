import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

/** Invoices, each with the first page of its lines, in the manner of Stripe. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Invoices, version: 1.0.0 }
paths:
  /invoices:
    get:
      operationId: invoices
      responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Invoice" } } } } } }
  /invoices/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: invoice
      responses: { "200": { description: OK, content: { application/json: { schema: { $ref: "#/components/schemas/Invoice" } } } } }
components:
  schemas:
    Line: { type: object, properties: { amount: { type: integer, format: int32 } } }
    Invoice:
      type: object
      required: [id]
      properties:
        id: { type: string }
        lines:
          type: object
          properties:
            data: { type: array, items: { $ref: "#/components/schemas/Line" } }
            has_more: { type: boolean }
            url: { type: string }
`;

const INVOICE = { id: 'i', lines: { data: [{ amount: 1 }], has_more: true, url: '/invoices/i/lines' } };
const LINES = { Data: [{ Amount: 1 }], HasMore: true, Url: '/invoices/i/lines' };

describe('a list within an entity that has a page of it', () => {
  it('is shown with what says that there is more', async () => {
    const { ask } = await serveDocument(DOCUMENT, { 'GET /invoices': [INVOICE], 'GET /invoices/i': INVOICE });
    expect(await ask('Invoice')).toEqual([200, { value: [{ Id: 'i', Lines: LINES }] }]);
    expect(await ask("Invoice('i')/Lines")).toEqual([200, LINES]);
    expect(await ask('Invoice?$filter=Lines/HasMore&$select=Id')).toMatchObject([
      200,
      { value: [{ Id: 'i' }] },
    ]);
  });
});
