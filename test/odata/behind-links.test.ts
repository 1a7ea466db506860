import { describe, expect, it } from 'vitest';
import { outline, sendJson } from './batch/batch-client.ts';
import { useGuardedBatch, userOf } from './batch/guarded-batch.ts';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { changesApi } from './changes-api.ts';
import { type Outcome, useShop } from './changes-client.ts';

const { ask, gateway } = useShop();

const ORDERS = 'POST Customer(1)/Orders';
const CONTEXT = '"@odata.context":"~/$metadata#Order/$entity"';

function refused(answer: string, code: string, message: string, target?: string): Outcome {
  return { answer, body: JSON.stringify({ error: { code, message, target } }), sent: [] };
}

describe('an entity that is new behind a link (Part 1, 11.4.2)', () => {
  it.each([
    ['to the one whose key it has', { Note: 'x' }],
    ['also where its body says so', { Note: 'x', CustomerId: 1 }],
    ['also where its body refers to it', { Note: 'x', 'Customer@odata.bind': 'Customer(1)' }],
    ['also where its body has its reference', { Note: 'x', Customer: { '@id': 'Customer(1)' } }],
  ])('belongs %s', async (_, body) => {
    const { answer, body: text, sent } = await ask(ORDERS, body);
    expect([answer, text]).toStrictEqual([
      '201 location: ~/Order(10)',
      `{${CONTEXT},"Id":10,"Note":"x","CustomerId":1}`,
    ]);
    expect(sent.map((call) => call.replace(/\{.*/, ''))).toStrictEqual(['POST /orders ']);
    expect(JSON.parse(sent[0]?.replace(/^[^{]*/, '') ?? '')).toStrictEqual({ note: 'x', customer_id: 1 });
    expect((await ask('GET Customer(1)/Orders?$select=Id')).body).toContain('"Id":10');
  });

  it.each([
    ['key in a segment', 'POST Customer/1/Orders', {}],
    ['trailing slash', 'POST Customer(1)/Orders/', {}],
    ['way over other entities', 'POST Order(1)/Customer/Orders', {}],
    ['POST in the place of another method', ORDERS, { 'x-http-method': 'POST' }],
  ])('is at a URL with a %s', async (_, call, headers) => {
    expect(await ask(call, { Note: 'x' }, headers)).toMatchObject({
      answer: '201 location: ~/Order(10)',
      sent: ['POST /orders {"note":"x","customer_id":1}'],
    });
  });

  it('is shown as it is asked for, or not at all (11.4.1.5)', async () => {
    expect((await ask(`${ORDERS}?$select=Note&$expand=Customer($select=Name)`, { Note: 'x' })).body).toBe(
      '{"@odata.context":"~/$metadata#Order(Note,Customer(Name))/$entity","@odata.id":"Order(10)","Note":"x",' +
        '"Customer":{"@odata.id":"Customer(1)","Name":"Ada"}}',
    );
    expect(await ask(ORDERS, { Note: 'x' }, { prefer: 'return=minimal' })).toStrictEqual({
      answer: '204 location: ~/Order(11) odata-entityid: ~/Order(11) preference-applied: return=minimal',
      body: '',
      sent: ['POST /orders {"note":"x","customer_id":1}'],
    });
  });

  it('is created with what it has (11.4.2.2)', async () => {
    expect(await ask(ORDERS, { Note: 'x', Items: [{ Product: 'tea', Count: 1 }] })).toStrictEqual({
      answer: '201 location: ~/Order(10)',
      body: `{${CONTEXT},"Id":10,"Note":"x","CustomerId":1,"Items":[{"Number":11,"Product":"tea","Count":1}]}`,
      sent: [
        'POST /orders {"note":"x","customer_id":1}',
        'POST /orders/10/items {"product":"tea","count":1}',
      ],
    });
    expect((await ask(ORDERS, { Note: 'x', Items: [{ Product: 'fail' }] })).sent).toStrictEqual([
      'POST /orders {"note":"x","customer_id":1}',
      'POST /orders/12/items {"product":"fail"}',
      'DELETE /orders/12',
    ]);
  });

  const OTHER = 'CustomerId: expected "1", as the URL says, found';
  it.each([
    ['of another', { CustomerId: 2 }, `${OTHER} "2".`, 'CustomerId'],
    ['of nobody', { CustomerId: null }, `${OTHER} "null".`, 'CustomerId'],
    [
      'that refers to another',
      { 'Customer@odata.bind': 'Customer(2)' },
      'Customer@odata.bind: expected the entity that "CustomerId" says, found another one.',
      'Customer@odata.bind',
    ],
    [
      'with a new one',
      { Customer: { Name: 'Eve' } },
      'Customer: expected the entity that the URL leads to, found a new one.',
      'Customer',
    ],
  ])('is not one %s', async (_, body, message, target) => {
    expect(await ask(ORDERS, body)).toStrictEqual(refused('400', 'BadRequest', message, target));
  });

  it('has all that is wrong with it told at once', async () => {
    const { answer, body } = await ask(ORDERS, { CustomerId: 2, Note: 'x'.repeat(21), Nope: 1 });
    const { target, details } = JSON.parse(body).error;
    expect([answer, target, details.map((detail: { target: string }) => detail.target)]).toStrictEqual([
      '400',
      'Note',
      ['Nope', 'CustomerId'],
    ]);
  });

  it('needs its owner', async () => {
    const message = 'There is no Customer(9).';
    expect(await ask('POST Customer(9)/Orders', { Note: 'x' })).toStrictEqual(
      refused('404', 'NotFound', message),
    );
  });

  it('is offered where it is possible', async () => {
    expect((await ask('OPTIONS Customer(1)/Orders')).answer).toBe('204 allow: GET, HEAD, POST, OPTIONS');
    expect((await ask('POST Order(1)/Tags', { Name: 'new' })).answer).toBe('405 allow: GET, HEAD, OPTIONS');
    expect((await ask('POST Order(1)/Customer', { Name: 'Eve' })).answer).toMatch(/^405 /);
  });
});

describe('an entity behind a link to an owner who is new, in a batch (Part 1, 11.7.4.1)', () => {
  const members = (group: object) => [
    { id: '1', method: 'POST', url: 'Customer', body: { Name: 'Eve' }, ...group },
    { id: '2', method: 'POST', url: '$1/Orders', body: { Note: 'x' }, dependsOn: ['1'], ...group },
  ];

  it.each([
    ['by itself', {}],
    ['in an atomicity group', { atomicityGroup: 'g' }],
  ])('is created %s', async (_, group) => {
    const answered = await sendJson(gateway, members(group));
    expect(outline(answered)).toStrictEqual([
      '1 201 {"@odata.context":"~/$metadata#Customer/$entity","Id":10,"Name":"Eve","City":null}',
      `2 201 {${CONTEXT},"Id":11,"Note":"x","CustomerId":10}`,
    ]);
    expect(answered.responses[1]?.headers['location']).toBe('~/Order(11)');
    expect(answered.asked.filter((call) => !call.startsWith('GET '))).toStrictEqual([
      'POST /customers {"name":"Eve"}',
      'POST /orders {"note":"x","customer_id":10}',
    ]);
  });

  it('is deleted again with its atomicity group', async () => {
    const failing = { id: '3', atomicityGroup: 'g', method: 'POST', url: 'Order', body: { Note: 'fail' } };
    const { asked } = await sendJson(gateway, [...members({ atomicityGroup: 'g' }), failing]);
    expect(asked.slice(-2)).toStrictEqual(['DELETE /orders/11', 'DELETE /customers/10']);
  });

  it('keeps the atomicity group from being sent where its owner is not there', async () => {
    const group = { atomicityGroup: 'g' };
    const answered = await sendJson(gateway, [
      { id: '1', method: 'POST', url: 'Customer', body: { Name: 'Eve' }, ...group },
      { id: '2', method: 'POST', url: 'Customer(9)/Orders', body: { Note: 'x' }, ...group },
    ]);
    expect(answered.responses.map(({ status }) => status)).toStrictEqual([424, 404]);
    expect(answered.asked).toStrictEqual(['GET /customers/9']);
  });
});

describe('permissions for an entity behind a link', () => {
  const shop = structuredClone(CHANGES_DOCUMENT);
  Object.assign(shop.components.schemas.Order, {
    'x-odata': { grants: { Adder: ['Insert'], Blind: ['Insert'], Reader: ['View'] } },
  });
  Object.assign(shop.components.schemas.Customer, {
    'x-odata': { grants: { Adder: ['View'], Reader: ['View'] } },
  });
  const batch = useGuardedBatch(shop, changesApi);

  it.each([
    ['Adder', 204, ['GET /customers/1', 'POST /orders']],
    ['Blind', 403, []],
    ['Reader', 403, []],
  ])('%s: %i', async (role, status, asked) => {
    const body = { Note: 'x' };
    const found = await batch(userOf(role), [{ id: '1', method: 'POST', url: 'Customer(1)/Orders', body }]);
    expect([found.statuses, found.asked]).toStrictEqual([[status], asked]);
  });
});

describe('a create that is forwarded as it is', () => {
  const shop = structuredClone(CHANGES_DOCUMENT);
  Object.assign(shop.paths['/orders'].post, { 'x-odata': { body: 'verbatim' } });
  const verbatim = useShop(shop);

  it('is not possible behind a link: nothing is put into its bytes', async () => {
    expect((await verbatim.ask(ORDERS, { note: 'x' })).answer).toBe('405 allow: GET, HEAD, OPTIONS');
  });
});
