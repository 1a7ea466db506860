import { describe, expect, it } from 'vitest';
import { useShop } from './changes-client.ts';

const { ask } = useShop();

type Case = readonly [call: string, body: object, ...sent: readonly string[]];

/** The upstream requests of a successful change. */
async function holds([call, body, ...expected]: Case): Promise<void> {
  const { answer, sent } = await ask(call, body);
  expect([answer.slice(0, 3), sent]).toStrictEqual(['204', expected]);
}

const casesOf = (cases: readonly Case[]) =>
  cases.map((each) => ({ name: `${each[0]} ${JSON.stringify(each[1])}`, each }));

const SINGLE: readonly Case[] = [
  ['PATCH Order(1)', { Customer: { Name: 'Eve' } }, 'PATCH /customers/1 {"name":"Eve"}'],
  [
    'PATCH Order(1)',
    { Note: 'x', Customer: { Id: 1, City: null } },
    'PATCH /orders/1 {"note":"x"}',
    'PATCH /customers/1 {"city":null}',
  ],
  [
    'PATCH Order(1)',
    { Customer: { '@id': 'Customer(1)', Name: 'Eve' } },
    'PATCH /customers/1 {"name":"Eve"}',
  ],
  ['PATCH Order(1)', { Customer: {} }],
  [
    'PATCH Order(2)',
    { Customer: { Name: 'Eve' } },
    'POST /customers {"name":"Eve"}',
    'PATCH /orders/2 {"customer_id":10}',
  ],
  [
    'PATCH Order(1)',
    { Customer: { Id: 2, Name: 'Bo' } },
    'PATCH /orders/1 {"customer_id":2}',
    'PATCH /customers/2 {"name":"Bo"}',
  ],
  [
    'PUT Order(1)',
    { Note: 'x', Customer: { Name: 'Eve' } },
    'PATCH /orders/1 {"note":"x","customer_id":1}',
    'PATCH /customers/1 {"name":"Eve"}',
  ],
];

describe('a single related entity in a change (Part 1, 11.4.3.1)', () => {
  it.each(casesOf(SINGLE))('$name', async ({ each }) => holds(each));
});

const WHOLE: readonly Case[] = [
  [
    'PATCH Order(1)',
    { Note: 'x', Items: [{ Number: 1, Product: 'coffee' }, { Product: 'milk' }] },
    'PATCH /orders/1 {"note":"x"}',
    'PATCH /orders/1/items/1 {"product":"coffee"}',
    'POST /orders/1/items {"product":"milk"}',
  ],
  [
    'PATCH Order(1)',
    { Items: [{ Product: 'milk' }] },
    'POST /orders/1/items {"product":"milk"}',
    'DELETE /orders/1/items/1',
  ],
  ['PATCH Order(1)', { Items: [{ Number: 1 }] }],
  ['PATCH Order(1)', { Items: [] }, 'DELETE /orders/1/items/1'],
  [
    'PATCH Customer(1)',
    { Orders: [{ '@id': 'Order(2)' }] },
    'PATCH /orders/2 {"customer_id":1}',
    'PATCH /orders/1 {"customer_id":null}',
  ],
  [
    'PATCH Customer(1)',
    { Orders: [{ Id: 1, Note: 'x', Items: [{ Number: 1 }, { Product: 'tea' }] }, { Note: 'new' }] },
    'PATCH /orders/1 {"note":"x"}',
    'POST /orders/1/items {"product":"tea"}',
    'POST /orders {"note":"new","customer_id":1}',
  ],
  [
    'PATCH Customer(2)',
    { Orders: [{ Id: 2, Note: 'x' }] },
    'PATCH /orders/2 {"customer_id":2}',
    'PATCH /orders/2 {"note":"x"}',
  ],
  [
    'PATCH Order(1)',
    { Tags: [{ '@id': "Tag('blue')" }] },
    'PUT /orders/1/tags/blue',
    'DELETE /orders/1/tags/red',
  ],
];

describe('all related entities in a change', () => {
  it.each(casesOf(WHOLE))('$name', async ({ each }) => holds(each));
});

const PART: readonly Case[] = [
  ['PATCH Order(1)', { 'Tags@odata.bind': ["Tag('blue')", "Tag('red')"] }, 'PUT /orders/1/tags/blue'],
  ['PATCH Customer(1)', { 'Orders@bind': ['Order(2)'] }, 'PATCH /orders/2 {"customer_id":1}'],
  [
    'PATCH Order(1)',
    { 'Items@delta': [{ Product: 'milk' }, { '@removed': { reason: 'deleted' }, Number: 1 }] },
    'POST /orders/1/items {"product":"milk"}',
    'DELETE /orders/1/items/1',
  ],
  [
    'PATCH Order(1)',
    { 'Items@odata.delta': [{ Number: 1, Count: 3 }] },
    'PATCH /orders/1/items/1 {"count":3}',
  ],
  [
    'PATCH Customer(1)',
    { 'Orders@delta': [{ '@removed': {}, '@id': 'Order(1)' }, { '@id': 'Order(2)' }] },
    'PATCH /orders/2 {"customer_id":1}',
    'PATCH /orders/1 {"customer_id":null}',
  ],
  [
    'PATCH Customer(1)',
    { 'Orders@delta': [{ '@removed': { reason: 'deleted' }, Id: 1 }] },
    'DELETE /orders/1',
  ],
  ['PATCH Customer(1)', { 'Orders@delta': [{ '@removed': {}, Id: 2 }] }],
];

describe('some of the related entities in a change (JSON Format 4.0, 8.5; 4.01, 15)', () => {
  it.each(casesOf(PART))('$name', async ({ each }) => holds(each));
});

describe('a change of related entities', () => {
  it('deletes last, so that nothing is lost if another part of it fails', async () => {
    const { answer, sent } = await ask('PATCH Order(1)', {
      'Items@delta': [{ '@removed': { reason: 'deleted' }, Number: 1 }],
      Customer: { Id: 1, 'Orders@delta': [{ Note: 'fail' }] },
    });
    expect(answer.slice(0, 3)).toBe('502');
    expect(sent).toStrictEqual(['POST /orders {"note":"fail","customer_id":1}']);
  });
});

describe('a change of related entities that cannot be made', () => {
  it.each([
    ['400', 'Items/0/Product', { Items: [{ Count: 2 }] }],
    ['400', 'Items/0/Count', { Items: [{ Number: 1, Count: 0 }, { Nope: 1 }] }],
    ['400', 'Items/1', { Items: [{ Number: 1 }, { Number: 1 }] }],
    ['400', 'Items@delta/0/@removed', { 'Items@delta': [{ '@removed': { reason: 'x' }, Number: 1 }] }],
    ['400', 'Items@delta/0', { 'Items@delta': [{ '@removed': {} }] }],
    ['400', 'Customer@delta', { 'Customer@delta': [] }],
    ['400', 'Items', { Items: {} }],
    ['400', 'Tags/0', { Tags: [{ '@id': "Tag('nope')" }] }],
    ['501', 'Tags', { Tags: [{ Name: 'new' }] }],
    ['501', 'Tags/0', { Tags: [{ Name: 'red', '@etag': 'x' }] }],
    ['501', 'Tags@delta/0', { 'Tags@delta': [{ '@removed': { reason: 'deleted' }, Name: 'red' }] }],
    ['412', undefined, { Customer: { '@odata.etag': 'W/"other"', Name: 'Eve' } }],
  ])('is refused with %s at %s before anything is sent: %j', async (status, target, body) => {
    const { answer, body: text, sent } = await ask('PATCH Order(1)', { Note: 'x', ...body });
    expect([answer, sent, JSON.parse(text).error.target]).toStrictEqual([status, [], target]);
  });

  it('is none of OData 4.0', async () => {
    const headers = { 'odata-version': '4.0' };
    expect(await ask('PATCH Order(1)', { Items: [] }, headers)).toStrictEqual({
      answer: '400',
      body: '{"error":{"code":"BadRequest","message":"Items: expected no related entities in a change by OData 4.0, found some.","target":"Items"}}',
      sent: [],
    });
  });

  it('is none of what is not there, or not in the state that is meant', async () => {
    expect(await ask('PATCH Order(9)', { Items: [] })).toMatchObject({ answer: '404', sent: [] });
    const headers = { 'if-match': 'W/"r7"' };
    expect(await ask('PATCH Order(1)', { Items: [] }, headers)).toMatchObject({ answer: '412', sent: [] });
  });

  it('is taken back as far as it was made', async () => {
    const body = { Note: 'x', Items: [{ Number: 1, Product: 'coffee' }, { Product: 'fail' }] };
    const failed = await ask('PATCH Order(1)', body, { 'if-match': 'W/"r1"' });
    const undone = 'it is as it was before';
    expect([failed.answer, JSON.parse(failed.body).error.details]).toStrictEqual([
      '502',
      [
        {
          code: 'FailedDependency',
          message: `"Order(1)/Items(1)": ${undone}.`,
          target: 'Order(1)/Items(1)',
        },
        { code: 'FailedDependency', message: `"Order(1)": ${undone}.`, target: 'Order(1)' },
      ],
    ]);
    expect(failed.sent).toStrictEqual([
      'PATCH /orders/1 if "r1" {"note":"x"}',
      'PATCH /orders/1/items/1 {"product":"coffee"}',
      'POST /orders/1/items {"product":"fail"}',
      'PATCH /orders/1/items/1 {"product":"tea"}',
      'PATCH /orders/1 if "r2" {"note":"first"}',
    ]);
  });
});

describe('a change of related entities that is shown', () => {
  it('has them where they are asked for (11.4.1.5)', async () => {
    const { answer, body } = await ask('PATCH Order(1)?$select=Id&$expand=Items', { Items: [] });
    expect([answer, JSON.parse(body)]).toMatchObject(['200 etag: W/"r1"', { Id: 1, Items: [] }]);
  });
});
