import { describe, expect, it } from 'vitest';
import { CHANGES_DOCUMENT } from '../changes.document.ts';
import { changesApi } from '../changes-api.ts';
import { useGuardedBatch, userOf } from './guarded-batch.ts';

const shop = structuredClone(CHANGES_DOCUMENT);
const KEEPER = { grants: { Keeper: ['View', 'Update'], Adder: ['View', 'Update', 'Insert'] } };
for (const schema of [shop.components.schemas.Order, shop.components.schemas.Customer]) {
  Object.assign(schema, { 'x-odata': KEEPER });
}
Object.assign(shop.components.schemas.Item, { 'x-odata': KEEPER });
const batch = useGuardedBatch(shop, changesApi);

const change = (id: string, url: string, body: object) => ({
  id,
  atomicityGroup: 'g',
  method: 'PATCH',
  url,
  body,
});
const first = change('a', 'Customer(2)', { City: 'Ulm' });

const writes = (asked: readonly string[]) => asked.filter((call) => !call.startsWith('GET '));

describe('a change set with changes of related entities', () => {
  it.each([
    [
      'items that are there',
      'Order(1)',
      { Items: [{ Number: 1, Product: 'coffee' }] },
      ['PATCH /orders/1/items/1'],
    ],
    ['a customer who is there', 'Order(1)', { Customer: { Id: 1, Name: 'Eve' } }, ['PATCH /customers/1']],
  ])('changes %s without the permission to create any', async (_, url, body, sent) => {
    const { statuses, asked } = await batch(userOf('Keeper'), [first, change('b', url, body)]);
    expect([statuses, writes(asked)]).toStrictEqual([
      [204, 204],
      ['PATCH /customers/2', ...sent],
    ]);
  });

  it.each([
    ['an item that is not there', 'Order(1)', { 'Items@delta': [{ Product: 'milk' }] }],
    ['a customer for an order that has none', 'Order(2)', { Customer: { Name: 'Eve' } }],
    ['the removal of an item', 'Order(1)', { Items: [] }],
  ])('is refused before anything is sent for %s', async (_, url, body) => {
    const { statuses, asked } = await batch(userOf('Keeper'), [first, change('b', url, body)]);
    expect([statuses, writes(asked)]).toStrictEqual([[424, 403], []]);
  });

  it('finds out only when it is carried out what a member of the set leads to', async () => {
    const created = { id: 'a', atomicityGroup: 'g', method: 'POST', url: 'Order', body: { Note: 'new' } };
    const items = change('b', '$a', { Items: [{ Product: 'milk' }] });
    const { statuses, asked } = await batch(userOf('Adder'), [created, items]);
    expect([statuses, writes(asked)]).toStrictEqual([
      [201, 204],
      ['POST /orders', 'POST /orders/10/items'],
    ]);
  });
});
