import { describe, expect, it, onTestFinished } from 'vitest';
import { type Behaviour, startStandInUpstream } from '../../support/stand-in-upstream.ts';
import { everybodysNotes, type NotesOptions, type NotesScene, serveNotes } from './notes-scene.ts';

interface FaultScene extends NotesScene {
  readonly tokenRequests: () => number;
  /** Sets the behaviour of the authorization server. */
  behave(behaviour: Behaviour): void;
}

const SECRET = 'of-the-token-endpoint';
const JSON_TYPE = { 'content-type': 'application/json' };
const good: Behaviour = (_, reply) => reply.json({ access_token: 'good', token_type: 'Bearer' });

/** Serves notes for a token that a stand-in gives, or does not. */
async function serveBehind(behaviour: Behaviour, options: NotesOptions = {}): Promise<FaultScene> {
  const server = await startStandInUpstream(behaviour);
  onTestFinished(() => server.close());
  const settings = { clientId: 'gateway', clientSecret: SECRET, tokenUrl: `${server.url}/token?tenant=1` };
  const scene = await serveNotes({ clientCredentials: settings }, options);
  return { ...scene, tokenRequests: () => server.requests.length, behave: (next) => server.behave(next) };
}

function failure(code: string, what: string): object {
  return { error: { code, message: `Notes cannot be called: its authorization server ${what}.` } };
}

const UNUSABLE = failure('UpstreamBadResponse', 'sent an answer that cannot be used');
const UNAVAILABLE = failure('UpstreamUnavailable', 'is not available');

/** Responses to a token request, and the resulting error for the client. */
const FAULTS: readonly (readonly [string, Behaviour, number, object])[] = [
  ['an error of its own', (_, reply) => reply.send(500, SECRET), 502, UNAVAILABLE],
  ['a broken connection', (_, reply) => reply.reset(), 502, UNAVAILABLE],
  ['no HTTP', (_, reply) => reply.write(`${SECRET}\r\n\r\n`), 502, UNUSABLE],
  ['a redirect', (_, reply) => reply.send(302, '', { location: 'http://127.0.0.1:1/' }), 502, UNUSABLE],
  ['nothing', (_, reply) => reply.write('HTTP/1.1 204 -\r\n\r\n'), 502, UNUSABLE],
  [
    'a page',
    (_, reply) => reply.send(200, `<p>${SECRET}</p>`, { 'content-type': 'text/html' }),
    502,
    UNUSABLE,
  ],
  ['malformed JSON', (_, reply) => reply.send(200, `{"${SECRET}`, JSON_TYPE), 502, UNUSABLE],
  ['a list', (_, reply) => reply.json([SECRET]), 502, UNUSABLE],
  ['no token', (_, reply) => reply.json({ token_type: 'Bearer', SECRET }), 502, UNUSABLE],
  ['a number', (_, reply) => reply.json({ access_token: 1, token_type: 'Bearer' }), 502, UNUSABLE],
  ['a token of no type', (_, reply) => reply.json({ access_token: SECRET }), 502, UNUSABLE],
  [
    'a token that needs a proof (RFC 9449)',
    (_, reply) => reply.json({ access_token: SECRET, token_type: 'DPoP' }),
    502,
    UNUSABLE,
  ],
  [
    'a token that ends the header field',
    (_, reply) => reply.json({ access_token: `${SECRET}\r\nx-admin: 1`, token_type: 'Bearer' }),
    502,
    UNUSABLE,
  ],
  [
    'a life that is none',
    (_, reply) => reply.json({ access_token: SECRET, token_type: 'Bearer', expires_in: 'long' }),
    502,
    UNUSABLE,
  ],
  ['more than a token', (_, reply) => reply.json({ access_token: SECRET.repeat(20_000) }), 502, UNUSABLE],
  [
    'that there are too many requests',
    (_, reply) => reply.send(429, '', { 'retry-after': '7' }),
    503,
    failure('UpstreamThrottled', 'accepts no more requests at the moment'),
  ],
];

describe('an authorization server that gives no token', () => {
  it.each(FAULTS)('but %s is a failure of the upstream', async (_, behaviour, status, body) => {
    await expectFailure(await serveBehind(behaviour), status, body);
  });

  it('but silence is a failure of the upstream', async () => {
    const scene = await serveBehind(() => undefined, { environment: { UPSTREAM_TIMEOUT_MS: '1000' } });
    await expectFailure(scene, 504, failure('UpstreamTimeout', 'did not answer in time'));
  });

  async function expectFailure(scene: FaultScene, status: number, body: object): Promise<void> {
    expect(await scene.get('Note')).toStrictEqual([status, body]);
    expect(scene.upstream.requests).toStrictEqual([]);
    const log = JSON.stringify(scene.served.entries());
    expect(log).toContain('the upstream failed');
    expect(log).not.toContain(SECRET);
    scene.behave(good);
    expect((await scene.get('Note'))[0]).toBe(200);
  }

  it('at first is asked once more', async () => {
    let requests = 0;
    const scene = await serveBehind((request, reply) => {
      requests += 1;
      if (requests === 1) reply.send(500);
      else good(request, reply);
    });
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(scene.tokenRequests()).toBe(2);
  });

  it('because nothing listens there is a failure of the upstream', async () => {
    const settings = { clientId: 'a', clientSecret: SECRET, tokenUrl: 'http://127.0.0.1:1/token' };
    const scene = await serveNotes({ clientCredentials: settings });
    expect(await scene.get('Note')).toStrictEqual([502, UNAVAILABLE]);
    expect(JSON.stringify(scene.served.entries())).not.toContain(SECRET);
  });

  it('is told of in GraphQL, too', async () => {
    const scene = await serveBehind((_, reply) => reply.send(500, SECRET));
    const response = await fetch(`${scene.served.gateway.url}/graphql`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ query: '{ notes { id } }' }),
    });
    expect(await response.json()).toMatchObject({
      errors: [
        {
          message: 'Notes cannot be called: its authorization server is not available.',
          extensions: { code: 'UpstreamUnavailable', http: { status: 502 } },
        },
      ],
    });
  });

  it('has its Retry-After handed on', async () => {
    const scene = await serveBehind((_, reply) => reply.send(429, '', { 'retry-after': '7' }));
    const { headers } = await fetch(`${scene.served.gateway.url}/odata/Note`);
    expect(headers.get('retry-after')).toBe('7');
  });

  it.each<readonly [string, Behaviour, string]>([
    [
      'as the client is not known',
      (_, reply) =>
        reply.send(400, `{"error":"invalid_client","error_description":"${SECRET} is wrong"}`, JSON_TYPE),
      'status 400, invalid_client',
    ],
    [
      'by a challenge',
      (_, reply) => reply.send(401, '{}', { ...JSON_TYPE, 'www-authenticate': 'Basic realm="x"' }),
      'status 401',
    ],
  ])('%s is left alone for a while, and the log says why', async (_, behaviour, reason) => {
    const scene = await serveBehind(behaviour);
    for (let call = 0; call < 5; call += 1) expect(await scene.get('Note')).toStrictEqual([502, UNUSABLE]);
    expect(scene.tokenRequests()).toBe(1);
    const log = JSON.stringify(scene.served.entries());
    expect(log).toContain(reason);
    expect(log).not.toContain(SECRET);
  });

  it('is given a pause where it keeps failing', async () => {
    const scene = await serveBehind((_, reply) => reply.send(500));
    for (let call = 0; call < 20; call += 1) await scene.get('Note');
    const [status, body] = await scene.get('Note');
    expect([status, body]).toStrictEqual([
      503,
      failure('CircuitOpen', 'has failed repeatedly and is not asked for a while'),
    ]);
    expect(scene.tokenRequests()).toBe(20);
  });
});

describe('the deadline of a request', () => {
  it('is that of its token and its answer together', async () => {
    const later =
      (behaviour: Behaviour): Behaviour =>
      (request, reply) =>
        void setTimeout(() => behaviour(request, reply), 1_200);
    const environment = { UPSTREAM_TIMEOUT_MS: '2000' };
    const scene = await serveBehind(later(good), { environment, behaviour: later(everybodysNotes) });
    expect((await scene.get('Note'))[0]).toBe(504);
    expect(scene.upstream.requests).toHaveLength(1);
    scene.upstream.behave(everybodysNotes);
    expect((await scene.get('Note'))[0]).toBe(200);
    expect(scene.tokenRequests()).toBe(1);
  });

  it('does not end what others wait for', async () => {
    let release = (): void => undefined;
    const scene = await serveBehind((request, reply) => {
      release = () => good(request, reply);
    });
    const first = new AbortController();
    const gone = fetch(`${scene.served.gateway.url}/odata/Note`, { signal: first.signal }).catch(
      () => 'gone',
    );
    const second = scene.get('Note');
    await expect.poll(() => scene.tokenRequests()).toBe(1);
    first.abort();
    expect(await gone).toBe('gone');
    release();
    expect((await second)[0]).toBe(200);
    expect(scene.tokenRequests()).toBe(1);
  });
});
