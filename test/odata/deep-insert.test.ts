import { describe, expect, it } from 'vitest';
import { changesApi } from './changes-api.ts';
import { useShop } from './changes-client.ts';

const { ask, gateway } = useShop();

const ITEMS = [{ Product: 'tea', Count: 1 }, { Product: 'milk' }];

describe('an entity that is created with others (Part 1, 11.4.2.2)', () => {
  it('comes before what is below it', async () => {
    expect(await ask('POST Order', { Note: 'x', Items: ITEMS })).toStrictEqual({
      answer: '201 location: ~/Order(10)',
      body:
        '{"@odata.context":"~/$metadata#Order/$entity","Id":10,"Note":"x","CustomerId":null,' +
        '"Items":[{"Number":11,"Product":"tea","Count":1},{"Number":12,"Product":"milk","Count":null}]}',
      sent: [
        'POST /orders {"note":"x"}',
        'POST /orders/10/items {"product":"tea","count":1}',
        'POST /orders/10/items {"product":"milk"}',
      ],
    });
  });

  it('comes before what has its key, and after what it has the key of', async () => {
    const orders = [
      { Note: 'a', Items: [{ Product: 'tea' }] },
      { Note: 'b', CustomerId: 10 },
    ];
    expect((await ask('POST Customer', { Name: 'Eve', Orders: orders })).sent).toStrictEqual([
      'POST /customers {"name":"Eve"}',
      'POST /orders {"note":"a","customer_id":10}',
      'POST /orders/11/items {"product":"tea"}',
      'POST /orders {"note":"b","customer_id":10}',
    ]);
    const { sent, body } = await ask('POST Order', { Note: 'x', Customer: { Name: 'Joe' } });
    expect(sent).toStrictEqual([
      'POST /customers {"name":"Joe"}',
      'POST /orders {"note":"x","customer_id":14}',
    ]);
    expect(body).toBe(
      '{"@odata.context":"~/$metadata#Order/$entity","Id":15,"Note":"x","CustomerId":14,' +
        '"Customer":{"Id":14,"Name":"Joe","City":null}}',
    );
  });

  it('is shown as it is asked for, or not at all (11.4.1.5)', async () => {
    const body = { Note: 'x', Items: [{ Product: 'tea' }] };
    expect((await ask('POST Order?$select=Note', body)).body).toBe(
      '{"@odata.context":"~/$metadata#Order(Note)/$entity","@odata.id":"Order(10)","Note":"x"}',
    );
    expect(await ask('POST Order', body, { prefer: 'return=minimal' })).toMatchObject({
      answer: '204 location: ~/Order(12) odata-entityid: ~/Order(12) preference-applied: return=minimal',
      body: '',
    });
  });

  it('may refer to others as well', async () => {
    const body = { 'Customer@odata.bind': 'Customer(2)', Items: [] };
    expect((await ask('POST Order', body)).sent).toStrictEqual(['POST /orders {"customer_id":2}']);
  });
});

describe('an entity that is created with links to others (Part 1, 11.4.2.1)', () => {
  const TAGS = ["Tag('red')", "Tag('blue')"];

  it.each([
    [{ Note: 'x', 'Tags@odata.bind': TAGS }],
    [{ Note: 'x', 'Tags@bind': TAGS }],
    [{ Note: 'x', Tags: TAGS.map((id) => ({ '@id': id })) }],
    [{ Note: 'x', 'Tags@odata.bind': TAGS.map((id) => `./${id}`) }],
  ])('comes before links that have operations of their own: %j', async (body) => {
    expect(await ask('POST Order', body)).toStrictEqual({
      answer: '201 location: ~/Order(10)',
      body: '{"@odata.context":"~/$metadata#Order/$entity","Id":10,"Note":"x","CustomerId":null}',
      sent: ['POST /orders {"note":"x"}', 'PUT /orders/10/tags/red', 'PUT /orders/10/tags/blue'],
    });
  });

  it('is what others are told to belong to, beside those that are created with it', async () => {
    const orders = [{ '@id': 'Order(1)' }, { Note: 'new' }, { '@odata.id': '/odata/Order(2)' }];
    const body = { Name: 'Eve', Orders: orders, 'Friends@odata.bind': ['Customer(2)'] };
    expect((await ask('POST Customer', body)).sent).toStrictEqual([
      'POST /customers {"name":"Eve"}',
      'POST /orders {"note":"new","customer_id":10}',
      'PATCH /orders/1 {"customer_id":10}',
      'PATCH /orders/2 {"customer_id":10}',
      'POST /customers/10/friends {"friend_id":2}',
    ]);
  });

  it('may be created with others that a link of its own leads to', async () => {
    const body = { Name: 'Eve', Friends: [{ Name: 'Joe' }, { '@id': 'Customer(2)' }] };
    expect((await ask('POST Customer', body)).sent).toStrictEqual([
      'POST /customers {"name":"Eve"}',
      'POST /customers {"name":"Joe"}',
      'POST /customers/10/friends {"friend_id":11}',
      'POST /customers/10/friends {"friend_id":2}',
    ]);
  });

  it.each([
    [{ 'Tags@odata.bind': ["Tag('red')", "Tag('nope')"] }, 'Tags@odata.bind/1'],
    [{ Tags: [{ '@id': 'Order(1)' }] }, 'Tags/0'],
    [{ 'Tags@odata.bind': ["Tag('red')", "Tag('red')"] }, 'Tags@odata.bind/1'],
    [{ 'Tags@odata.bind': ["Tag('red')"], Tags: [{ '@id': "./Tag('%72ed')" }] }, expect.any(String)],
    [{ 'Tags@odata.bind': [1] }, 'Tags@odata.bind'],
    [{ 'Tags@delta': [] }, 'Tags@delta'],
  ])('is told what is wrong with them before anything is sent: %j', async (body, target) => {
    const { answer, body: text, sent } = await ask('POST Order', body);
    expect([answer, sent, JSON.parse(text).error.target]).toStrictEqual(['400', [], target]);
  });

  it('goes with them where one of them fails', async () => {
    const otherwise = changesApi();
    gateway.upstream.behave((request, reply) => {
      if (request.method === 'PUT' && request.target.endsWith('/blue')) reply.send(500);
      else otherwise(request, reply);
    });
    const { answer, body, sent } = await ask('POST Order', { Note: 'x', 'Tags@odata.bind': TAGS });
    expect(answer).toBe('502');
    expect(JSON.parse(body).error.details).toStrictEqual([
      {
        code: 'FailedDependency',
        message: `"Order(10)/Tags": the link to "Tag('red')" is removed again.`,
        target: 'Order(10)/Tags',
      },
      { code: 'FailedDependency', message: '"Order(10)": it is deleted again.', target: 'Order(10)' },
    ]);
    expect(sent.slice(3)).toStrictEqual(['DELETE /orders/10/tags/red', 'DELETE /orders/10']);
  });

  it('gives others back to whom they belonged', async () => {
    const otherwise = changesApi();
    gateway.upstream.behave((request, reply) => {
      if (request.method === 'PATCH' && request.target.endsWith('/2')) reply.send(500);
      else otherwise(request, reply);
    });
    const { sent } = await ask('POST Customer', {
      Name: 'Eve',
      'Orders@odata.bind': ['Order(1)', 'Order(2)'],
    });
    expect(sent.slice(1)).toStrictEqual([
      'PATCH /orders/1 {"customer_id":10}',
      'PATCH /orders/2 {"customer_id":10}',
      'PATCH /orders/1 {"customer_id":1}',
      'DELETE /customers/10',
    ]);
  });
});

describe('a part that cannot be created', () => {
  it('is told before anything is sent', async () => {
    const body = { Note: 'x'.repeat(30), Items: [{ Count: 0 }, { Product: 'tea', Nope: 1 }] };
    const { answer, body: text, sent } = await ask('POST Order', body);
    const { error } = JSON.parse(text);
    expect([answer, sent, error.target]).toStrictEqual(['400', [], 'Note']);
    expect(error.details.map(({ target }: { target: string }) => target)).toStrictEqual([
      'Items/0/Count',
      'Items/0/Product',
      'Items/1/Nope',
    ]);
    expect(await ask('POST Order', { Note: 'x', Tags: [{ Name: 'new' }] })).toStrictEqual({
      answer: '501',
      body: '{"error":{"code":"NotImplemented","message":"\\"Tags\\" in a body is not implemented.","target":"Tags"}}',
      sent: [],
    });
  });

  it('takes with it what was created before', async () => {
    const items = [{ Product: 'tea' }, { Product: 'fail' }];
    expect(await ask('POST Order', { Note: 'x', Items: items })).toStrictEqual({
      answer: '502',
      body: JSON.stringify({
        error: {
          code: 'UpstreamUnavailable',
          message: 'The upstream service is not available.',
          details: [
            {
              code: 'FailedDependency',
              message: '"Order(10)/Items(11)": it is deleted again.',
              target: 'Order(10)/Items(11)',
            },
            { code: 'FailedDependency', message: '"Order(10)": it is deleted again.', target: 'Order(10)' },
          ],
        },
      }),
      sent: [
        'POST /orders {"note":"x"}',
        'POST /orders/10/items {"product":"tea"}',
        'POST /orders/10/items {"product":"fail"}',
        'DELETE /orders/10/items/11',
        'DELETE /orders/10',
      ],
    });
  });

  it('says what of it stays', async () => {
    const { answer, body } = await ask('POST Order', { Note: 'keep', Items: [{ Product: 'refuse 409' }] });
    expect(answer).toBe('409');
    expect(JSON.parse(body).error.details).toStrictEqual([
      {
        code: 'FailedDependency',
        message: '"Order(10)": it was created and cannot be deleted.',
        target: 'Order(10)',
      },
    ]);
  });
});
