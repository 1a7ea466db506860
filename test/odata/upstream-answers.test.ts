import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../support/stand-in-upstream.ts';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { changesApi } from './changes-api.ts';
import { useShop } from './changes-client.ts';

const { ask, gateway } = useShop();

/** The same shop, in which customers come with their numbers. */
const document = structuredClone(CHANGES_DOCUMENT);
Object.assign(document.components.schemas.Customer.properties.id, { readOnly: false });
const keyed = useShop(document);

/** Sets the response to writes; reads are unchanged. */
function answering(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Behaviour {
  const otherwise = changesApi();
  return (request, reply) => {
    if (request.method === 'GET') otherwise(request, reply);
    else reply.send(status, body, { 'content-type': 'application/json', ...headers });
  };
}

describe('a write that the upstream refuses', () => {
  it.each([
    [
      400,
      400,
      'BadRequest',
      'The upstream service rejected the request: something in it is not what it expects.',
    ],
    [401, 502, 'UpstreamBadResponse', 'The upstream service sent an answer that cannot be used.'],
    [403, 502, 'UpstreamBadResponse', 'The upstream service sent an answer that cannot be used.'],
    [
      409,
      409,
      'Conflict',
      'This conflicts with what already exists: it may have changed in the meantime, or the key may be taken.',
    ],
    [412, 412, 'PreconditionFailed', 'This has changed in the meantime: read it again before you change it.'],
    [
      422,
      422,
      'UnprocessableContent',
      'The upstream service rejected these values: one of them may be missing or not allowed.',
    ],
  ])('with %i is a %i', async (status, expected, code, message) => {
    const body = JSON.stringify({ error: { code, message } });
    for (const call of ['POST Order', 'PATCH Order(1)', 'PUT Order(1)']) {
      const sent = await ask(call, { Note: `refuse ${status}` });
      expect([sent.answer, sent.body]).toStrictEqual([String(expected), body]);
    }
  });
});

describe('a create whose answer does not say what is created', () => {
  it.each([
    [201, ''],
    [202, ''],
    [204, ''],
  ])('%i %j', async (status, text) => {
    gateway.upstream.behave(answering(status, text));
    expect(await ask('POST Order', { Note: 'x', CustomerId: 1 })).toStrictEqual({
      answer: '201',
      body: '{"@odata.context":"~/$metadata#Order/$entity","Id":null,"Note":"x","CustomerId":1}',
      sent: ['POST /orders {"note":"x","customer_id":1}'],
    });
    const minimal = await ask('POST Order', { Note: 'x' }, { prefer: 'return=minimal' });
    expect(minimal.answer).toBe('204 preference-applied: return=minimal');
  });
});

describe('a create whose answer says something else than what was sent', () => {
  const SENT = { Note: 'x', CustomerId: 1 };

  it.each([
    ['leaves something out', '{"id":1}', '"Id":1,"Note":null,"CustomerId":null'],
    ['has null for it', '{"id":1,"note":null,"customer_id":2}', '"Id":1,"Note":null,"CustomerId":2'],
  ])('is shown by what the upstream says, alone or with others: %s', async (_, text, shown) => {
    gateway.upstream.behave(answering(201, text));
    const body = `{"@odata.context":"~/$metadata#Order/$entity",${shown}}`;
    expect((await ask('POST Order', SENT)).body).toBe(body);
    expect((await ask('POST Order', { ...SENT, 'Tags@odata.bind': ["Tag('red')"] })).body).toBe(body);
    expect((await ask('POST Customer(1)/Orders', SENT)).body).toBe(body);
  });

  it('has the key that was sent, where the answer has none', async () => {
    keyed.gateway.upstream.behave(answering(201, '{"name":"Ada"}'));
    const body = '{"@odata.context":"~/$metadata#Customer/$entity","Id":5,"Name":"Ada","City":null}';
    const customer = { Id: 5, Name: 'Eve', City: 'Ulm' };
    expect(await keyed.ask('POST Customer', customer)).toStrictEqual({
      answer: '201 location: ~/Customer(5)',
      body,
      sent: ['POST /customers {"id":5,"name":"Eve","city":"Ulm"}'],
    });
    const { sent } = await keyed.ask('POST Customer', { ...customer, Orders: [{ Note: 'x' }] });
    expect(sent.at(-1)).toBe('POST /orders {"note":"x","customer_id":5}');
  });
});

describe('a create whose answer has but the URL of what is created', () => {
  /** Creates nothing: what is said to be new is there already. */
  const located = (status: number, location: string, body = '') =>
    gateway.upstream.behave(answering(status, body, { location }));

  it.each([
    [201, '/orders/1', ''],
    [204, 'https://internal.example/base/v2/orders/1?trace=7#top', ''],
    [201, 'orders/1/', ''],
    [201, '/orders/1', '{"status":"ok"}'],
  ])('%i %s %s is read again (RFC 9110, 10.2.2)', async (status, location, text) => {
    located(status, location, text);
    expect(await ask('POST Order', { Note: 'x' })).toStrictEqual({
      answer: '201 location: ~/Order(1) etag: W/"r1"',
      body: '{"@odata.context":"~/$metadata#Order/$entity","@odata.etag":"W/\\"r1\\"","Id":1,"Note":"first","CustomerId":1}',
      sent: ['POST /orders {"note":"x"}'],
    });
    expect((await ask('POST Order', { Note: 'x' }, { prefer: 'return=minimal' })).answer).toBe(
      '204 location: ~/Order(1) odata-entityid: ~/Order(1) preference-applied: return=minimal',
    );
  });

  it('has the parameters of all of the path', async () => {
    located(201, '/orders/1/items/1');
    expect((await ask('POST Order(1)/Items', { Product: 'milk' })).body).toBe(
      '{"@odata.context":"~/$metadata#Order(1)/Items/$entity","Number":1,"Product":"tea","Count":2}',
    );
  });

  it('is what was sent where the upstream does not show it', async () => {
    located(201, '/orders/77');
    expect(await ask('POST Order', { Note: 'x' })).toMatchObject({
      answer: '201 location: ~/Order(77)',
      body: '{"@odata.context":"~/$metadata#Order/$entity","Id":77,"Note":"x","CustomerId":null}',
    });
  });

  it.each(['/customers/1', '/orders/x', '/orders/1/items', '/orders/%E0', 'elsewhere'])(
    'is of no entity of the set: %s',
    async (location) => {
      located(201, location);
      expect(await ask('POST Order', { Note: 'x' })).toMatchObject({
        answer: '201',
        body: '{"@odata.context":"~/$metadata#Order/$entity","Id":null,"Note":"x","CustomerId":null}',
      });
    },
  );

  it('serves what is created with it', async () => {
    located(201, '/orders/1');
    const { sent } = await ask('POST Order', { Note: 'x', Items: [{ Product: 'tea' }] });
    expect(sent).toStrictEqual(['POST /orders {"note":"x"}', 'POST /orders/1/items {"product":"tea"}']);
  });
});

describe('an update whose answer is not the entity', () => {
  it.each([
    [200, '{"status":"ok"}'],
    [202, ''],
    [202, '{"job":7}'],
    [204, ''],
  ])('%i %s is read again where it is to be shown', async (status, text) => {
    gateway.upstream.behave(answering(status, text));
    expect(await ask('PATCH Order(1)', { Note: 'x' })).toMatchObject({ answer: '204', body: '' });
    expect(await ask('PATCH Order(1)', { Note: 'x' }, { prefer: 'return=representation' })).toStrictEqual({
      answer: '200 etag: W/"r1" preference-applied: return=representation',
      body: '{"@odata.context":"~/$metadata#Order/$entity","@odata.etag":"W/\\"r1\\"","Id":1,"Note":"first","CustomerId":1}',
      sent: ['PATCH /orders/1 {"note":"x"}'],
    });
  });
});

describe('a delete', () => {
  it.each([
    [200, '{"deleted":true}'],
    [202, ''],
    [204, ''],
  ])('that is answered with %i %s is done', async (status, text) => {
    gateway.upstream.behave(answering(status, text));
    expect(await ask('DELETE Order(1)')).toStrictEqual({
      answer: '204',
      body: '',
      sent: ['DELETE /orders/1'],
    });
  });

  it.each([
    [404, '404'],
    [409, '409'],
    [500, '502'],
  ])('that is answered with %i is a %s', async (status, expected) => {
    gateway.upstream.behave(answering(status, '{}'));
    expect((await ask('DELETE Order(1)')).answer).toBe(expected);
  });
});
