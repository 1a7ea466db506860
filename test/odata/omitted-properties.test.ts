import { describe, expect, it } from 'vitest';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { useShop } from './changes-client.ts';

const document = structuredClone(CHANGES_DOCUMENT);
const { schemas } = document.components;
const more = {
  colours: { type: 'array', items: { type: 'string' } },
  hints: { type: 'array', items: { type: 'string' } },
  rank: { type: 'integer', default: 3 },
  level: { type: 'integer', default: 1 },
  memo: { type: ['string', 'null'] },
  seen: { type: 'array', items: { type: 'string' }, readOnly: true },
};
Object.assign(schemas.Customer, {
  required: ['id', 'name', 'colours', 'rank', 'memo', 'seen'],
  properties: { ...schemas.Customer.properties, ...more },
});
Object.assign(schemas.Order, {
  required: ['id', 'marks'],
  properties: { ...schemas.Order.properties, marks: { type: 'array', items: { type: 'string' } } },
});
const { ask } = useShop(document);

describe('what a create leaves out (OData 4.01 Part 1, 11.4.2)', () => {
  it.each([
    [{ Name: 'x' }, { name: 'x', colours: [], rank: 3, memo: null }],
    [
      { Name: 'x', Colours: ['red'], Rank: 4, Memo: 'm', Hints: [] },
      { name: 'x', colours: ['red'], rank: 4, memo: 'm', hints: [] },
    ],
  ])('is sent with its default, null or empty where the upstream must have it: %j', async (body, sent) => {
    const found = await ask('POST Customer', body);
    expect(found.answer).toBe('201 location: ~/Customer(10)');
    expect(found.sent).toHaveLength(1);
    expect(JSON.parse(found.sent[0]?.replace('POST /customers ', '') ?? '')).toStrictEqual(sent);
  });

  it('is sent of entities that are created with others, too', async () => {
    const { sent } = await ask('POST Customer', { Name: 'x', Orders: [{ Note: 'n' }] });
    expect(sent.slice(1)).toStrictEqual(['POST /orders {"note":"n","marks":[],"customer_id":10}']);
  });

  it('has to be said where it has neither', async () => {
    expect(await ask('POST Customer', {})).toMatchObject({
      answer: '400',
      body: expect.stringContaining('Name: expected a value, found none.'),
      sent: [],
    });
  });

  it('is left as it is by a change', async () => {
    expect((await ask('PATCH Customer(1)', { Name: 'y' })).sent).toStrictEqual([
      'PATCH /customers/1 {"name":"y"}',
    ]);
  });
});
