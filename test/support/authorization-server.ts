import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import Provider, { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider';

export const CLIENT = { id: 'gateway', secret: 'c1ient:secret/+&=' };

/** The audience of users' tokens, and that of exchanged ones. */
export const AUDIENCE = 'gateway-and-notes';
export const EXCHANGED_AUDIENCE = 'notes-alone';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** An authorization server as others run it, on 127.0.0.1. */
export interface AuthorizationServer {
  readonly url: string;
  /** `<grant> <scope>` of each token request that came, oldest first. */
  readonly requests: readonly string[];
  /** The client authentication of the last request: `basic` or `post`. */
  readonly identifiedBy: string;
  /** Seconds that tokens are good for. */
  life: number;
  /** Whether it has given out the token, and that is still good. */
  knows(token: string): Promise<boolean>;
  /** Ends all tokens. */
  revokeTokens(): void;
  /** A refresh token, as a user's consent would give one. */
  refreshToken(): Promise<string>;
  /** A token for a user, in the form of a JWT. */
  tokenOf(user: string, audience?: string): Promise<string>;
  /** The subject of a JWT; undefined for another audience. */
  subjectOf(token: string, audience: string): Promise<string | undefined>;
  close(): Promise<void>;
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const server = createServer((request, response) => void callback(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const named = { kid: 'one', use: 'sig', alg: 'RS256' };
  const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(publicKey)), ...named }] });
  const stored = new Map<string, AdapterPayload>();
  const requests: string[] = [];
  const state = { life: 3600, identifiedBy: '' };

  const provider = new Provider(url, {
    adapter: adapterOf(stored),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), ...named }] },
    cookies: { keys: ['cookie'] },
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: ['client_credentials', 'refresh_token', 'authorization_code', EXCHANGE],
        response_types: ['code'],
        redirect_uris: ['https://gateway.example/callback'],
        scope: 'openid offline_access notes.read notes.write',
      },
    ],
    scopes: ['openid', 'offline_access', 'notes.read', 'notes.write'],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    ttl: {
      AccessToken: () => state.life,
      ClientCredentials: () => state.life,
      Grant: () => 86_400,
      IdToken: () => 3600,
      RefreshToken: () => 86_400,
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        getResourceServerInfo: (_, audience) => resourceServer(audience),
        useGrantedResource: () => true,
      },
    },
  });
  provider.registerGrantType(
    EXCHANGE,
    async (context) => {
      const subject = await subjectOf(String(context.oidc.params?.['subject_token']), AUDIENCE);
      if (subject === undefined) throw new errors.InvalidRequest('the subject token is none of ours');
      const audience = String(context.oidc.params?.['audience']);
      context.body = {
        access_token: await tokenOf(subject, audience),
        issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        token_type: 'Bearer',
        expires_in: state.life,
      };
    },
    ['subject_token', 'subject_token_type', 'audience', 'scope'],
  );
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    if (context.path !== '/token') return;
    const { grant_type: grant, scope = '' } = context.oidc?.params ?? {};
    state.identifiedBy = context.headers.authorization === undefined ? 'post' : 'basic';
    requests.push(`${String(grant).replace(/.*:/, '')} ${String(scope)}`.trim());
  });
  const callback = provider.callback();

  async function tokenOf(user: string, audience = AUDIENCE): Promise<string> {
    const client = await provider.Client.find(CLIENT.id);
    if (client === undefined) throw new Error('expected the client');
    const grant = new provider.Grant({ accountId: user, clientId: CLIENT.id });
    const token = new provider.AccessToken({
      accountId: user,
      client,
      grantId: await grant.save(),
      gty: 'test',
      scope: 'notes.read',
      aud: audience,
    });
    token.resourceServer = new provider.ResourceServer(audience, resourceServer(audience));
    return token.save();
  }

  async function subjectOf(token: string, audience: string): Promise<string | undefined> {
    try {
      return (await jwtVerify(token, keys, { issuer: url, audience })).payload.sub;
    } catch {
      return undefined;
    }
  }

  return {
    url,
    requests,
    get identifiedBy() {
      return state.identifiedBy;
    },
    get life() {
      return state.life;
    },
    set life(seconds) {
      state.life = seconds;
    },
    async knows(token) {
      const found =
        (await provider.ClientCredentials.find(token)) ?? (await provider.AccessToken.find(token));
      return found !== undefined && !found.isExpired;
    },
    revokeTokens() {
      for (const [key, { kind }] of stored) {
        if (kind === 'ClientCredentials' || kind === 'AccessToken') stored.delete(key);
      }
    },
    async refreshToken() {
      const client = await provider.Client.find(CLIENT.id);
      if (client === undefined) throw new Error('expected the client');
      const grant = new provider.Grant({ accountId: 'operator', clientId: CLIENT.id });
      grant.addOIDCScope('openid offline_access');
      const token = new provider.RefreshToken({
        accountId: 'operator',
        client,
        grantId: await grant.save(),
        gty: 'authorization_code',
        scope: 'openid offline_access',
        authTime: Math.floor(Date.now() / 1000),
      } as ConstructorParameters<typeof provider.RefreshToken>[0]);
      return token.save();
    },
    tokenOf,
    subjectOf,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function resourceServer(audience: string) {
  return {
    audience,
    scope: 'notes.read notes.write',
    accessTokenFormat: 'jwt' as const,
    jwt: { sign: { alg: 'RS256' as const } },
  };
}

/** Keeps what the server stores in a map, as its own adapter does, but without a warning. */
export function adapterOf(stored: Map<string, AdapterPayload>): (model: string) => Adapter {
  return (model) => {
    const key = (id: string): string => `${model} ${id}`;
    return {
      async upsert(id, payload) {
        stored.set(key(id), { ...payload, kind: model });
      },
      find: async (id) => stored.get(key(id)),
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
      async consume(id) {
        const payload = stored.get(key(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        stored.delete(key(id));
      },
      async revokeByGrantId(grantId) {
        for (const [each, payload] of stored) if (payload.grantId === grantId) stored.delete(each);
      },
    };
  };
}
