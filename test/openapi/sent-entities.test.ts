import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

const answer = (schema: string) =>
  `{ '200': { description: ok, content: { application/json: { schema: ${schema} } } } }`;
const reference = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;
const body = (schema: string) => `requestBody: { content: { application/json: { schema: ${schema} } } }`;
const listOf = (schema: string) => `{ type: array, items: ${schema} }`;

const ID = '{ name: id, in: path, required: true, schema: { type: integer } }';
const DOCUMENT = `
openapi: 3.1.0
info: { title: Orders, version: '1' }
paths:
  /orders:
    get: { operationId: orders, responses: ${answer(listOf(reference('Order')))} }
  /orders/{id}:
    parameters: [${ID}]
    get: { operationId: order, responses: ${answer(reference('Order'))} }
    patch: { operationId: changeOrder, ${body(reference('Order'))}, responses: ${answer(reference('Order'))} }
  /invoices: { get: { operationId: invoices, responses: ${answer(listOf(reference('Invoice')))} } }
  /invoices/{id}:
    parameters: [${ID}]
    get: { operationId: invoice, responses: ${answer(reference('Invoice'))} }
  /check:
    post: { operationId: check, ${body(`{ type: object, properties: { order: ${reference('Order')}, by: { type: string } } }`)}, responses: ${answer('{ type: integer }')} }
components:
  schemas:
    Place: { type: object, properties: { city: { type: string } } }
    Order: { type: object, properties: { id: { type: integer }, amount: { type: number, multipleOf: 0.5 }, main: ${reference('Invoice')}, more: ${listOf(reference('Invoice'))} } }
    Invoice: { type: object, properties: { id: { type: integer }, text: { type: string }, kind: { type: string }, at: ${reference('Place')} }, discriminator: { propertyName: kind, mapping: { draft: '#/components/schemas/Draft' } } }
    Draft: { allOf: [${reference('Invoice')}, { type: object, properties: { reviewer: { type: string } } }] }
`;

const ORDER = { id: 1, amount: 1.5, main: { id: 7, text: 'a', kind: 'draft', reviewer: 'r' } };

async function sendTo(path: string, method: string, sent: object) {
  const { ask, lastSent } = await serveDocument(DOCUMENT, {
    'GET /orders/1': ORDER,
    'PATCH /orders/1': (changed: object) => ({ ...ORDER, ...changed }),
    'POST /check': 3,
  });
  const [status, answered] = await ask(path, method, sent);
  return { status, answered, sent: lastSent() };
}

const WHOLE = { Id: 7, Text: 'b', At: { City: 'Bonn' } };
const WHOLE_UPSTREAM = '{"id":7,"text":"b","at":{"city":"Bonn"}}';

describe('a change of an entity that holds others', () => {
  it.each<[string, object, string]>([
    [
      'what is changed of one, with the rest of it',
      { Main: { Text: 'b', At: { City: 'Bonn' } } },
      '{"main":{"reviewer":"r","id":7,"text":"b","kind":"draft","at":{"city":"Bonn"}}}',
    ],
    [
      'what only a derived type has',
      { Main: { '@odata.type': '#Test.Draft', Reviewer: 'x' } },
      '{"main":{"reviewer":"x","id":7,"text":"a","kind":"draft","at":null}}',
    ],
    ['none', { Main: null }, '{"main":null}'],
    ['a list', { More: [WHOLE, { Id: 8 }] }, `{"more":[${WHOLE_UPSTREAM},{"id":8}]}`],
    ['an empty list', { More: [] }, '{"more":[]}'],
    [
      'a list with one of a derived type',
      { More: [{ '@odata.type': '#Test.Draft', Id: 8, Reviewer: 'x' }] },
      '{"more":[{"id":8,"reviewer":"x","kind":"draft"}]}',
    ],
  ])('sends %s', async (_, changed, sent) => {
    expect(await sendTo('Order(1)', 'PATCH', changed)).toMatchObject({
      status: 204,
      sent: `PATCH /orders/1 ${sent}`,
    });
  });

  it.each<[string, object, string]>([
    ['a value of another type', { Main: { Text: 5 } }, 'Main/Text: expected Edm.String, found a number.'],
    ['an unknown member', { Main: { Other: 5 } }, 'Main/Other'],
    [
      'a reference',
      { Main: { '@id': 'Invoice(7)' } },
      'Main: expected the entity itself, found a reference to it.',
    ],
    ['a text', { Main: 'x' }, 'Main: expected an object, found a string.'],
    ['one object for a list', { More: WHOLE }, 'More: expected an array of objects, found an object.'],
    ['a number that is no multiple', { Amount: 1.3 }, 'Amount: expected a multiple of 0.5, found 1.3.'],
  ])('is refused with %s', async (_, changed, message) => {
    expect(await sendTo('Order(1)', 'PATCH', changed)).toMatchObject({
      status: 400,
      answered: { error: { message: expect.stringContaining(message) } },
      sent: undefined,
    });
  });
});

describe('an action with an entity for a parameter', () => {
  it('sends it with those that it holds', async () => {
    const order = { Id: 1, Amount: 2, Main: WHOLE, More: [{ Id: 8 }] };
    expect(await sendTo('Check', 'POST', { Order: order, By: 'x' })).toEqual({
      status: 200,
      answered: { value: 3 },
      sent: `POST /check {"order":{"id":1,"amount":2,"main":${WHOLE_UPSTREAM},"more":[{"id":8}]},"by":"x"}`,
    });
  });

  it.each<[string, unknown, string]>([
    ['a reference', { '@id': 'Order(1)' }, 'Order: expected the entity itself, found a reference to it.'],
    ['a reference within', { Id: 1, Main: { '@id': 'Invoice(7)' } }, 'Order/Main: expected entities'],
    ['a link within', { Id: 1, 'Main@odata.bind': 'Invoice(7)' }, 'Order/Main: expected entities'],
    ['a number', 5, 'Order: expected an object, found a number.'],
  ])('is refused with %s for it', async (_, order, message) => {
    expect(await sendTo('Check', 'POST', { Order: order, By: 'x' })).toMatchObject({
      status: 400,
      answered: { error: { message: expect.stringContaining(message) } },
      sent: undefined,
    });
  });
});
