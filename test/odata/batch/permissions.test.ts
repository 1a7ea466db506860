import { expect, it } from 'vitest';
import { CHANGES_DOCUMENT } from '../changes.document.ts';
import { changesApi } from '../changes-api.ts';
import { useGuardedBatch, userOf } from './guarded-batch.ts';
import { NOTES_DOCUMENT, notesApi } from './notes.ts';

const batch = useGuardedBatch(NOTES_DOCUMENT, notesApi);

const post = (id: string, url: string, text: string, atomicityGroup?: string) => ({
  id,
  method: 'POST',
  url,
  body: { Text: text },
  atomicityGroup,
});

it('asks for the permission of each request', async () => {
  const requests = [post('1', 'Note', 'x'), { id: '2', method: 'GET', url: 'Note' }, post('3', 'Label', 'x')];
  expect(await batch(userOf('Writer'), requests)).toStrictEqual({
    status: 200,
    statuses: [201, 200, 403],
    asked: ['POST /notes', 'GET /notes'],
  });
  expect(await batch(userOf('Adder'), requests)).toStrictEqual({
    status: 200,
    statuses: [204, 403, 403],
    asked: ['POST /notes'],
  });
});

it('sends nothing of a change set where one member is not permitted', async () => {
  const update = { id: '2', method: 'PATCH', url: '$1', body: { Text: 'y' }, atomicityGroup: 'g' };
  for (const forbidden of [post('2', 'Label', 'x', 'g'), update]) {
    expect(await batch(userOf('Writer'), [post('1', 'Note', 'x', 'g'), forbidden])).toStrictEqual({
      status: 200,
      statuses: [424, 403],
      asked: [],
    });
  }
});

/** The shop, whose customers may be made by those who may make no orders. */
function shopOfCustomers(): object {
  const shop = structuredClone(CHANGES_DOCUMENT);
  const { Customer, Order } = shop.components.schemas;
  Object.assign(Customer['x-odata'].grants, { Host: ['View', 'Insert'] });
  Object.assign(Order['x-odata'].grants, { Host: ['View'] });
  return shop;
}

const shop = useGuardedBatch(shopOfCustomers(), changesApi);

it('sends nothing of a change set where a member creates something within that is not permitted', async () => {
  const customer = (id: string, body: object) => ({
    id,
    method: 'POST',
    url: 'Customer',
    body: { Name: 'Eve', ...body },
    atomicityGroup: 'g',
  });
  const requests = [customer('1', {}), customer('2', { Orders: [{ Note: 'x' }] })];
  expect(await shop(userOf('Host'), requests)).toStrictEqual({
    status: 200,
    statuses: [424, 403],
    asked: [],
  });
  const { statuses, asked } = await shop(userOf('Owner'), requests);
  expect([statuses, asked]).toStrictEqual([
    [201, 201],
    ['POST /customers', 'POST /customers', 'POST /orders', 'GET /orders?customer_id=11'],
  ]);
});

it.each([
  { Tags: [{ '@id': "Tag('red')" }] },
  { 'Tags@odata.bind': ["Tag('red')"] },
  { Customer: { Name: 'Eve' } },
])('sends nothing of a change set where a member relates what is not permitted: %j', async (related) => {
  const order = (id: string, body: object) => ({
    id,
    method: 'POST',
    url: 'Order',
    body: { Note: 'x', ...body },
    atomicityGroup: 'g',
  });
  expect(await shop(userOf('Clerk'), [order('1', {}), order('2', related)])).toStrictEqual({
    status: 200,
    statuses: [424, 403],
    asked: [],
  });
});

it('undoes only what the user may delete', async () => {
  const requests = [post('1', 'Note', 'x', 'g'), post('2', 'Note', 'fail', 'g')];
  const { asked } = await batch(userOf('Writer'), requests);
  expect(asked).toStrictEqual(['POST /notes', 'POST /notes', 'DELETE /notes/10']);
  expect((await batch(userOf('Adder'), requests)).asked).toStrictEqual(['POST /notes', 'POST /notes']);
});

it('is for those who have signed in', async () => {
  const { status, asked } = await batch({ kind: 'anonymous' }, [post('1', 'Note', 'x')]);
  expect([status, asked]).toStrictEqual([401, []]);
});
