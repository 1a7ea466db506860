import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutDigest } from '../support/entity-tag.ts';
import { useGateway } from '../support/running-gateway.ts';
import { ORDERS_DOCUMENT } from './resources.document.ts';

const project = mkdtempSync(join(tmpdir(), 'orders-'));
writeFileSync(join(project, 'orders.json'), JSON.stringify(ORDERS_DOCUMENT));
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Orders\n    handler:\n      openapi:\n        source: ./orders.json\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml'), MEMORY_MIB: '0' });

const BUYER = { code: 'x', name: 'X', rank: 1 };
const ORDER = { id: 1, note: 'n', tags: ['a'], 'ship-to': { street: 'S', city: 'C' }, buyer: BUYER };
const FOUND: Readonly<Record<string, unknown>> = {
  '/orders': [ORDER],
  '/orders?customer=x': [ORDER],
  '/orders/1': ORDER,
  '/orders/2': { id: 2 },
  '/customers': [BUYER],
  '/customers/x': BUYER,
};

/** Has an order and its buyer, answers changes with what it is sent. */
beforeEach(() =>
  gateway.upstream.behave(({ method, target, body }, reply) => {
    if (method === 'DELETE') reply.send(204);
    else if (method !== 'GET') reply.send(method === 'POST' ? 201 : 200, body);
    else if (target.startsWith('/echo')) reply.json('ok');
    else if (FOUND[target] === undefined) reply.send(404, '{}');
    else reply.json(FOUND[target]);
  }),
);

interface Answered {
  readonly status: number;
  readonly body: string;
  /** The requests that the upstream received, with bodies. */
  readonly asked: readonly string[];
}

async function ask(call: string, body?: string): Promise<Answered> {
  const before = gateway.upstream.requests.length;
  const [, method = '', path = ''] = /^(\w+) (.*)$/.exec(call) ?? [];
  const headers = { 'content-type': 'application/json' };
  const answer = await gateway.fetch(`/odata/${path}`, { method, headers, body: body ?? null });
  const requested = gateway.upstream.requests
    .slice(before)
    .map((request) => `${request.method} ${request.target} ${request.body}`.trimEnd());
  const text = withoutDigest(answer.text, answer);
  return { status: answer.status, body: text.replaceAll(`${gateway.url}/odata`, '~'), asked: requested };
}

describe('keys of every type (Part 2, 4.3)', () => {
  it.each([
    ["Text('a''b%2Fc%20d')", "/Text/a'b%2Fc%20d"],
    ["Text('..%2Fusers')", '/Text/..%2Fusers'],
    ["Text('%2E%2E%2F..%5C%252F')", '/Text/..%2F..%5C%252F'],
    ['Whole(-5)', '/Whole/-5'],
    ['Long(9007199254740993)', '/Long/9007199254740993'],
    ['Exact(12345678901234567890.5)', '/Exact/12345678901234567890.5'],
    ['Truth(true)', '/Truth/true'],
    ['Day(2024-02-29)', '/Day/2024-02-29'],
    ['Moment(2024-02-29T12:00:00%2B01:00)', '/Moment/2024-02-29T12%3A00%3A00%2B01%3A00'],
    ['Clock(12:30:00)', '/Clock/12%3A30%3A00'],
    ["Span(duration'PT1H')", '/Span/PT1H'],
    ["Span('PT1H')", '/Span/PT1H'],
    ['Unique(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)', '/Unique/2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9'],
    ["Colour('dark_red')", '/Colour/dark%20red'],
    ["Colour(Orders.ColourKey'green')", '/Colour/green'],
    ['Text/a%2Fb', '/Text/a%2Fb'],
    ['Day/2024-02-29', '/Day/2024-02-29'],
    ['Colour/green', '/Colour/green'],
    ['Truth(@k)?@k=false', '/Truth/false'],
  ])('%s', async (path, asked) => {
    const answered = await ask(`GET ${path}`);
    expect([answered.status, ...answered.asked]).toEqual([404, `GET ${asked}`]);
  });

  it.each([
    ["Colour('pink')", "Key of Colour, Key: expected a value of ColourKey, found 'pink'."],
    ["Colour(Orders.Other'green')", 'Key of Colour, Key: expected a value of ColourKey, found green.'],
    ['Truth(1)', 'Key of Truth, Key: expected a value of Edm.Boolean, found 1.'],
    ['Day(2024-02-30)', 'Key of Day, Key: expected a value of Edm.Date, found 2024-02-30.'],
    ["Moment('x')", "Key of Moment, Key: expected a value of Edm.DateTimeOffset, found 'x'."],
    ["Exact('1')", "Key of Exact, Key: expected a value of Edm.Decimal, found '1'."],
  ])('%s does not fit', async (path, message) => {
    const body = JSON.stringify({ error: { code: 'BadRequest', message } });
    expect(await ask(`GET ${path}`)).toEqual({ status: 400, body, asked: [] });
  });
});

describe('parameters of every type (Part 2, 4.5)', () => {
  it.each([
    [
      "Echo(Text='a',Whole=1,Long=2,Exact=1.5,Floating=0.5,Truth=true,Day=2024-01-01)",
      '/echo?text=a&whole=1&long=2&exact=1.5&truth=true&day=2024-01-01&floating=0.5',
    ],
    [
      "Echo(Moment=2024-01-01T00:00:00Z,Clock=12:00:00,Span=duration'PT1H',Colour='dark_red')",
      '/echo?moment=2024-01-01T00%3A00%3A00Z&clock=12%3A00%3A00&span=PT1H&colour=dark%20red',
    ],
    ['Echo(Texts=@t)?@t=["a","b"]', '/echo?texts=a&texts=b'],
    ['Echo(Texts=["a","b"])', '/echo?texts=a&texts=b'],
    ['Echo?Whole=1&Colour=green', '/echo?whole=1&colour=green'],
    ['Echo(Whole=null)', '/echo'],
    ['Echo()', '/echo'],
    ['Echo', '/echo'],
  ])('%s', async (path, asked) => {
    expect(await ask(`GET ${path}`)).toEqual({
      status: 200,
      body: '{"@odata.context":"~/$metadata#Edm.String","value":"ok"}',
      asked: [`GET ${asked}`],
    });
  });

  it.each([
    ["Echo(Texts='a')", "Parameter Texts: expected a value of Collection(Edm.String), found 'a'."],
    [
      "Echo(Texts=['a',1])".replaceAll("'", '"'),
      'Parameter Texts: each item: expected a value of Edm.String, which stands in single quotes, found 1.',
    ],
    ["Echo(Truth='true')", "Parameter Truth: expected a value of Edm.Boolean, found 'true'."],
  ])('%s does not fit', async (path, message) => {
    const body = JSON.stringify({ error: { code: 'BadRequest', message } });
    expect(await ask(`GET ${path}`)).toEqual({ status: 400, body, asked: [] });
  });
});

describe('entities that stand in others, and links from there', () => {
  it.each([
    [
      'Order(1)/Buyer',
      200,
      '{"@odata.context":"~/$metadata#Customer/$entity","Code":"x","Name":"X","Rank":1}',
      ['GET /orders/1'],
    ],
    [
      'Order(1)/Buyer/Name',
      200,
      '{"@odata.context":"~/$metadata#Order(1)/Buyer/Name","value":"X"}',
      ['GET /orders/1'],
    ],
    [
      'Order(1)/Buyer/$ref',
      200,
      `{"@odata.context":"~/$metadata#$ref","@odata.id":"Customer('x')"}`,
      ['GET /orders/1'],
    ],
    ['Order(1)/Buyer/Orders/$count', 200, '1', ['GET /orders/1', 'GET /orders?customer=x']],
    [
      "Customer('x')/Orders(1)/Buyer/Name",
      200,
      `{"@odata.context":"~/$metadata#Customer('x')/Orders(1)/Buyer/Name","value":"X"}`,
      ['GET /orders?customer=x'],
    ],
    ['Order(2)/Buyer', 204, '', ['GET /orders/2']],
    ['Order(2)/Buyer/$ref', 204, '', ['GET /orders/2']],
    [
      'Order(2)/Buyer/Name',
      404,
      '{"error":{"code":"NotFound","message":"There is no Order(2)/Buyer."}}',
      ['GET /orders/2'],
    ],
    [
      'Order(9)/Buyer',
      404,
      '{"error":{"code":"NotFound","message":"There is no Order(9)."}}',
      ['GET /orders/9'],
    ],
    [
      'Order?$expand=Buyer($select=Name)&$select=Id',
      200,
      `{"@odata.context":"~/$metadata#Order(Id,Buyer(Name))","value":[{"Id":1,"Buyer":{"@odata.id":"Customer('x')","Name":"X"}}]}`,
      ['GET /orders'],
    ],
    [
      'Order(1)?$expand=Buyer($expand=Orders($select=Id))&$select=Id',
      200,
      '{"@odata.context":"~/$metadata#Order(Id,Buyer(Orders(Id)))/$entity","Id":1,"Buyer":{"Code":"x","Name":"X","Rank":1,"Orders":[{"Id":1}]}}',
      ['GET /orders/1', 'GET /orders?customer=x'],
    ],
    [
      'Order(2)?$expand=Buyer&$select=Id',
      200,
      '{"@odata.context":"~/$metadata#Order(Id)/$entity","Id":2,"Buyer":null}',
      ['GET /orders/2'],
    ],
  ])('%s', async (path, status, body, asked) => {
    expect(await ask(`GET ${path}`)).toEqual({ status, body, asked });
  });
});

describe('what the upstream is sent for a change (Part 1, 11.4.2 to 11.4.4)', () => {
  it.each([
    [
      'POST Order',
      '{"Note":"m","Buyer":{"Code":"y","Name":"Y"}}',
      ['POST /orders {"note":"m","buyer":{"code":"y","name":"Y"}}'],
    ],
    ['PATCH Order(1)', '{"Note":"m","Id":7}', ['PATCH /orders/1 {"note":"m"}']],
    [
      'PATCH Order(1)',
      '{"ShipTo":{"City":"D"}}',
      ['GET /orders/1', 'PATCH /orders/1 {"ship-to":{"street":"S","city":"D"}}'],
    ],
    ['PATCH Order(1)', '{"ShipTo":null}', ['PATCH /orders/1 {"ship-to":null}']],
    ['PUT Order(1)', '{"Note":"m"}', ['PATCH /orders/1 {"note":"m","tags":[],"ship-to":null}']],
    ['PUT Order(1)/Note', '{"value":"m"}', ['PATCH /orders/1 {"note":"m"}']],
    [
      'PUT Order(1)/ShipTo/City',
      '{"value":"D"}',
      ['GET /orders/1', 'PATCH /orders/1 {"ship-to":{"street":"S","city":"D"}}'],
    ],
    ['DELETE Order(1)/ShipTo', undefined, ['PATCH /orders/1 {"ship-to":null}']],
    ['DELETE Order(1)/Tags', undefined, ['PATCH /orders/1 {"tags":[]}']],
    ['DELETE Order(1)', undefined, ['DELETE /orders/1']],
    [
      "PATCH Customer('x')",
      '{"Name":"Y"}',
      ['GET /customers/x', 'PUT /customers/x {"code":"x","name":"Y","rank":1}'],
    ],
    ["PUT Customer('x')", '{"Name":"Y"}', ['PUT /customers/x {"code":"x","name":"Y"}']],
    [
      "PUT Customer('x')",
      '{"Name":"Y","Pass":"p","Rank":3}',
      ['PUT /customers/x {"code":"x","name":"Y","pass":"p","rank":3}'],
    ],
    [
      "PUT Customer('x')/Pass",
      '{"value":"p"}',
      ['GET /customers/x', 'PUT /customers/x {"code":"x","name":"X","rank":1,"pass":"p"}'],
    ],
    [
      "DELETE Customer('x')/Rank",
      undefined,
      ['GET /customers/x', 'PUT /customers/x {"code":"x","name":"X","rank":null}'],
    ],
  ])('%s %s', async (call, sent, asked) => {
    const answered = await ask(call, sent);
    expect([answered.status, ...answered.asked]).toEqual([call.startsWith('POST') ? 201 : 204, ...asked]);
  });
});

const UNKNOWN = 'Nope: expected the name of a property of Orders.Order, found none of them.';
const NUMBER = 'Note: expected Edm.String, found a number.';

describe.each(['POST Order', 'PATCH Order(1)', 'PUT Order(1)'])('%s', (call) => {
  it.each([
    ['{"Nope":1}', UNKNOWN, 'Nope', []],
    ['{"Note":1}', NUMBER, 'Note', []],
    ['{"ShipTo":{"City":[]}}', 'ShipTo/City: expected Edm.String, found an array.', 'ShipTo/City', []],
    ['{"Tags":["a",1]}', 'Tags/1: expected Edm.String, found a number.', 'Tags/1', []],
    ['{"Nope":1,"Note":1}', UNKNOWN, 'Nope', [[NUMBER, 'Note']]],
    ['[]', 'Body: expected a JSON object, found an array.', undefined, []],
    ['{', 'Body: expected a JSON object, found malformed JSON at line 1, column 2.', undefined, []],
  ] as const)('refuses %s before the upstream is asked', async (sent, message, target, details) => {
    const code = 'BadRequest';
    const reported = details.map(([text, place]) => ({ code, message: text, target: place }));
    const answered = await ask(call, sent);
    expect({ ...answered, body: JSON.parse(answered.body) }).toEqual({
      status: 400,
      body: {
        error: {
          code,
          message,
          ...(target && { target }),
          ...(reported.length > 0 && { details: reported }),
        },
      },
      asked: [],
    });
  });
});

describe('what the upstream refuses', () => {
  it.each([
    [
      'POST Order',
      400,
      400,
      'BadRequest',
      'The upstream service rejected the request: something in it is not what it expects.',
    ],
    [
      'PATCH Order(1)',
      400,
      400,
      'BadRequest',
      'The upstream service rejected the request: something in it is not what it expects.',
    ],
    [
      'DELETE Order(1)',
      400,
      400,
      'BadRequest',
      'The upstream service rejected the request: something in it is not what it expects.',
    ],
    [
      'POST Order',
      404,
      502,
      'UpstreamBadResponse',
      'The upstream service sent an answer that cannot be used.',
    ],
    ['PATCH Order(1)', 404, 404, 'NotFound', 'There is no such resource.'],
    ['DELETE Order(1)', 404, 404, 'NotFound', 'There is no such resource.'],
    [
      'POST Order',
      409,
      409,
      'Conflict',
      'This conflicts with what already exists: it may have changed in the meantime, or the key may be taken.',
    ],
    [
      'PATCH Order(1)',
      409,
      409,
      'Conflict',
      'This conflicts with what already exists: it may have changed in the meantime, or the key may be taken.',
    ],
    [
      'DELETE Order(1)',
      409,
      409,
      'Conflict',
      'This conflicts with what already exists: it may have changed in the meantime, or the key may be taken.',
    ],
    [
      'POST Order',
      412,
      412,
      'PreconditionFailed',
      'This has changed in the meantime: read it again before you change it.',
    ],
    [
      'PATCH Order(1)',
      412,
      412,
      'PreconditionFailed',
      'This has changed in the meantime: read it again before you change it.',
    ],
    [
      'DELETE Order(1)',
      412,
      412,
      'PreconditionFailed',
      'This has changed in the meantime: read it again before you change it.',
    ],
    [
      'POST Order',
      422,
      422,
      'UnprocessableContent',
      'The upstream service rejected these values: one of them may be missing or not allowed.',
    ],
    [
      'PATCH Order(1)',
      422,
      422,
      'UnprocessableContent',
      'The upstream service rejected these values: one of them may be missing or not allowed.',
    ],
    [
      'DELETE Order(1)',
      422,
      422,
      'UnprocessableContent',
      'The upstream service rejected these values: one of them may be missing or not allowed.',
    ],
    ['POST Order', 500, 502, 'UpstreamUnavailable', 'The upstream service is not available.'],
    ['PATCH Order(1)', 500, 502, 'UpstreamUnavailable', 'The upstream service is not available.'],
    ['DELETE Order(1)', 500, 502, 'UpstreamUnavailable', 'The upstream service is not available.'],
  ] as const)('%s, with %i', async (call, upstreamStatus, status, code, message) => {
    gateway.upstream.behave(({ method }, reply) => {
      if (method === 'GET') reply.json(ORDER);
      else reply.send(upstreamStatus, '{"secret":"text of the upstream"}');
    });
    const { asked: _, ...answered } = await ask(call, call.startsWith('DELETE') ? undefined : '{"Note":"m"}');
    expect(answered).toEqual({ status, body: JSON.stringify({ error: { code, message } }) });
  });
});

describe('$expand (Part 1, 11.2.5.2)', () => {
  const customersOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ code: `c${index}`, name: 'N' }));

  /** The numbers of concurrent calls for orders, per round. */
  async function callsFor(customers: number, atATime: number): Promise<readonly number[]> {
    const open: (() => void)[] = [];
    const rounds: number[] = [];
    gateway.upstream.behave(({ target }, reply) => {
      if (target === '/customers') return reply.json(customersOf(customers));
      open.push(() => reply.json([]));
      if (open.length < atATime) return;
      // Whatever else is under way has come by then.
      setImmediate(() => {
        rounds.push(open.length);
        for (const answer of open.splice(0)) answer();
      });
    });
    expect((await ask('GET Customer?$expand=Orders&$select=Code')).status).toBe(200);
    return rounds;
  }

  it('asks once for each different foreign key, eight at a time', async () => {
    expect(await callsFor(3, 3)).toEqual([3]);
    expect(await callsFor(40, 8)).toEqual([8, 8, 8, 8, 8]);
  });
});
