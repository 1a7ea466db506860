import { describe, expect, it } from 'vitest';
import { useShop } from './changes-client.ts';

const { ask, gateway } = useShop();

const badRequest = (message: string, target: string) => ({
  answer: '400',
  body: JSON.stringify({ error: { code: 'BadRequest', message, target } }),
  sent: [],
});
const done = (...sent: readonly string[]) => ({ answer: '204', body: '', sent });
const notPossible = (method: string, allow: string) => ({
  answer: `405 allow: ${allow}`,
  body: `{"error":{"code":"MethodNotAllowed","message":"${method} is not allowed here; allowed: ${allow}."}}`,
  sent: [],
});

describe('links that are made (Part 1, 11.4.6.1 and 11.4.6.3)', () => {
  it.each([
    ['by the foreign key', 'PUT Order(2)/Customer/$ref', 'Customer(2)', 'PATCH /orders/2 {"customer_id":2}'],
    ['by the related key', 'POST Customer(2)/Orders/$ref', 'Order(1)', 'PATCH /orders/1 {"customer_id":2}'],
    ['by a path', 'POST Order(1)/Tags/$ref', "Tag('blue')", 'PUT /orders/1/tags/blue'],
    [
      'by a body',
      'POST Customer(1)/Friends/$ref',
      'Customer(2)',
      'POST /customers/1/friends {"friend_id":2}',
    ],
  ])('%s', async (_, call, id, sent) => {
    const absolute = `${gateway.url}/odata/${id}`;
    const references = [
      { '@odata.id': id },
      { '@id': `/odata/${id}` },
      { '@odata.context': 'x', '@id': absolute },
      // JSON Format, 4.3: relative to the URL of the request.
      { '@odata.id': `../../${id}` },
      { '@id': `./../.././${id}` },
    ];
    for (const reference of references) {
      expect(await ask(call, reference)).toStrictEqual(done(sent));
    }
  });

  const call = 'PUT Order(1)/Customer/$ref';
  it.each([
    [{}, '@odata.id: expected the URL of an entity, found none.', '@odata.id'],
    [{ '@id': 1 }, '@id: expected the URL of an entity, found none.', '@id'],
    [
      { '@odata.id': 'Customer(1)', Name: 'x' },
      'Name: expected nothing but an entity reference, found a property.',
      'Name',
    ],
    [
      { '@odata.id': 'Customer' },
      '@odata.id: expected the entity-id of a single entity, found "Customer".',
      '@odata.id',
    ],
    [
      { '@odata.id': 'http://elsewhere/Customer(1)' },
      '@odata.id: expected the entity-id of an entity of this service, found "http://elsewhere/Customer(1)".',
      '@odata.id',
    ],
    [
      { '@odata.id': '../../../Customer(1)' },
      '@odata.id: expected the entity-id of an entity of this service, found "../../../Customer(1)".',
      '@odata.id',
    ],
    [
      { '@odata.id': '../Customer(1)' },
      '@odata.id: expected the entity-id of an entity of this service, found "../Customer(1)".',
      '@odata.id',
    ],
    [
      { '@odata.id': 'Customer(x)' },
      '@odata.id: expected the entity-id of an entity of this service, found "Customer(x)".',
      '@odata.id',
    ],
    [
      { '@odata.id': 'Order(1)' },
      '@odata.id: expected the entity-id of an entity of type Shop.Customer, found "Order(1)".',
      '@odata.id',
    ],
    [
      { '@odata.id': 'Customer(9)' },
      '@odata.id: expected an entity that is there, found "Customer(9)".',
      '@odata.id',
    ],
  ])('are refused for %j', async (body, message, target) => {
    expect(await ask(call, body)).toStrictEqual(badRequest(message, target));
  });
});

describe('links that are taken away (Part 1, 11.4.6.2)', () => {
  it.each([
    ['DELETE Order(1)/Customer/$ref', 'PATCH /orders/1 {"customer_id":null}'],
    ['DELETE Customer(1)/Orders/$ref?$id=Order(1)', 'PATCH /orders/1 {"customer_id":null}'],
    ['DELETE Customer(1)/Orders(1)/$ref', 'PATCH /orders/1 {"customer_id":null}'],
    ["DELETE Order(1)/Tags/$ref?$id=Tag('red')", 'DELETE /orders/1/tags/red'],
    ["DELETE Order(1)/Tags('red')/$ref", 'DELETE /orders/1/tags/red'],
    ['DELETE Customer(1)/Friends/$ref?$id=~/Customer(2)', 'DELETE /customers/1/friends/2'],
    ["DELETE Order(1)/Tags/$ref?$id=../../Tag('red')", 'DELETE /orders/1/tags/red'],
  ])('%s', async (call, sent) => {
    expect(await ask(call.replace('~', '/odata'))).toStrictEqual(done(sent));
  });

  it('must be there', async () => {
    for (const call of [
      'DELETE Customer(2)/Orders/$ref?$id=Order(1)',
      "DELETE Order(2)/Tags/$ref?$id=Tag('red')",
    ]) {
      const { answer, sent } = await ask(call);
      expect([answer, sent]).toStrictEqual(['404', []]);
    }
  });

  it('are named by $id in a collection', async () => {
    expect(await ask('DELETE Order(1)/Tags/$ref')).toStrictEqual(
      badRequest('$id: expected the entity-id of the entity whose link is to be removed, found none.', '$id'),
    );
    expect(await ask('DELETE Order(1)/Customer/$ref?$id=Customer(1)')).toStrictEqual(
      badRequest('$id does not apply to a link', '$id'),
    );
  });
});

describe('what is not offered', () => {
  it('is 405 with what is (Part 1, 9.2.2)', async () => {
    expect(await ask('POST Order(1)/Customer/$ref', { '@id': 'Customer(1)' })).toStrictEqual(
      notPossible('POST', 'GET, HEAD, PUT, DELETE, OPTIONS'),
    );
    expect(await ask('PUT Order(1)/Tags/$ref', { '@id': "Tag('red')" })).toStrictEqual(
      notPossible('PUT', 'GET, HEAD, POST, DELETE, OPTIONS'),
    );
    expect(await ask('POST Order(1)/Items/$ref', { '@id': 'Order(1)/Items(1)' })).toStrictEqual(
      notPossible('POST', 'GET, HEAD, OPTIONS'),
    );
  });
});

describe('references in bodies (Part 1, 11.4.2.1; JSON Format, 8.5)', () => {
  const ORDER = '{"@odata.context":"~/$metadata#Order/$entity","Id":10,"Note":null,"CustomerId":2}';

  it.each([
    [{ 'Customer@odata.bind': 'Customer(2)' }],
    [{ 'Customer@bind': 'Customer(2)' }],
    [{ Customer: { '@odata.id': '/odata/Customer(2)' } }],
    [{ Customer: { '@id': 'Customer(2)' }, CustomerId: 2 }],
  ])('are the foreign key of what is created: %j', async (body) => {
    const { answer, ...others } = await ask('POST Order', body);
    expect(answer).toMatch(/^201 location: ~\/Order\(10\)/);
    expect(others).toStrictEqual({ body: ORDER, sent: ['POST /orders {"customer_id":2}'] });
  });

  it.each([
    ['PATCH Order(1)', { 'Customer@odata.bind': 'Customer(2)', Note: 'x' }, '{"note":"x","customer_id":2}'],
    ['PATCH Order(1)', { Customer: null }, '{"customer_id":null}'],
    ['PATCH Order(1)', { 'Customer@odata.bind': null }, '{"customer_id":null}'],
  ])('%s %j', async (call, body, sent) => {
    expect((await ask(call, body)).sent).toStrictEqual([`PATCH /orders/1 ${sent}`]);
  });

  it.each([
    [
      { 'Customer@odata.bind': 'Order(1)' },
      'Customer@odata.bind: expected the entity-id of an entity of type Shop.Customer, found "Order(1)".',
      'Customer@odata.bind',
    ],
    [
      { 'Customer@odata.bind': 'Customer(9)' },
      'Customer@odata.bind: expected an entity that is there, found "Customer(9)".',
      'Customer@odata.bind',
    ],
    [
      { 'Customer@odata.bind': 'customer(1)' },
      'Customer@odata.bind: expected the entity-id of an entity of this service, found "customer(1)": is "Customer" meant?',
      'Customer@odata.bind',
    ],
    [
      { Customer: { '@id': '/odata/Custommer(1)' } },
      'Customer: expected the entity-id of an entity of this service, found "/odata/Custommer(1)": is "Customer" meant?',
      'Customer',
    ],
    [
      { 'Customer@odata.bind': `Customer(${'9'.repeat(9000)})` },
      `Customer@odata.bind: expected the entity-id of an entity of this service, found "Customer(${'9'.repeat(91)}…".`,
      'Customer@odata.bind',
    ],
    [
      { 'Customer@odata.bind': 1 },
      'Customer@odata.bind: expected a URL, found a number.',
      'Customer@odata.bind',
    ],
    [
      { 'Nope@odata.bind': 'Customer(1)' },
      'Nope@odata.bind: expected a navigation property of Shop.Order, found another name.',
      'Nope@odata.bind',
    ],
    [
      { Customer: { '@id': 'Customer(1)' }, CustomerId: 2 },
      'Customer: expected the entity that "CustomerId" says, found another one.',
      'Customer',
    ],
  ])('are refused: %j', async (body, message, target) => {
    for (const call of ['POST Order', 'PATCH Order(1)']) {
      expect(await ask(call, body)).toStrictEqual(badRequest(message, target));
    }
  });
});

describe('what $metadata says of links (vocabulary Capabilities)', () => {
  const claims = async (set: string) => {
    const { body } = await ask('GET $metadata?$format=json');
    const { Container } = JSON.parse(body).Shop;
    return Object.fromEntries(
      (['Insert', 'Update', 'Delete'] as const).map((kind) => {
        const { [`@Capabilities.${kind}Restrictions`]: said } = Container[set];
        const term = { Insert: 'NonInsertable', Update: 'NonUpdatable', Delete: 'NonDeletable' }[kind];
        return [kind, said?.[`${term}NavigationProperties`] ?? []];
      }),
    );
  };

  it('is what can be done', async () => {
    expect(await claims('Order')).toStrictEqual({ Insert: ['Tags'], Update: ['Items'], Delete: ['Items'] });
    expect(await claims('Customer')).toStrictEqual({ Insert: [], Update: [], Delete: [] });
    for (const [path, allow] of [
      ['Order(1)/Items', 'GET, HEAD, OPTIONS'],
      ['Order(1)/Tags', 'GET, HEAD, POST, DELETE, OPTIONS'],
      ['Order(1)/Customer', 'GET, HEAD, PUT, DELETE, OPTIONS'],
      ['Customer(1)/Friends', 'GET, HEAD, POST, DELETE, OPTIONS'],
    ]) {
      expect((await ask(`OPTIONS ${path}/$ref`)).answer).toBe(`204 allow: ${allow}`);
    }
  });
});

/** One request may take as long as its upstream takes for all of them, but keeps no other request waiting. */
describe('a body with very many links', () => {
  const links = Array.from({ length: 20_000 }, (_, index) => `Tag('r${index}')`);
  const missing = 'expected an entity that is there, found "Tag(\'r0\')".';
  it.each([
    ['PATCH', 'Order(1)', { 'Tags@odata.bind': links }, `Tags@odata.bind/0: ${missing}`],
    ['POST', 'Order', { 'Tags@odata.bind': links }, `Tags@odata.bind/0: ${missing}`],
    ['PATCH', 'Order(1)', { Tags: links.map((id) => ({ '@id': id })) }, `Tags/0: ${missing}`],
  ])('is refused at the first one that leads nowhere: %s %s', async (method, path, body, message) => {
    const headers = { 'content-type': 'application/json' };
    const url = `${gateway.url}/odata/${path}`;
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    expect(await answer.json()).toMatchObject({ error: { message } });
  });
});
