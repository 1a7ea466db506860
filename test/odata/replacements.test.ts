import { describe, expect, it } from 'vitest';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { useShop } from './changes-client.ts';

/** The same shop, in which orders can be put beside being patched, and are there then. */
const { '/orders/{id}': ORDER, '/customers/{id}': CUSTOMER } = CHANGES_DOCUMENT.paths;
const { patch } = ORDER;
const put = {
  ...patch,
  operationId: 'putOrder',
  responses: { ...patch.responses, 201: patch.responses[200] },
};
const named = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const rename = {
  ...CUSTOMER.patch,
  operationId: 'renameCustomer',
  requestBody: { content: { 'application/json': { schema: named } } },
};
const DOCUMENT = {
  ...CHANGES_DOCUMENT,
  paths: {
    ...CHANGES_DOCUMENT.paths,
    '/orders/{id}': { ...ORDER, put },
    '/customers/{id}': { ...CUSTOMER, put: rename },
  },
};

const { ask } = useShop(DOCUMENT);

describe('where the API has PATCH and PUT (Part 1, 11.4.3 and 11.4.4)', () => {
  it.each([
    ['PATCH Order(1)', { Note: 'a' }, { answer: '204 etag: W/"r2"', sent: ['PATCH /orders/1 {"note":"a"}'] }],
    ['PUT Order(1)', { Note: 'b' }, { answer: '204 etag: W/"r2"', sent: ['PUT /orders/1 {"note":"b"}'] }],
    ['PUT Order(1)', {}, { answer: '204 etag: W/"r2"', sent: ['PUT /orders/1 {}'] }],
    [
      'PUT Order(1)/Note',
      { value: 'c' },
      { answer: '204 etag: W/"r2"', sent: ['PATCH /orders/1 {"note":"c"}'] },
    ],
    [
      'PUT Order(77)',
      { Note: 'd' },
      { answer: '201 location: ~/Order(77) etag: W/"r1"', sent: ['PUT /orders/77 {"note":"d"}'] },
    ],
    [
      'PATCH Order(78)',
      { Note: 'e' },
      { answer: '201 location: ~/Order(78) etag: W/"r1"', sent: ['PUT /orders/78 {"note":"e"}'] },
    ],
  ])('%s %j', async (request, body, expected) => {
    const { answer, sent } = await ask(request, body);
    expect({ answer, sent }).toStrictEqual(expected);
  });

  it('sends whole entities to the PATCH where the PUT takes less than that', async () => {
    expect((await ask('PUT Customer(1)', { Name: 'Ada', City: 'Bonn' })).sent).toStrictEqual([
      'PATCH /customers/1 {"city":"Bonn","name":"Ada"}',
    ]);
  });

  it('says so of the set (Capabilities.UpdateRestrictions)', async () => {
    const { body } = await ask('GET $metadata');
    const [, annotations = ''] =
      /<Annotations Target="[^"]*\/Order">([\s\S]*?)<\/Annotations>/.exec(body) ?? [];
    expect(annotations).toContain('<PropertyValue Property="Upsertable" Bool="true"/>');
  });
});
