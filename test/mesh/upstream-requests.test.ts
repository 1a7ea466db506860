import { describe, expect, it } from 'vitest';
import { failureOf, HEADERS, openScene, post, row } from './support.ts';

const CONNECTION_HEADERS = ['host', 'connection', 'content-length'];

/** Keys that would address something else if they became a part of the path as they are. */
const EVIL_KEYS: readonly (readonly [key: string, segment: string | undefined])[] = [
  ['../users', '..%2Fusers'],
  ['..%2Fusers', '..%252Fusers'],
  ['..\\users', '..%5Cusers'],
  ['.', undefined],
  ['..', undefined],
  ['', undefined],
  ['%2e%2e', '%252e%252e'],
  ['a/b', 'a%2Fb'],
  ['/users', '%2Fusers'],
  ['//evil.example/x', '%2F%2Fevil.example%2Fx'],
  ['1?x=y', '1%3Fx%3Dy'],
  ['1#f', '1%23f'],
  ['1;x=y', '1%3Bx%3Dy'],
  ['1&2', '1%262'],
  ['$&', '%24%26'],
  ["$'", "%24'"],
  ['{env.PATH}', '%7Benv.PATH%7D'],
  ['{args.id}', '%7Bargs.id%7D'],
  ['@evil.example', '%40evil.example'],
  ['http://evil.example', 'http%3A%2F%2Fevil.example'],
  ['a b', 'a%20b'],
  ['a\r\nX-Evil: 1', undefined],
  ['a\0b', undefined],
  ['\u0085', undefined],
  ['\ud800', undefined],
  ['é\u{1f600}', '%C3%A9%F0%9F%98%80'],
  ['\u2024\u2024', '%E2%80%A4%E2%80%A4'],
  ['x'.repeat(256), 'x'.repeat(256)],
  ['x'.repeat(257), undefined],
  ['x'.repeat(5_000), undefined],
];

describe('a key', () => {
  it.each(EVIL_KEYS)('%j reaches the upstream as one segment or not at all', async (key, segment) => {
    const scene = await openScene((_, reply) => reply.json(post(1)));
    const read = scene.byKey(key);
    if (segment === undefined) expect((await failureOf(read)).code).toBe('BadRequest');
    else expect((await read)?.data).toEqual(row(1));
    const expected = segment === undefined ? [] : [`/posts/${segment}`];
    expect(scene.upstream.requests.map(({ target }) => target)).toEqual(expected);
  });

  it('is quoted in the message with at most 100 characters', async () => {
    const scene = await openScene((_, reply) => reply.json(post(1)));
    const { message } = await failureOf(scene.byKey(`\u001b${'x'.repeat(4_999)}`));
    expect(message).toContain('"id" must not have more than 256 characters; found "\\u001bxxx');
    expect(message.length).toBeLessThan(200);
  });
});

describe('the headers of a call', () => {
  it("are the gateway client's two names and the gateway's own", async () => {
    const scene = await openScene(({ method }, reply) =>
      reply.send(method === 'POST' ? 201 : 200, JSON.stringify(method === 'POST' ? post(1) : [post(1)])),
    );
    await scene.list();
    await scene.insert('{}');
    const own = {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'duogate',
      ...HEADERS,
    };
    const sent = scene.upstream.requests.map(({ headers }) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADERS.includes(name))),
    );
    expect(sent).toEqual([own, { ...own, 'content-type': 'application/json' }]);
  });
});

const BODIES: readonly (readonly [name: string, body: string | Uint8Array])[] = [
  ['plain', '{"userId":1,"title":"a","body":"b"}'],
  ['duplicate keys', '{"title":"a","title":"b"}'],
  ['escapes', '{"title":"\\u0041\\u00e9\\/","body":"\\ud83d\\ude00"}'],
  ['line ends and tabs', '{\r\n\t"title": "a"\r\n}\r\n'],
  ['numbers that no double holds', '{"userId":12345678901234567890,"x":1e400,"y":-0.10}'],
  ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ['a byte order mark', '\ufeff{"title":"a"}'],
  ['a list', '[1, 2]'],
  ['unknown names', '{"nope":{"deep":[null]},"__proto__":1}'],
  ['no bytes', ''],
  ['a large text', JSON.stringify({ title: 'x'.repeat(1_000_000) })],
];

describe('the body of a create', () => {
  it.each(BODIES)('with %s reaches the upstream byte for byte', async (_, body) => {
    const scene = await openScene((__, reply) => reply.send(201, JSON.stringify(post(101))));
    expect(await scene.insert(body)).toEqual(row(101));
    const [request] = scene.upstream.requests;
    expect(request?.target).toBe('/posts');
    expect(request?.body.equals(Buffer.from(body))).toBe(true);
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.from(body).length),
    });
    expect(request?.headers['transfer-encoding']).toBeUndefined();
  });
});

describe('a client that goes away', () => {
  const abandon = [
    ['a list', '/posts', (scene, signal) => scene.list(signal)],
    ['an entity', '/posts/1', (scene, signal) => scene.byKey('1', signal)],
    ['a create', '/posts', (scene, signal) => scene.insert('{}', signal)],
  ] as const satisfies readonly (readonly [
    string,
    string,
    (scene: Awaited<ReturnType<typeof openScene>>, signal: AbortSignal) => Promise<unknown>,
  ])[];

  it.each(abandon)('cancels the upstream call of %s', async (_, target, start) => {
    const client = new AbortController();
    const scene = await openScene(() => client.abort());
    expect((await failureOf(start(scene, client.signal))).code).toBe('ClientClosedRequest');
    await scene.upstream.requests[0]?.closed;
    expect(scene.upstream.requests.map((request) => request.target)).toEqual([target]);
  });

  it('cancels it in the middle of the body', async () => {
    const client = new AbortController();
    const scene = await openScene((_, reply) => {
      reply.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n[');
      setTimeout(() => client.abort(), 20);
    });
    expect((await failureOf(scene.list(client.signal))).code).toBe('ClientClosedRequest');
    await scene.upstream.requests[0]?.closed;
  });

  it('makes no call when it has gone already', async () => {
    const scene = await openScene((_, reply) => reply.json([post(1)]));
    expect((await failureOf(scene.list(AbortSignal.abort()))).code).toBe('ClientClosedRequest');
    expect(scene.upstream.requests).toHaveLength(0);
  });

  it('leaves the queue and the pause before a repeated call', async () => {
    const scene = await openScene(() => undefined, { limits: { connections: 1 } });
    const [first, second] = [new AbortController(), new AbortController()];
    const lists = [failureOf(scene.list(first.signal)), failureOf(scene.list(second.signal))];
    second.abort();
    expect((await lists[1])?.code).toBe('ClientClosedRequest');
    first.abort();
    expect((await lists[0])?.code).toBe('ClientClosedRequest');
    const third = new AbortController();
    scene.upstream.behave((_, reply) => {
      reply.send(503);
      setTimeout(() => third.abort(), 5);
    });
    expect((await failureOf(scene.list(third.signal))).code).toBe('ClientClosedRequest');
  });
});

describe('a mesh that is given up', () => {
  it('lets the calls under way come to their end', async () => {
    const scene = await openScene((_, reply) => setTimeout(() => reply.json([post(1)]), 50));
    const lists = Promise.all([scene.list(), scene.list()]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await scene.mesh.destroy();
    expect((await lists).map(({ data }) => data)).toEqual([[row(1)], [row(1)]]);
    expect((await failureOf(scene.list())).code).toBe('UpstreamUnavailable');
  });
});
