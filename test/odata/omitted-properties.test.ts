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
Object.assign(schemas.Setting, {
  required: ['name', 'options', 'layout'],
  properties: {
    ...schemas.Setting.properties,
    options: { type: 'array', items: { $ref: '#/components/schemas/Option' } },
    layout: { anyOf: [{ $ref: '#/components/schemas/Option' }, { type: 'null' }] },
  },
});
Object.assign(schemas, {
  Option: {
    type: 'object',
    required: ['words', 'inner'],
    properties: {
      words: { type: 'array', items: { type: 'string' } },
      inner: { anyOf: [{ $ref: '#/components/schemas/Inner' }, { type: 'null' }] },
      more: { type: 'array', items: { type: 'string' } },
    },
  },
  Inner: {
    type: 'object',
    required: ['rank', 'marks'],
    properties: {
      rank: { type: 'integer', default: 3 },
      marks: { type: 'array', items: { type: 'string' } },
    },
  },
  Gift: {
    allOf: [{ $ref: '#/components/schemas/Order' }],
    required: ['cards'],
    properties: { cards: { type: 'array', items: { type: 'string' } } },
  },
});
Object.assign(schemas.Order, {
  discriminator: { propertyName: 'kind', mapping: { gift: '#/components/schemas/Gift' } },
  properties: {
    ...schemas.Order.properties,
    kind: { type: 'string' },
    marks: { type: 'array', items: { type: 'string' } },
  },
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

  it('is sent of derived types, too', async () => {
    const { sent } = await ask('POST Order', { '@odata.type': '#Shop.Gift', Note: 'n' });
    expect(sent).toStrictEqual(['POST /orders {"note":"n","kind":"gift","marks":[],"cards":[]}']);
  });

  it('is sent within complex values, and by a PUT that creates (11.4.4)', async () => {
    expect((await ask("PUT Setting('font')", {})).sent).toStrictEqual([
      'PUT /settings/font {"options":[],"layout":null,"name":"font"}',
    ]);
    const body = { Options: [{ Words: ['a'] }, { Inner: {} }], Layout: { Inner: { Rank: 1 } } };
    const [sent = ''] = (await ask("PUT Setting('size')", body)).sent;
    expect(JSON.parse(sent.replace('PUT /settings/size ', ''))).toStrictEqual({
      name: 'size',
      options: [
        { words: ['a'], inner: null },
        { words: [], inner: { rank: 3, marks: [] } },
      ],
      layout: { words: [], inner: { rank: 1, marks: [] } },
    });
  });

  it('has to be said where it has neither', async () => {
    expect(await ask('POST Customer', {})).toMatchObject({
      answer: '400',
      body: expect.stringContaining('Name: expected a value, found none.'),
      sent: [],
    });
  });

  it.each([
    ["PUT Setting('colour')", {}, { name: 'colour', options: [], layout: null }],
    [
      "PUT Setting('colour')",
      { Options: [{ Words: ['a'] }], Layout: { Inner: {} } },
      {
        name: 'colour',
        options: [{ words: ['a'], inner: null }],
        layout: { words: [], inner: { rank: 3, marks: [] } },
      },
    ],
    [
      "PATCH Setting('colour')",
      { Options: [{}], Layout: { Words: ['b'] } },
      {
        name: 'colour',
        value: 'green',
        options: [{ words: [], inner: null }],
        layout: { words: ['b'], inner: null },
      },
    ],
    [
      "PUT Setting('colour')/Options",
      { value: [{ Inner: { Rank: 1 } }] },
      {
        name: 'colour',
        value: 'green',
        options: [{ words: [], inner: { rank: 1, marks: [] } }],
        layout: null,
      },
    ],
  ])('is sent by a change of what is new in it (11.4.3): %s %j', async (call, body, whole) => {
    await ask("PUT Setting('colour')", { Value: 'green' });
    const { sent } = await ask(call, body);
    expect(sent.map((each) => each.replace(/\{.*/, ''))).toStrictEqual(['PUT /settings/colour ']);
    expect(JSON.parse(sent[0]?.replace('PUT /settings/colour ', '') ?? '')).toStrictEqual(whole);
  });

  it('is left as it is by a change', async () => {
    expect((await ask('PATCH Customer(1)', { Name: 'y' })).sent).toStrictEqual([
      'PATCH /customers/1 {"name":"y"}',
    ]);
  });
});
