import { beforeEach, describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';
import type { Reply } from '../support/stand-in-upstream.ts';

const gateway = useGateway();

beforeEach(() => gateway.upstream.behave(postsApi));

const json = { 'content-type': 'application/json' };
const create = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, query = '') =>
  gateway.fetch(`/odata/Post${query}`, { method: 'POST', body, headers: { ...json, ...headers } });

describe('a create', () => {
  it('answers with the entity and its URL (Part 1, 11.4.2)', async () => {
    const { status, headers, text } = await create('{"userId":1,"title":"x","body":"y"}');
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${gateway.url}/odata/Post('101')`);
    expect(headers.get('content-type')).toBe('application/json;odata.metadata=minimal');
    expect(JSON.parse(text)).toStrictEqual({
      '@odata.context': `${gateway.url}/odata/$metadata#Post/$entity`,
      UserId: 1,
      Id: '101',
      Title: 'x',
      Body: 'y',
    });
  });

  it('reads the names that the upstream echoes in any case, and a missing property as null', async () => {
    const { text } = await create('{"Title":"x"}');
    expect(JSON.parse(text)).toMatchObject({ UserId: null, Id: '101', Title: 'x', Body: null });
  });

  it('takes no $index: the set has no order (Part 1, Positional Inserts)', async () => {
    const before = gateway.upstream.requests.length;
    const { status, text } = await create('{"title":"x"}', {}, '?$index=0');
    const message = '$index: expected an ordered collection, found Post, which has no order.';
    expect(JSON.parse(text)).toEqual({ error: { code: 'BadRequest', message, target: '$index' } });
    expect([status, gateway.upstream.requests.length]).toEqual([400, before]);
  });

  it.each([
    ['odd white space', '\r\n\t{ "title" :\n"x" }\r\n '],
    ['a name twice', '{"title":"first","title":"second"}'],
    ['escapes', '{"title":"\\u00e9\\/\\ud83d\\ude00"}'],
    ['numbers that no double holds', '{"title":"x","more":[1e400,12345678901234567890,0.10,-0]}'],
    ['names of its own', '{"__proto__":{"a":1},"constructor":2,"$x":3}'],
    ['a byte order mark', '\ufeff{"title":"x"}'],
  ])('forwards the bytes unchanged: %s', async (_, body) => {
    gateway.upstream.behave((__, reply) => reply.send(201, '{"id":101}'));
    const { status } = await create(body);
    expect(status).toBe(201);
    const { method, target, headers, body: received } = gateway.upstream.requests.at(-1) ?? {};
    expect([method, target, headers?.['content-type']]).toStrictEqual(['POST', '/posts', 'application/json']);
    expect(headers?.['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(received?.equals(Buffer.from(body))).toBe(true);
  });

  it('forwards bytes that are no UTF-8 unchanged', async () => {
    gateway.upstream.behave((_, reply) => reply.send(201, '{"id":101}'));
    const body = Buffer.concat([
      Buffer.from('{"title":"'),
      Buffer.from([0xff, 0xc0, 0x80]),
      Buffer.from('"}'),
    ]);
    expect((await create(new Uint8Array(body))).status).toBe(201);
    expect(gateway.upstream.requests.at(-1)?.body.equals(body)).toBe(true);
  });

  it('keeps nothing: a later read has what the upstream has', async () => {
    await create('{"title":"x"}');
    const { text } = await gateway.fetch('/odata/Post/$count');
    expect(text).toBe('4');
    expect((await gateway.fetch("/odata/Post('101')")).status).toBe(404);
  });

  it.each([
    'application/json;charset=UTF-8',
    'application/json;odata=verbose',
    'application/json;odata.metadata=minimal;IEEE754Compatible=true',
  ])('takes a body of the type %s', async (contentType) => {
    expect((await create('{"title":"x"}', { 'content-type': contentType })).status).toBe(201);
  });

  it('answers with nothing but the URL where the client prefers that (Part 1, 8.2.8.7)', async () => {
    const { status, headers, text } = await create('{"title":"x"}', { prefer: 'return=minimal' });
    expect([status, text]).toStrictEqual([204, '']);
    expect(headers.get('preference-applied')).toBe('return=minimal');
    expect(headers.get('location')).toBe(`${gateway.url}/odata/Post('101')`);
    expect(headers.get('odata-entityid')).toBe(`${gateway.url}/odata/Post('101')`);
    expect(headers.get('odata-version')).toBe('4.0');
  });

  it('shows what $select names', async () => {
    const { text } = await create('{"title":"x"}', { prefer: 'return=minimal' }, '?$select=Id,Title');
    expect(JSON.parse(text)).toStrictEqual({
      '@odata.context': `${gateway.url}/odata/$metadata#Post(Id,Title)/$entity`,
      Id: '101',
      Title: 'x',
    });
  });

  it.each([200, 201])('takes status %i for success', async (status) => {
    gateway.upstream.behave((_, reply) => reply.send(status, '{"id":101}'));
    expect((await create('{}')).status).toBe(201);
  });
});

function cutAnswer(reply: Reply): void {
  reply.write('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"id":');
  reply.end();
}

describe('a create that the upstream does not take', () => {
  it.each([
    ['500', (reply) => reply.send(500, 'Error: at /srv/app.js:1')],
    ['400', (reply) => reply.send(400, '{"secret":"x"}')],
    ['404', (reply) => reply.send(404, '{}')],
    ['302', (reply) => reply.send(302, '', { location: 'http://127.0.0.1:1/' })],
    ['no JSON', (reply) => reply.send(201, '<html>')],
    ['a list', (reply) => reply.send(201, '[]')],
  ] satisfies [string, (reply: Reply) => void][])(
    'is told in the words of the document: %s',
    async (_, misbehave) => {
      const before = gateway.upstream.requests.length;
      gateway.upstream.behave((__, reply) => misbehave(reply));
      const { status, text } = await create('{"title":"x"}');
      expect(status).toBe(400);
      expect(JSON.parse(text)).toStrictEqual({
        error: { code: 'InsertFailed', message: 'Failed to add a post.' },
      });
      expect(gateway.upstream.requests.length - before).toBe(1);
    },
  );

  it.each([
    ['429', 503, 'UpstreamThrottled', '7', (reply) => reply.send(429, '', { 'retry-after': '7' })],
    ['503', 503, 'UpstreamUnavailable', '7', (reply) => reply.send(503, '', { 'retry-after': '7' })],
    ['a reset', 504, 'OutcomeUnknown', null, (reply) => reply.reset()],
    ['half an answer', 504, 'OutcomeUnknown', null, cutAnswer],
    ['a gateway’s timeout', 504, 'OutcomeUnknown', null, (reply) => reply.send(504)],
  ] satisfies [string, number, string, string | null, (reply: Reply) => void][])(
    'is not reported as refused if it may have been made or can be sent again: %s',
    async (_, status, code, pause, misbehave) => {
      const before = gateway.upstream.requests.length;
      gateway.upstream.behave((__, reply) => misbehave(reply));
      const answer = await create('{"title":"x"}');
      expect([answer.status, JSON.parse(answer.text).error.code]).toStrictEqual([status, code]);
      expect(answer.headers.get('retry-after')).toBe(pause);
      expect(gateway.upstream.requests.length - before).toBe(1);
    },
  );

  it.each(['text/plain', 'text/plain, application/json;q=0.5'])(
    'is told in plain text where the client takes %s',
    async (accept) => {
      gateway.upstream.behave((_, reply) => reply.send(500));
      const { status, headers, text } = await create('{"title":"x"}', { accept });
      expect([status, headers.get('content-type'), text]).toStrictEqual([
        400,
        'text/plain',
        'Failed to add a post.',
      ]);
    },
  );
});

describe('a body that is wrong', () => {
  it.each([
    ['{"title":', 'Body: expected a JSON object, found malformed JSON at line 1, column 10.'],
    ['', 'Body: expected a JSON object, found nothing.'],
    ['[]', 'Body: expected a JSON object, found an array.'],
    ['null', 'Body: expected a JSON object, found null.'],
    ['1', 'Body: expected a JSON object, found a number.'],
    [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, 'Body: expected at most 64 levels of nesting.'],
    ['{"userId":"1"}', 'userId: expected Edm.Int32, found a string.'],
    ['{"USERID":1.5}', 'USERID: expected Edm.Int32, found a number.'],
    ['{"title":true}', 'title: expected Edm.String, found a boolean.'],
  ])('is refused and not forwarded: %s', async (body, message) => {
    const before = gateway.upstream.requests.length;
    const { status, text } = await create(body);
    expect(status).toBe(400);
    expect(JSON.parse(text).error).toMatchObject({ code: 'BadRequest', message });
    expect(gateway.upstream.requests.length).toBe(before);
  });

  it('names all its mistakes', async () => {
    const { text } = await create('{"userId":"1","title":{}}');
    const first = {
      code: 'BadRequest',
      message: 'userId: expected Edm.Int32, found a string.',
      target: 'userId',
    };
    const second = {
      code: 'BadRequest',
      message: 'title: expected Edm.String, found an object.',
      target: 'title',
    };
    expect(JSON.parse(text)).toStrictEqual({ error: { ...first, details: [second] } });
  });

  it.each([undefined, 'text/plain', 'application/json;charset=utf-7', 'application/xml'])(
    'is not taken with the content type %s',
    async (contentType) => {
      const before = gateway.upstream.requests.length;
      const headers = contentType === undefined ? {} : { 'content-type': contentType };
      const body = new Uint8Array(Buffer.from('{}'));
      const { status, text } = await gateway.fetch('/odata/Post', { method: 'POST', body, headers });
      expect(status).toBe(415);
      expect(JSON.parse(text).error.code).toBe('UnsupportedMediaType');
      expect(gateway.upstream.requests.length).toBe(before);
    },
  );

  it('may have a mebibyte and no more', async () => {
    const filled = (length: number) => `{"title":"${'x'.repeat(length - 12)}"}`;
    expect((await create(filled(1_048_576))).status).toBe(201);
    const before = gateway.upstream.requests.length;
    const { status, text } = await create(filled(1_048_577));
    expect(status).toBe(413);
    expect(JSON.parse(text)).toStrictEqual({
      error: {
        code: 'PayloadTooLarge',
        message: 'The body is larger than 1048576 bytes (REQUEST_BODY_KIB).',
      },
    });
    expect(gateway.upstream.requests.length).toBe(before);
  });
});
