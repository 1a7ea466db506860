import { describe, expect, it } from 'vitest';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { useShop } from './changes-client.ts';

/** The same shop, in which an order stays that of its customer. */
const { schemas } = CHANGES_DOCUMENT.components;
const { Order } = schemas;
const customer_id = { ...Order.properties.customer_id, 'x-odata': { immutable: true } };
const DOCUMENT = {
  ...CHANGES_DOCUMENT,
  components: {
    ...CHANGES_DOCUMENT.components,
    schemas: { ...schemas, Order: { ...Order, properties: { ...Order.properties, customer_id } } },
  },
};

const { ask } = useShop(DOCUMENT);

describe('a link by a foreign key that is immutable (Part 1, 11.4.6)', () => {
  it.each([
    ['PUT Order(1)/Customer/$ref', { '@odata.id': 'Customer(2)' }, 405, []],
    ['DELETE Order(1)/Customer/$ref', undefined, 405, []],
    ['POST Customer(2)/Orders/$ref', { '@odata.id': 'Order(1)' }, 405, []],
    ['PATCH Order(1)', { 'Customer@odata.bind': 'Customer(2)' }, 501, []],
    // Other than links, properties that cannot be changed are ignored (11.4.3).
    ['PATCH Order(1)', { CustomerId: 2 }, 204, ['PATCH /orders/1 {}']],
  ])('is not made anew: %s %j', async (request, body, status, expected) => {
    const { answer, sent } = await ask(request, body);
    expect([Number(answer.slice(0, 3)), sent]).toEqual([status, expected]);
  });

  it('is made with the entity', async () => {
    const { sent } = await ask('POST Order', { Note: 'x', 'Customer@odata.bind': 'Customer(2)' });
    expect(sent).toEqual(['POST /orders {"note":"x","customer_id":2}']);
  });
});
