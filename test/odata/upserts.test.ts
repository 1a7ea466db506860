import { describe, expect, it } from 'vitest';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { changesApi } from './changes-api.ts';
import { useShop } from './changes-client.ts';

/** The same shop, in which orders are there once they are put, too. */
const { '/orders/{id}': ORDER } = CHANGES_DOCUMENT.paths;
const { patch, ...others } = ORDER;
const put = {
  ...patch,
  operationId: 'putOrder',
  responses: { ...patch.responses, 201: patch.responses[200] },
};
const DOCUMENT = {
  ...CHANGES_DOCUMENT,
  paths: { ...CHANGES_DOCUMENT.paths, '/orders/{id}': { ...others, put } },
};

/** Entities that their clients give keys of a certain form. */
const withKey = (path: string, name: string, key: string, schema: object) => {
  const entity = { type: 'object', required: [key], properties: { [key]: schema, text: { type: 'string' } } };
  const described = (of: object) => ({
    description: 'Done.',
    content: { 'application/json': { schema: of } },
  });
  const $ref = `#/components/schemas/${name}`;
  return {
    schemas: { [name]: entity },
    paths: {
      [path]: {
        get: {
          operationId: path.slice(1),
          responses: { 200: described({ type: 'array', items: { $ref } }) },
        },
      },
      [`${path}/{${key}}`]: {
        parameters: [{ name: key, in: 'path', required: true, schema }],
        get: { operationId: `read${name}`, responses: { 200: described({ $ref }) } },
        put: {
          operationId: `put${name}`,
          requestBody: described({ $ref }),
          responses: { 200: described({ $ref }), 201: described({ $ref }) },
        },
      },
    },
  };
};
const codes = withKey('/codes', 'Code', 'code', { type: 'string', pattern: '^[a-z]{2}$' });
const levels = withKey('/levels', 'Level', 'id', { type: 'integer', format: 'int32', maximum: 5 });
const KEYED = {
  openapi: '3.1.0',
  info: { title: 'Keyed', version: '1.0.0' },
  servers: [{ url: 'http://localhost' }],
  paths: { ...codes.paths, ...levels.paths },
  components: { schemas: { ...codes.schemas, ...levels.schemas } },
};

const { ask, gateway } = useShop(DOCUMENT);
const keyed = useShop(KEYED);

const NEW = '{"@odata.context":"~/$metadata#Setting/$entity","Name":"font","Value":"serif"}';
const PUT = 'PUT /settings/font {"value":"serif","name":"font"}';

describe('a change of what is not there (Part 1, 11.4.4)', () => {
  it.each(['PUT', 'PATCH'])('creates it: %s', async (method) => {
    expect(await ask(`${method} Setting('font')`, { Value: 'serif' })).toStrictEqual({
      answer: "201 location: ~/Setting('font')",
      body: NEW,
      sent: [PUT],
    });
    expect((await ask(`${method} Setting('font')`, { Value: 'sans' })).answer).toBe('204');
  });

  it('has the key of the URL, and the form that the client prefers', async () => {
    const headers = { prefer: 'return=minimal', 'if-none-match': '*' };
    expect(await ask("PUT Setting('font')", { Name: 'other', Value: 'serif' }, headers)).toStrictEqual({
      answer:
        "204 location: ~/Setting('font') odata-entityid: ~/Setting('font') preference-applied: return=minimal",
      body: '',
      sent: ['PUT /settings/font {"name":"font","value":"serif"}'],
    });
    expect((await ask("PUT Setting('font')", { Value: 'serif' }, headers)).answer).toBe('412');
  });

  it('is prevented by If-Match (8.2.4)', async () => {
    for (const tag of ['*', '"r1"']) {
      expect(await ask("PUT Setting('font')", { Value: 'serif' }, { 'if-match': tag })).toStrictEqual({
        answer: '412',
        body: '{"error":{"code":"PreconditionFailed","message":"If-Match: expected an entity in the given state, found none."}}',
        sent: [],
      });
    }
  });

  it.each([
    ['pattern', "Code('x')", 'Code: expected text that matches ^[a-z]{2}$, found other text.', 'Code', 'ab'],
    ['range', 'Level(9)', 'Id: expected at most 5, found 9.', 'Id', 1],
  ])('has a key within its %s, whatever the body has in its place', async (_, url, message, key, value) => {
    for (const method of ['PUT', 'PATCH']) {
      expect(await keyed.ask(`${method} ${url}`, { Text: 'x', [key]: value })).toStrictEqual({
        answer: '400',
        body: JSON.stringify({ error: { code: 'BadRequest', message, target: key } }),
        sent: [],
      });
    }
  });

  it('has a length of its key that fits', async () => {
    const { answer, body, sent } = await ask(`PUT Setting('${'x'.repeat(21)}')`, { Value: 'serif' });
    expect([answer, JSON.parse(body).error.message, sent]).toStrictEqual([
      '400',
      'Name: expected at most 20 characters, found 21.',
      [],
    ]);
  });

  it('is NotFound where the upstream creates nothing so', async () => {
    for (const method of ['PUT', 'PATCH']) {
      expect((await ask(`${method} Customer(9)`, { Name: 'x' })).answer).toBe('404');
    }
    expect((await ask('GET Customer')).body).not.toContain('"x"');
  });
});

describe('a change that creates entities together (11.4.4, as 11.4.2.2)', () => {
  const CONTEXT = '{"@odata.context":"~/$metadata#Order/$entity","@odata.etag":"W/\\"r1\\"",';

  it.each(['PUT', 'PATCH'])('creates them in the order in which they need each other: %s', async (method) => {
    const items = [{ Product: 'tea', Count: 1 }, { Product: 'milk' }];
    const body = { Note: 'x', Customer: { Name: 'Joe' }, Items: items, Tags: [{ '@id': "Tag('red')" }] };
    expect(await ask(`${method} Order(70)`, body)).toStrictEqual({
      answer: '201 location: ~/Order(70) etag: W/"r1"',
      body:
        `${CONTEXT}"Id":70,"Note":"x","CustomerId":10,"Customer":{"Id":10,"Name":"Joe","City":null},` +
        '"Items":[{"Number":11,"Product":"tea","Count":1},{"Number":12,"Product":"milk","Count":null}]}',
      sent: [
        'POST /customers {"name":"Joe"}',
        'PUT /orders/70 {"note":"x","customer_id":10}',
        'POST /orders/70/items {"product":"tea","count":1}',
        'POST /orders/70/items {"product":"milk"}',
        'PUT /orders/70/tags/red',
      ],
    });
  });

  it.each([
    [{ 'Tags@odata.bind': ["Tag('red')", "Tag('blue')"] }],
    [{ 'Tags@bind': ["Tag('red')", "Tag('blue')"] }],
    [{ Tags: [{ '@odata.id': "Tag('red')" }, { '@id': "/odata/Tag('blue')" }] }],
  ])('makes links to what is there: %j', async (links) => {
    const body = { 'Customer@odata.bind': 'Customer(2)', ...links };
    expect(await ask('PUT Order(70)', body)).toStrictEqual({
      answer: '201 location: ~/Order(70) etag: W/"r1"',
      body: `${CONTEXT}"Id":70,"Note":null,"CustomerId":2}`,
      sent: ['PUT /orders/70 {"customer_id":2}', 'PUT /orders/70/tags/red', 'PUT /orders/70/tags/blue'],
    });
  });

  it.each(['PUT', 'PATCH'])('takes what a delta adds for all that there is: %s', async (method) => {
    const body = {
      'Items@delta': [
        { '@removed': { reason: 'changed' }, Number: 1 },
        { Product: 'tea', Count: 1 },
      ],
      'Tags@odata.delta': [
        { '@id': "Tag('red')" },
        { '@removed': { reason: 'deleted' }, '@id': "Tag('blue')" },
      ],
    };
    expect(await ask(`${method} Order(70)`, body)).toStrictEqual({
      answer: '201 location: ~/Order(70) etag: W/"r1"',
      body: `${CONTEXT}"Id":70,"Note":null,"CustomerId":null,"Items":[{"Number":10,"Product":"tea","Count":1}]}`,
      sent: [
        'PUT /orders/70 {}',
        'POST /orders/70/items {"product":"tea","count":1}',
        'PUT /orders/70/tags/red',
      ],
    });
  });

  it('takes the delta of an entity that turns out to be new with others', async () => {
    const order = { Note: 'x', 'Items@delta': [{ Product: 'tea' }] };
    expect((await ask('PATCH Customer(1)', { 'Orders@delta': [order] })).sent).toStrictEqual([
      'POST /orders {"note":"x","customer_id":1}',
      'POST /orders/10/items {"product":"tea"}',
    ]);
  });

  it.each([
    ['a change of what is there', { 'Tags@delta': [{ '@id': "Tag('red')", Name: 'x' }] }, 'Tags@delta/0'],
    ['a removal of nothing', { 'Tags@delta': [{ '@removed': {} }] }, 'Tags@delta/0'],
    ['no array', { 'Tags@delta': {} }, 'Tags@delta'],
  ])('refuses a delta with %s', async (_, body, target) => {
    const found = await ask('PUT Order(70)', body);
    expect([found.answer, found.sent, JSON.parse(found.body).error.target]).toStrictEqual([
      '400',
      [],
      target,
    ]);
  });

  it('keeps deltas from what is a creation by its method', async () => {
    expect(await ask('POST Order', { 'Items@delta': [{ Product: 'tea' }] })).toMatchObject({
      answer: '400',
      body: '{"error":{"code":"BadRequest","message":"Items@delta: expected all of the related entities, found a delta.","target":"Items@delta"}}',
      sent: [],
    });
  });

  it('is answered as the client prefers', async () => {
    const body = { Note: 'x', Items: [{ Product: 'tea' }] };
    expect(await ask('PUT Order(70)', body, { prefer: 'return=minimal' })).toMatchObject({
      answer:
        '204 location: ~/Order(70) odata-entityid: ~/Order(70) etag: W/"r1" preference-applied: return=minimal',
      body: '',
    });
    expect((await ask('PATCH Order(71)?$select=Note&$expand=Items($select=Product)', body)).body).toBe(
      '{"@odata.context":"~/$metadata#Order(Note,Items(Product))/$entity","@odata.id":"Order(71)","@odata.etag":"W/\\"r1\\"","Note":"x",' +
        '"Items":[{"@odata.id":"Order(71)/Items(11)","Product":"tea"}]}',
    );
  });

  it.each([
    [{ Note: 'x', Items: [{ Product: 'tea', Nope: 1 }] }, '400', 'Items/0/Nope'],
    [{ Items: [{ Count: 1 }] }, '400', 'Items/0/Product'],
    [{ 'Tags@odata.bind': ["Tag('red')", "Tag('nope')"] }, '400', 'Tags@odata.bind/1'],
    [{ 'Customer@odata.bind': 'Customer(9)', Items: [{ Product: 'tea' }] }, '400', 'Customer@odata.bind'],
    [{ Items: [{ Product: 'tea' }], Tags: [{ Name: 'new' }] }, '501', 'Tags'],
  ])('checks all of it before anything is sent: %j', async (body, answer, target) => {
    const found = await ask('PUT Order(70)', body);
    expect([found.answer, found.sent, JSON.parse(found.body).error.target]).toStrictEqual([
      answer,
      [],
      target,
    ]);
  });

  it('takes back what was created where a part fails', async () => {
    const body = { Note: 'x', Customer: { Name: 'Joe' }, Items: [{ Product: 'tea' }, { Product: 'fail' }] };
    const { answer, body: text, sent } = await ask('PUT Order(70)', body);
    const { details } = JSON.parse(text).error;
    expect([answer, details.map(({ message }: { message: string }) => message)]).toStrictEqual([
      '502',
      [
        '"Order(70)/Items(11)": it is deleted again.',
        '"Order(70)": it is deleted again.',
        '"Customer(10)": it is deleted again.',
      ],
    ]);
    expect(sent.slice(-3)).toStrictEqual([
      'DELETE /orders/70/items/11',
      'DELETE /orders/70',
      'DELETE /customers/10',
    ]);
  });

  it('takes back what went before where the entity itself is refused', async () => {
    const { answer, sent } = await ask('PUT Order(70)', { Note: 'refuse 409', Customer: { Name: 'Joe' } });
    expect([answer, sent.at(-1)]).toStrictEqual(['409', 'DELETE /customers/10']);
  });

  it('takes links back with it', async () => {
    const otherwise = changesApi();
    gateway.upstream.behave((request, reply) => {
      if (request.method === 'PUT' && request.target.endsWith('/blue')) reply.send(500);
      else otherwise(request, reply);
    });
    const body = { 'Tags@odata.bind': ["Tag('red')", "Tag('blue')"] };
    expect((await ask('PUT Order(70)', body)).sent.slice(-2)).toStrictEqual([
      'DELETE /orders/70/tags/red',
      'DELETE /orders/70',
    ]);
  });
});

describe('a change of what is there', () => {
  it('is no creation', async () => {
    expect(await ask("PUT Setting('colour')", { Value: 'red' })).toStrictEqual({
      answer: '204',
      body: '',
      sent: ['PUT /settings/colour {"name":"colour","value":"red"}'],
    });
  });
});
