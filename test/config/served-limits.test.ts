import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { EACH_TRY, POSTS, postsApi, useGateway } from '../support/running-gateway.ts';
import type { Behaviour } from '../support/stand-in-upstream.ts';

/** Each request is within all limits but the one that its variable sets. */
const CASES: readonly (readonly [variable: string, value: string, path: string, status: number])[] = [
  ['URL_LENGTH', '300', `/odata/Post?$filter=Title eq '${'x'.repeat(300)}'`, 414],
  ['QUERY_NODES', '5', '/odata/Post?$filter=UserId add 1 add 1 add 1 add 1 gt 0', 400],
  ['QUERY_LITERALS', '3', '/odata/Post?$filter=UserId in (1,2,3,4)', 400],
  ['QUERY_DEPTH', '4', '/odata/Post?$filter=((((((UserId eq 1))))))', 400],
  ['QUERY_ORDERBY_ITEMS', '1', '/odata/Post?$orderby=UserId,Id', 400],
];

const LIMITS = Object.fromEntries(CASES.map(([variable, value]) => [variable, value]));

describe('limits of requests', () => {
  const limited = useGateway(LIMITS);
  const free = useGateway();

  it.each(CASES)('%s=%s bounds what is asked', async (_variable, _value, path, status) => {
    for (const { upstream } of [limited, free]) upstream.behave(postsApi);
    const requested = path.replaceAll(' ', '%20');
    expect([(await limited.fetch(requested)).status, (await free.fetch(requested)).status]).toStrictEqual([
      status,
      200,
    ]);
    expect(limited.upstream.requests).toHaveLength(0);
  });
});

describe('limits of the upstream', () => {
  const impatient = useGateway({ UPSTREAM_TIMEOUT_MS: '1000' });
  const narrow = useGateway({ UPSTREAM_BODY_MIB: '1' });
  const closed = useGateway({ METRICS: 'off' });
  const open = useGateway();

  it('UPSTREAM_TIMEOUT_MS bounds how long it may take', async () => {
    impatient.upstream.behave(() => undefined);
    expect((await impatient.fetch('/odata/Post')).status).toBe(504);
  });

  it('UPSTREAM_BODY_MIB bounds what it may answer', async () => {
    const large = [{ ...POSTS[0], body: 'x'.repeat(1_100_000) }];
    for (const { upstream } of [narrow, open]) upstream.behave((_, reply) => reply.json(large));
    expect([
      (await narrow.fetch('/odata/Post')).status,
      (await open.fetch('/odata/Post')).status,
    ]).toStrictEqual([502, 200]);
  });

  it('METRICS says who may read the metrics', async () => {
    expect([(await closed.fetch('/metrics')).status, (await open.fetch('/metrics')).status]).toStrictEqual([
      404, 200,
    ]);
  });
});

const LONG = 'x'.repeat(60);
const long = (alias: string): string => `concat('${LONG}',Id) as ${alias}`;
const graphql = (query: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
});
const create = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const batch = (count: number): RequestInit =>
  create({
    requests: Array.from({ length: count }, (_, id) => ({ id: `${id}`, method: 'GET', url: 'Post' })),
  });

/** Texts of responses that do not name the variable. */
const MESSAGES: Readonly<Record<string, string>> = {
  GRAPHQL_DEPTH: 'depth limit of 2',
  GRAPHQL_ALIASES: 'Aliases limit of 0',
  GRAPHQL_TOKENS: 'Token limit of 30',
  GRAPHQL_DIRECTIVES: 'Directives limit of 0',
  GRAPHQL_BODY_KIB: 'larger than 1024 bytes (GRAPHQL_BODY_KIB)',
  REQUEST_BODY_KIB: 'larger than 1024 bytes (REQUEST_BODY_KIB)',
};

type NamedCase = readonly [variable: string, value: string, path: string, init?: RequestInit];

/** Each is refused for the limit that its variable sets. */
const NAMED: readonly NamedCase[] = [
  ['QUERY_EXPAND_DEPTH', '1', '/odata/Post?$expand=A($expand=B)'],
  ['QUERY_LAMBDA_DEPTH', '2', '/odata/Post?$filter=A/any(x:x/B/any(y:y/C/any(z:true)))'],
  ['QUERY_ROWS', '100', `/odata/Post?$apply=${Array(6).fill('concat(identity,identity)').join('/')}`],
  ['QUERY_ITEMS', '15', "/odata/Post?$filter=$root/Post/any(p:p/Id eq 'none')"],
  ['QUERY_TEXT_LENGTH', '100', `/odata/Post('1')?$compute=concat('${LONG}',concat('${LONG}',Id)) as A`],
  ['QUERY_TEXT_CHARACTERS', '150', `/odata/Post('1')?$compute=${['A', 'B', 'C'].map(long).join(',')}`],
  ['QUERY_MATCH_STEPS', '100', `/odata/Post?$filter=matchesPattern(Title,'${LONG}')`],
  ['BATCH_REQUESTS', '1', '/odata/$batch', batch(2)],
  ['GRAPHQL_DEPTH', '2', '/graphql', graphql('{ postsConnection { edges { node { id } } } }')],
  ['GRAPHQL_ALIASES', '0', '/graphql', graphql('{ a: posts { id } }')],
  ['GRAPHQL_TOKENS', '30', '/graphql', graphql(`{ posts { ${'id '.repeat(30)} } }`)],
  ['GRAPHQL_DIRECTIVES', '0', '/graphql', graphql('{ posts { id @include(if: true) } }')],
  ['GRAPHQL_BODY_KIB', '1', '/graphql', graphql(`{ posts { id } }${' '.repeat(2000)}`)],
  ['REQUEST_BODY_KIB', '1', '/odata/Post', create({ UserId: 1, Body: 'x'.repeat(2000) })],
  ['ANSWER_MIB', '1', "/odata/Post('7')"],
];

describe('limits that an answer names', () => {
  const limited = useGateway(Object.fromEntries(NAMED.map(([variable, value]) => [variable, value])));
  const free = useGateway();

  for (const [variable, value, path, init] of NAMED) {
    it(`${variable}=${value}`, async () => {
      for (const { upstream } of [limited, free]) {
        upstream.behave((request, reply) => {
          if (request.target === '/posts/7') reply.json({ id: 7, body: 'x'.repeat(1_100_000) });
          else postsApi(request, reply);
        });
      }
      const requested = encodeURI(path);
      const reported = MESSAGES[variable] ?? `(${variable})`;
      expect((await limited.fetch(requested, init)).text).toContain(reported);
      expect((await free.fetch(requested, init)).text).not.toContain(reported);
    });
  }
});

describe('items of one row', () => {
  const limited = useGateway({ QUERY_ROW_ITEMS: '10' });

  it('QUERY_ROW_ITEMS bounds them beside those of all rows', async () => {
    limited.upstream.behave(postsApi);
    const requested = encodeURI("/odata/Post?$filter=$root/Post/any(p:p/Id eq 'none')");
    expect((await limited.fetch(requested)).text).toContain('(QUERY_ROW_ITEMS)');
  });
});

describe('what is held and read of much', () => {
  const limited = useGateway({ PAGES_ROWS: '10', PAGES_MIB: '1', BODIES_MIB: '1', REQUEST_BODY_KIB: '2048' });
  const impatient = useGateway({ PAGES_TIMEOUT_MS: '1000' });
  /** Pages without an end, each of which says where the next one is. */
  const endless = (post: object | undefined, pages = Number.POSITIVE_INFINITY): Behaviour => {
    let page = 0;
    return (_, reply) => {
      page += 1;
      if (page <= pages)
        reply.json([{ ...post, id: page }], { link: `</posts?page=${page + 1}>; rel="next"` });
    };
  };
  const all = '/odata/Post?$orderby=Title';

  it('PAGES_ROWS bounds the rows of one list', async () => {
    limited.upstream.behave(endless(POSTS[0]));
    expect((await limited.fetch(all)).text).toContain('(PAGES_ROWS)');
  });

  it('PAGES_MIB bounds the bytes of one list', async () => {
    limited.upstream.behave(endless({ ...POSTS[0], body: 'x'.repeat(300_000) }));
    expect((await limited.fetch(all)).text).toContain('(PAGES_MIB)');
  });

  it('PAGES_TIMEOUT_MS bounds how long the reading of one list may take', async () => {
    impatient.upstream.behave(endless(POSTS[0], 1));
    const { status, text } = await impatient.fetch(all);
    expect([status, text]).toStrictEqual([504, expect.stringContaining('PAGES_TIMEOUT_MS')]);
  });

  it('BODIES_MIB bounds the bodies of all requests', async () => {
    const answer = await limited.fetch('/odata/Post', create({ Body: 'x'.repeat(1_200_000) }));
    expect([answer.status, answer.text]).toStrictEqual([503, expect.stringContaining('(BODIES_MIB)')]);
  });
});

describe('the queue before the upstream', () => {
  const short = useGateway({ UPSTREAM_CONNECTIONS: '1', UPSTREAM_QUEUE: '1', UPSTREAM_QUEUE_MS: '60000' });
  const brief = useGateway({ UPSTREAM_CONNECTIONS: '1', UPSTREAM_QUEUE_MS: '50' });
  const none = useGateway({ UPSTREAM_CONNECTIONS: '1', UPSTREAM_QUEUE: '0' });

  it('UPSTREAM_QUEUE=0 lets none wait', async () => {
    const before = none.upstream.requests.length;
    const held: (() => void)[] = [];
    none.upstream.behave((_, reply) => held.push(() => reply.json(POSTS[0])));
    const first = none.fetch("/odata/Post('1')");
    await expect.poll(() => held).toHaveLength(1);
    expect((await none.fetch("/odata/Post('2')")).status).toBe(503);
    for (const release of held) release();
    expect((await first).status).toBe(200);
    expect(none.upstream.requests).toHaveLength(before + 1);
  });

  it('UPSTREAM_QUEUE bounds how many wait, and further ones are refused at once', async () => {
    const before = short.upstream.requests.length;
    const held: (() => void)[] = [];
    short.upstream.behave((_, reply) => held.push(() => reply.json(POSTS[0])));
    const first = short.fetch("/odata/Post('1')");
    await expect.poll(() => held).toHaveLength(1);
    const others = [2, 3].map((id) => short.fetch(`/odata/Post('${id}')`));
    expect((await Promise.race(others)).status).toBe(503);
    await expect
      .poll(() => {
        for (const release of held.splice(0)) release();
        return short.upstream.requests.length;
      })
      .toBe(before + 2);
    for (const release of held.splice(0)) release();
    expect((await first).status).toBe(200);
  });

  it('UPSTREAM_QUEUE_MS bounds how long they wait', async () => {
    const before = brief.upstream.requests.length;
    const held: (() => void)[] = [];
    brief.upstream.behave((_, reply) => held.push(() => reply.json(POSTS[0])));
    const first = brief.fetch("/odata/Post('1')");
    await expect.poll(() => held).toHaveLength(1);
    expect((await brief.fetch("/odata/Post('2')")).status).toBe(503);
    for (const release of held) release();
    expect((await first).status).toBe(200);
    expect(brief.upstream.requests).toHaveLength(before + 1);
  });
});

describe('connections', () => {
  const single = useGateway({ UPSTREAM_CONNECTIONS: '1', MAX_CONNECTIONS: '1' }, EACH_TRY);
  const unshared = useGateway({ UPSTREAM_SHARED_READS: 'off' });

  it('UPSTREAM_CONNECTIONS bounds those to the upstream', async () => {
    single.upstream.behave(postsApi);
    const requests = Array.from({ length: 20 }, (_, id) => ({
      id: `${id}`,
      method: 'GET',
      url: `Post('${id}')`,
    }));
    expect((await single.fetch('/odata/$batch', create({ requests }))).status).toBe(200);
    expect(single.upstream.requests).toHaveLength(20);
    expect(single.upstream.accepted).toBe(1);
  });

  it('UPSTREAM_SHARED_READS=off sends each read by itself', async () => {
    const held: (() => void)[] = [];
    unshared.upstream.behave((_, reply) => held.push(() => reply.json(POSTS)));
    const answers = [1, 2, 3].map(() => unshared.fetch('/odata/Post'));
    await expect.poll(() => held).toHaveLength(3);
    for (const release of held) release();
    expect((await Promise.all(answers)).map(({ status }) => status)).toStrictEqual([200, 200, 200]);
  });

  it('MAX_CONNECTIONS bounds those of clients', async () => {
    const { hostname, port } = new URL(single.url);
    const sockets = [1, 2].map(() => connect(Number(port), hostname));
    await Promise.race(sockets.map((socket) => once(socket, 'close')));
    for (const socket of sockets) socket.destroy();
  });
});

describe('who the gateway is', () => {
  const named = useGateway({
    APPLICATION_NAME: 'the-app',
    GATEWAY_API_NAME: 'the-api',
    BASE_URL: 'https://posts.example/base',
  });
  const plain = useGateway();

  it('APPLICATION_NAME and GATEWAY_API_NAME go upstream with every call', async () => {
    named.upstream.behave(postsApi);
    await named.fetch('/odata/Post', { headers: { host: 'posts.example' } });
    const headers = named.upstream.requests[0]?.headers ?? {};
    expect([headers['x-application-name'], headers['x-gateway-api-name']]).toStrictEqual([
      'the-app',
      'the-api',
    ]);
  });

  it('BASE_URL is what links begin with, and tells browsers to stay on https (RFC 6797)', async () => {
    for (const { upstream } of [named, plain]) upstream.behave(postsApi);
    const [secure, open] = [await named.fetch('/odata/Post'), await plain.fetch('/odata/Post')];
    expect(JSON.parse(secure.text)['@odata.context']).toBe('https://posts.example/base/odata/$metadata#Post');
    expect(JSON.parse(open.text)['@odata.context']).toBe(`${plain.url}/odata/$metadata#Post`);
    expect(secure.headers.get('strict-transport-security')).toMatch(/^max-age=\d{7,}/);
    expect(open.headers.get('strict-transport-security')).toBeNull();
  });
});
