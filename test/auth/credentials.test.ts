import { type IncomingMessage, request } from 'node:http';
import { generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';
import { ACCESS, basic, bearer, keyOf, type SignedIn, send, signUp, tokenOf } from './account-client.ts';

const gateway = useGateway({ ...ACCESS, API_KEY_PARAMETER: 'code' });

let user: SignedIn;
let token: string;
let key: string;

beforeAll(async () => {
  user = await signUp(gateway, 'anna@example.com');
  token = await tokenOf(gateway, user);
  key = (await keyOf(gateway, user)).key;
});
let requestsBefore: number;

beforeEach(() => {
  gateway.upstream.behave(postsApi);
  requestsBefore = gateway.upstream.requests.length;
});

/** The number of upstream calls in this test. */
function calls(): number {
  return gateway.upstream.requests.length - requestsBefore;
}

const QUERY = { method: 'POST', body: '{"query":"{ posts { id } }"}' };

type Headers = () => Record<string, string>;

describe('a credential', () => {
  const KINDS: readonly (readonly [string, Headers, string])[] = [
    ['a session as bearer', () => bearer(user.session), ''],
    [
      'a session as signed in the cookie',
      () => bearer(decodeURIComponent(user.cookie.split('=')[1] ?? '')),
      '',
    ],
    ['a session in a cookie', () => ({ cookie: `a=b; ${user.cookie}; c=d`, origin: gateway.url }), ''],
    ['a token', () => bearer(token), ''],
    ['a scheme in capitals', () => ({ authorization: `BEARER ${token}` }), ''],
    ['a key as bearer', () => bearer(key), ''],
    ['a key as password', () => basic('whoever', key), ''],
    ['a key without a user', () => basic('', key), ''],
    ['a key in its header', () => ({ 'x-api-key': key }), ''],
    ['a key in the query', () => ({}), '?code='],
  ];

  it.each(KINDS)('may be %s', async (_name, headers, parameter) => {
    const query = parameter === '' ? '' : `${parameter}${key}`;
    expect((await gateway.fetch(`/odata/Post${query}`, { headers: headers() })).status).toBe(200);
    const answer = await gateway.fetch(`/graphql${query}`, {
      ...QUERY,
      headers: { 'content-type': 'application/json', ...headers() },
    });
    expect([answer.status, Object.keys(JSON.parse(answer.text))]).toStrictEqual([200, ['data']]);
  });

  const NOT_VALID = 'The credential is invalid or has expired.';

  it.each<readonly [string, Headers, string]>([
    ['a session that never was', () => bearer('A'.repeat(32)), NOT_VALID],
    ['a key that never was', () => ({ 'x-api-key': `duo_${'A'.repeat(43)}` }), NOT_VALID],
    ['no key at all', () => ({ 'x-api-key': 'x' }), NOT_VALID],
    [
      'a password',
      () => basic('anna@example.com', 'correct horse battery'),
      'Basic: expected an API key as the password; the account page creates one.',
    ],
    ['another scheme', () => ({ authorization: 'Digest username="anna"' }), NOT_VALID],
    ['half a header', () => ({ authorization: 'Bearer' }), NOT_VALID],
    ['64 KB', () => bearer('a'.repeat(65_536)), NOT_VALID],
  ])('cannot be %s', async (_name, headers, message) => {
    const { status, headers: fields, text } = await gateway.fetch('/odata/Post', { headers: headers() });
    expect([status, fields.get('www-authenticate'), JSON.parse(text)]).toStrictEqual([
      401,
      'Bearer realm="duogate", error="invalid_token", Basic realm="duogate"',
      { error: { code: 'Unauthorized', message } },
    ]);
    expect(calls()).toBe(0);
  });

  it('counts for nothing where it is a cookie whose session has ended', async () => {
    const headers = { cookie: user.cookie.replace(/=.{32}/, `=${'A'.repeat(32)}`) };
    const { status, text } = await gateway.fetch('/odata/Post', { headers });
    expect([status, JSON.parse(text).error.message]).toStrictEqual([401, 'Sign in first.']);
  });
});

describe('what is taken', () => {
  const ALL = 'Bearer realm="duogate", Basic realm="duogate"';

  it.each<readonly [string, Record<string, string>, string]>([
    ['a program', {}, ALL],
    ['a browser at an address', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, ALL],
    [
      'a script of a page',
      { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
      'Bearer realm="duogate"',
    ],
    ['a script of an old browser', { 'x-requested-with': 'XMLHttpRequest' }, 'Bearer realm="duogate"'],
  ])('is told to %s', async (_name, headers, challenges) => {
    // Not by fetch, which sets these fields itself.
    const { hostname: host, port } = new URL(gateway.url);
    const answered = await new Promise<IncomingMessage>((resolve) => {
      request({ host, port, path: '/odata', headers }, resolve).end();
    });
    answered.resume();
    expect([answered.statusCode, answered.headers['www-authenticate']]).toStrictEqual([401, challenges]);
  });
});

describe('a cookie', () => {
  it.each([
    ['from nowhere', {}],
    ['from elsewhere', { origin: 'https://evil.example' }],
    ['from a page without an origin', { origin: 'null' }],
    ['by a method in the header', { 'x-http-method': 'DELETE' }],
    [
      'by a method in the header, from elsewhere',
      { 'x-http-method': 'PATCH', origin: 'https://evil.example' },
    ],
  ])('changes nothing %s', async (_name, origin) => {
    for (const path of ['/odata/Post', '/graphql']) {
      const { status, text } = await gateway.fetch(path, {
        method: 'POST',
        body: '{"title":"x"}',
        headers: { 'content-type': 'application/json', cookie: user.cookie, ...origin },
      });
      expect([status, text]).toStrictEqual([403, expect.stringContaining('The Origin header must name')]);
    }
    expect(calls()).toBe(0);
  });
});

describe('a key in the query', () => {
  it('stands in no answer', async () => {
    const { text, headers } = await gateway.fetch(`/odata/Post?$top=1&code=${key}&$count=true`, {
      headers: { prefer: 'odata.maxpagesize=1' },
    });
    expect(text).toContain('"@odata.context"');
    expect(`${text}${JSON.stringify([...headers])}`).not.toContain(key);
  });

  it('stands in no answer of a batch, and lets nobody else in', async () => {
    const { key: other } = await keyOf(gateway, await signUp(gateway, 'other@example.com'));
    const urls = [`Post?$top=1&code=${other}`, `Post?c%6fde=${other}&$top=2`, `Post/$count?code=${other}`];
    const requests = urls.map((url, index) => ({
      id: String(index),
      method: 'GET',
      url,
      headers: { prefer: 'odata.maxpagesize=1', 'x-api-key': other },
    }));
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const ask = (query: string) =>
      gateway.fetch(`/odata/$batch${query}`, { method: 'POST', headers, body: JSON.stringify({ requests }) });
    expect((await ask('')).status).toBe(401);
    const { text } = await ask(`?code=${key}`);
    const { responses } = JSON.parse(text);
    expect(responses.map(({ status }: { status: number }) => status)).toStrictEqual([200, 200, 200]);
    expect(text).toContain('@odata.nextLink');
    expect([text.includes(other), text.includes(key)]).toStrictEqual([false, false]);
  });

  it('stands in no answer to a query in the body', async () => {
    const { status, text } = await gateway.fetch('/odata/Post/$query', {
      method: 'POST',
      headers: { 'content-type': 'text/plain', prefer: 'odata.maxpagesize=1', 'x-api-key': key },
      body: `$count=true&code=${key}`,
    });
    expect([status, text.includes('@odata.nextLink'), text.includes(key)]).toStrictEqual([200, true, false]);
  });

  it('yields to the header', async () => {
    const answer = await gateway.fetch(`/odata?c%6fde=${key}`, { headers: { 'x-api-key': 'x' } });
    expect(answer.status).toBe(401);
  });
});

describe('what has expired', () => {
  const DAY_MS = 86_400_000;
  const statusOf = async (headers: Record<string, string>) =>
    (await gateway.fetch('/odata/Post', { headers })).status;

  it('is let in no more, and nothing of it reaches the upstream', async () => {
    const cem = await signUp(gateway, 'cem@example.com');
    const made = await send(gateway, '/keys', { name: 'brief', expiresInDays: 1 }, bearer(cem.session));
    const kept = { 'x-api-key': (await keyOf(gateway, cem)).key };
    const credentials = [{ 'x-api-key': JSON.parse(made.text).key }, bearer(await tokenOf(gateway, cem))];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS + 1000 });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const before = calls();
    expect(await Promise.all(credentials.map(statusOf))).toStrictEqual([401, 401]);
    expect(calls()).toBe(before);
    expect(await statusOf(kept)).toBe(200);
  });
});

describe('keys', () => {
  it('are made, listed and revoked by whose they are', async () => {
    const ben = await signUp(gateway, 'ben@example.com');
    const { id, key: made } = await keyOf(gateway, ben);
    const list = async () =>
      JSON.parse((await gateway.fetch('/api/auth/keys', { headers: bearer(ben.session) })).text);
    expect(await list()).toStrictEqual({
      keys: [
        {
          id,
          name: 'Excel',
          start: made.slice(0, 10),
          createdAt: expect.any(String),
          expiresAt: null,
          scope: null,
          lastUsedAt: null,
        },
      ],
    });
    const revoke = (session: string) =>
      gateway.fetch(`/api/auth/keys/${id}`, { method: 'DELETE', headers: bearer(session) });
    expect((await gateway.fetch('/odata', { headers: { 'x-api-key': made } })).status).toBe(200);
    expect((await revoke(user.session)).status).toBe(404);
    expect((await revoke(ben.session)).status).toBe(204);
    expect((await gateway.fetch('/odata', { headers: { 'x-api-key': made } })).status).toBe(401);
    expect(await list()).toStrictEqual({ keys: [] });
  });

  it.each<readonly [string, Headers]>([
    ['a key', () => ({ 'x-api-key': key })],
    ['a token', () => bearer(token)],
    ['nothing', () => ({})],
  ])('are not made with %s', async (_name, headers) => {
    expect((await send(gateway, '/keys', { name: 'x' }, headers())).status).toBe(401);
  });

  it.each([
    [{}, 'name must be 1 to 100 printable characters.'],
    [{ name: 'a\u202eb' }, 'name must be 1 to 100 printable characters.'],
    [{ name: 'x', expiresInDays: 0 }, 'expiresInDays must be a whole number from 1 to 3650.'],
    [{ name: 'x', expiresInDays: '7' }, 'expiresInDays must be a whole number from 1 to 3650.'],
  ])('are not made of %j', async (body, message) => {
    const { status, text } = await send(gateway, '/keys', body, bearer(user.session));
    expect([status, JSON.parse(text)]).toStrictEqual([400, { code: 'BadRequest', message }]);
  });
});

describe('a token', () => {
  const read = (part: string | undefined) => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
  const write = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  /** The token with other claims or another header, signed by a foreign key. */
  async function forged(head: object, change: JWTPayload): Promise<string> {
    const { privateKey } = await generateKeyPair('EdDSA');
    const [ours, claims] = token.split('.').slice(0, 2).map(read);
    return new SignJWT({ ...claims, ...change }).setProtectedHeader({ ...ours, ...head }).sign(privateKey);
  }

  /** Signed with HMAC, the published key as the secret (RFC 8725, 2.1). */
  async function signedWithPublicKey(): Promise<string> {
    const { text } = await gateway.fetch('/api/auth/jwks');
    const claims = read(token.split('.')[1]);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: JSON.parse(text).keys[0].kid })
      .sign(Buffer.from(JSON.parse(text).keys[0].x, 'base64url'));
  }

  const unsigned = () => `${write({ alg: 'none' })}.${token.split('.')[1]}.`;
  const altered = () => {
    const [head, claims, signature] = token.split('.');
    return `${head}.${write({ ...read(claims), roles: ['Admin'] })}.${signature}`;
  };

  it.each<readonly [string, () => string | Promise<string>]>([
    ['without a signature', unsigned],
    ['with other claims than were signed', altered],
    ['with HS256 and the public key', signedWithPublicKey],
    ['of another key', () => forged({}, {})],
    ['of a key that is not known', () => forged({ kid: 'x' }, {})],
    ['that says where its key is', () => forged({ jku: `${gateway.upstream.url}/jwks`, kid: 'x' }, {})],
    ['that brings its key', () => forged({ jwk: { kty: 'OKP', crv: 'Ed25519', x: 'AA' } }, {})],
    ['of another issuer', () => forged({}, { iss: gateway.upstream.url })],
    ['of no issuer', () => forged({}, { iss: '' })],
  ])('%s is refused', async (_name, make) => {
    const { status } = await gateway.fetch('/odata', { headers: bearer(await make()) });
    expect([status, calls()]).toStrictEqual([401, 0]);
  });
});
