import { describe, expect, it } from 'vitest';
import { type Ask, useShop } from './changes-client.ts';

const { ask, gateway } = useShop();

type Sent = Parameters<Ask>;

/** The request → the answer's status and what its header says of the resource; and what the upstream was sent. */
type Rule = readonly [request: Sent, answer: string, sent?: readonly string[]];

async function holds(request: Rule[0], answer: Rule[1], sent: readonly string[] = []): Promise<void> {
  const found = await ask(...request);
  expect([found.answer, found.sent]).toStrictEqual([answer, sent]);
}

/** Under names that say the whole request. */
function casesOf(rules: readonly Rule[]) {
  return rules.map((rule) => {
    const [[call, ...more], answer] = rule;
    return { call: [call, ...more.map((each) => JSON.stringify(each))].join(' '), answer, rule };
  });
}

const MINIMAL = { prefer: 'return=minimal' };

/** 47. */
const VALUES: readonly Rule[] = [
  [['GET Order(2)/Note'], '204 etag: W/"r1"'],
  [['GET Order(2)/Note/$value'], '204 etag: W/"r1"'],
  [['GET Order(2)/Customer'], '204'],
  [['GET Order(2)/Nope'], '404'],
  [['GET Order(9)/Note'], '404'],
  [['GET Order(9)/Customer'], '404'],
  [['GET Order(9)'], '404'],
  [['GET Order(1)/$value'], '400'],
  [['GET Customer/$value'], '400'],
];

describe('what is null or not there (Part 1, 11.2.3, 11.2.4, 11.2.7)', () => {
  it.each(casesOf(VALUES))('$call is $answer', async ({ rule }) => holds(...rule));
});

/** 50 and 51. */
const CREATES: readonly Rule[] = [
  [['POST Order', { Note: 'x' }], '201 location: ~/Order(10)', ['POST /orders {"note":"x"}']],
  [
    ['POST Order', { Note: 'x' }, MINIMAL],
    '204 location: ~/Order(10) odata-entityid: ~/Order(10) preference-applied: return=minimal',
    ['POST /orders {"note":"x"}'],
  ],
  [
    ['POST Order', { Note: 'x' }, { prefer: 'return=representation' }],
    '201 location: ~/Order(10) preference-applied: return=representation',
    ['POST /orders {"note":"x"}'],
  ],
  [['POST Order?$select=Id', {}, MINIMAL], '201 location: ~/Order(10)', ['POST /orders {}']],
  [['POST Order?$expand=Items', {}, MINIMAL], '201 location: ~/Order(10)', ['POST /orders {}']],
  [['POST Order', { Id: 77, Note: 'x' }], '201 location: ~/Order(10)', ['POST /orders {"note":"x"}']],
  [['POST Order', { Nope: 1 }], '400'],
  [['POST Customer', {}], '400'],
  [['POST Order', { Note: 'refuse 409' }], '409', ['POST /orders {"note":"refuse 409"}']],
];

describe('a create (Part 1, 9.1.2, 8.3.3, 8.3.4, 11.4.1.5 and 11.4.2)', () => {
  it.each(casesOf(CREATES))('$call is $answer', async ({ rule }) => holds(...rule));
});

/** 52. */
const UPDATES: readonly Rule[] = [
  [['PATCH Customer(1)', { City: 'Bonn' }], '204', ['PATCH /customers/1 {"city":"Bonn"}']],
  [['PUT Customer(1)', { Name: 'x' }], '204', ['PATCH /customers/1 {"city":null,"name":"x"}']],
  [['PUT Customer(1)', { City: 'Bonn' }], '400'],
  [['PATCH Customer(1)', { Id: 2, City: 'Bonn' }], '204', ['PATCH /customers/1 {"city":"Bonn"}']],
  [['PATCH Customer(1)', {}, MINIMAL], '204 preference-applied: return=minimal', ['PATCH /customers/1 {}']],
];

describe('an update (Part 1, 11.4.3 and 11.4.4)', () => {
  it.each(casesOf(UPDATES))('$call is $answer', async ({ rule }) => holds(...rule));
});

/** 54. */
const METHODS: readonly Rule[] = [
  [['DELETE Tag'], '405 allow: GET, HEAD, OPTIONS'],
  [["PATCH Tag('red')", {}], '405 allow: GET, HEAD, OPTIONS'],
  [['POST Setting', {}], '405 allow: GET, HEAD, OPTIONS'],
  [['PUT Order(1)/Id', { value: 2 }], '405 allow: GET, HEAD, OPTIONS'],
  [["PATCH Tag('red')", {}], '405 allow: GET, HEAD, OPTIONS'],
  [['POST Order(1)', {}], '405 allow: GET, HEAD, PATCH, PUT, DELETE, OPTIONS'],
  [['DELETE $metadata'], '405 allow: GET, HEAD, OPTIONS'],
];

describe('a method that the upstream has nothing for (Part 1, 9.2.2)', () => {
  it.each(casesOf(METHODS))('$call is $answer', async ({ rule }) => holds(...rule));
});

describe('an error (Part 1, 9.4; JSON Format, 21.1)', () => {
  it('has a code, a message, what is wrong where, a language, and no context', async () => {
    const { status, headers, text } = await gateway.fetch('/odata/Order', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"Note":1,"CustomerId":"x","Nope":[]}',
    });
    expect([status, headers.get('content-language'), headers.get('odata-version')]).toStrictEqual([
      400,
      'en',
      '4.0',
    ]);
    const code = 'BadRequest';
    expect(JSON.parse(text)).toStrictEqual({
      error: {
        code,
        message: 'Note: expected Edm.String, found a number.',
        target: 'Note',
        details: [
          { code, message: 'CustomerId: expected Edm.Int32, found a string.', target: 'CustomerId' },
          {
            code,
            message: 'Nope: expected the name of a property of Shop.Order, found none of them.',
            target: 'Nope',
          },
        ],
      },
    });
  });
});

describe('what the service cannot promise', () => {
  it('is told: snapshots (Part 1, 8.2.6), and other versions of the schema (11.2.12)', async () => {
    await holds(['GET Order(1)', undefined, { isolation: 'snapshot' }], '412');
    await holds(['GET Order(1)?$schemaversion=7'], '404');
    await holds(['POST Order?$schemaversion=7', {}], '404');
  });
});

describe('a batch (Part 1, 11.7)', () => {
  const batch = async (requests: readonly object[], headers: Readonly<Record<string, string>> = {}) => {
    const { status, text } = await gateway.fetch('/odata/$batch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ requests }),
    });
    return { status, text };
  };
  const statuses = (text: string): readonly number[] =>
    JSON.parse(text).responses.map(({ status }: { status: number }) => status);

  it('is a 200 even where parts of it fail, and what depends on these is 424', async () => {
    const { status, text } = await batch(
      [
        { id: '1', method: 'GET', url: 'Order(9)' },
        { id: '2', method: 'GET', url: 'Order(1)', dependsOn: ['1'] },
        { id: '3', method: 'GET', url: 'Order(1)' },
      ],
      { prefer: 'continue-on-error' },
    );
    expect([status, statuses(text)]).toStrictEqual([200, [404, 424, 200]]);
  });

  it('takes URLs of every kind, and references to what its requests created', async () => {
    const { text } = await batch([
      { id: '1', method: 'GET', url: `${gateway.url}/odata/Order(1)` },
      { id: '2', method: 'GET', url: '/odata/Order(1)' },
      { id: '3', method: 'GET', url: 'Order(1)' },
      { id: '4', method: 'POST', url: 'Order', body: { Note: 'x' } },
      { id: '5', method: 'GET', url: '$4/Note' },
      { id: '6', method: 'POST', url: 'Order', body: { 'Customer@odata.bind': 'Customer(1)' } },
    ]);
    expect(statuses(text)).toStrictEqual([200, 200, 200, 201, 200, 201]);
  });

  it('is answered in the form that Accept names', async () => {
    const requests = [{ id: '1', method: 'GET', url: 'Order(1)' }];
    expect((await batch(requests, { accept: 'multipart/mixed' })).text).toMatch(
      /^--batchresponse_.*Content-Type: application\/http\r\n.*Content-ID: 1\r\n\r\nHTTP\/1.1 200 OK\r\n/s,
    );
  });

  it('has no credentials of its own in its parts (11.7.7.1)', async () => {
    const other = { id: '1', method: 'GET', url: 'Order(1)', headers: { authorization: 'Basic eDp5' } };
    expect((await batch([other])).status).toBe(400);
  });

  it('binds to what it has created before', async () => {
    const before = gateway.upstream.requests.length;
    const group = { atomicityGroup: 'g' };
    const { text } = await batch([
      { id: '1', method: 'POST', url: 'Customer', body: { Name: 'Eve' }, ...group },
      { id: '2', method: 'POST', url: 'Order', body: { 'Customer@odata.bind': '$1' }, ...group },
    ]);
    expect(statuses(text)).toStrictEqual([201, 201]);
    const sent = gateway.upstream.requests.slice(before).filter(({ method }) => method === 'POST');
    expect(sent.map(({ body }) => String(body))).toStrictEqual(['{"name":"Eve"}', '{"customer_id":10}']);
  });
});
