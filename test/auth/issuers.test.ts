import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Gateway, startGateway } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { type SampleUpstream, startSampleServer } from '../../src/demo/sample-server.ts';
import { postsApi } from '../support/running-gateway.ts';
import { type StandInUpstream, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { ACCESS, bearer } from './account-client.ts';

/** An issuer that publishes one key, counts who asks for it, and can fail to answer. */
const requested: string[] = [];
let isDown = false;
let issuer: SampleUpstream;
let keys: CryptoKeyPair;
let upstream: StandInUpstream;
let gateway: Gateway;

type CryptoKeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  const published = { ...(await exportJWK(keys.publicKey)), kid: 'one', use: 'sig' };
  issuer = await startSampleServer(({ url = '', headers }, response) => {
    requested.push(url);
    const base = `http://${headers.host}`;
    const documents: Record<string, unknown> = {
      '/.well-known/openid-configuration': { issuer: base, jwks_uri: `${base}/keys` },
      '/keys': { keys: [published] },
    };
    response.statusCode = isDown ? 503 : 200;
    response.end(JSON.stringify(documents[url] ?? {}));
  });
  upstream = await startStandInUpstream(postsApi);
  gateway = await startGateway(readConfig(environment()));
  expect(await statusOf(await tokenWith({}))).toBe(200);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
  await issuer.close();
});
beforeEach(() => {
  requested.length = 0;
});

function environment(): Readonly<Record<string, string>> {
  return {
    ...ACCESS,
    PORT: '0',
    LOG_LEVEL: 'silent',
    UPSTREAM_URL: upstream.url,
    OIDC_ISSUERS: issuer.url,
    OIDC_AUDIENCE: 'other, gateway',
    OIDC_ROLE_CLAIM: 'realm_access.roles',
    OIDC_ROLES: 'editor=User',
  };
}

const MINUTE = 60;
const now = () => Math.floor(Date.now() / 1000);

interface Token {
  readonly claims?: JWTPayload;
  readonly head?: object;
}

function tokenWith({ claims = {}, head = {} }: Token): Promise<string> {
  const good = {
    iss: issuer.url,
    aud: 'gateway',
    sub: 'anna',
    iat: now(),
    exp: now() + MINUTE,
    realm_access: { roles: ['editor', 'uma'] },
  };
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'one', ...head })
    .sign(keys.privateKey);
}

async function statusOf(token: string, { url } = gateway): Promise<number> {
  const response = await fetch(`${url}/odata/Post`, { headers: bearer(token) });
  await response.arrayBuffer();
  return response.status;
}

describe('a token of another issuer', () => {
  it('is taken with keys that are asked for once', async () => {
    const other = await startGateway(readConfig(environment()));
    onTestFinished(() => other.close());
    for (let count = 0; count < 2; count += 1) {
      expect(await statusOf(await tokenWith({}), other)).toBe(200);
    }
    expect(requested).toStrictEqual(['/.well-known/openid-configuration', '/keys']);
  });

  it.each<readonly [string, Token, number]>([
    ['for several', { claims: { aud: ['x', 'gateway'] } }, 200],
    ['with roles in one text', { claims: { realm_access: { roles: 'viewer editor' } } }, 200],
    ['with the claim under its whole name', { claims: { 'realm_access.roles': ['editor'] } }, 200],
    ['with roles that are none here', { claims: { realm_access: { roles: ['User', 'Admin'] } } }, 403],
    ['without roles', { claims: { realm_access: null } }, 403],
    ['that has expired', { claims: { exp: now() - MINUTE } }, 401],
    ['that never expires', { claims: { exp: undefined } as unknown as JWTPayload }, 401],
    ['that is not good yet', { claims: { nbf: now() + MINUTE } }, 401],
    ['for somebody else', { claims: { aud: 'billing' } }, 401],
    ['for nobody', { claims: { aud: undefined } as unknown as JWTPayload }, 401],
    ['about nobody', { claims: { sub: undefined } as unknown as JWTPayload }, 401],
    ['that says where its key is', { head: { jku: 'http://127.0.0.1:1/keys' } }, 200],
  ])('%s', async (_name, token, expected) => {
    expect(await statusOf(await tokenWith(token))).toBe(expected);
    expect(requested).toStrictEqual([]);
  });

  it('with a key that is not known is refused without a call, as the keys have just been got', async () => {
    for (const kid of ['two', 'three', 'four']) {
      expect(await statusOf(await tokenWith({ head: { kid } }))).toBe(401);
    }
    expect(requested).toStrictEqual([]);
  });

  it('is taken while its issuer is down', async () => {
    isDown = true;
    expect(await statusOf(await tokenWith({ claims: { sub: 'ben' } }))).toBe(200);
    isDown = false;
  });

  it('is taken soon after its issuer is back', async () => {
    isDown = true;
    const other = await startGateway(readConfig(environment()));
    onTestFinished(() => other.close());
    expect(await statusOf(await tokenWith({}), other)).toBe(503);
    isDown = false;
    await expect.poll(async () => statusOf(await tokenWith({}), other)).toBe(200);
  });
});
