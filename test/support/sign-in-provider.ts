import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type AdapterPayload, type KoaContextWithOIDC } from 'oidc-provider';
import { adapterOf } from './authorization-server.ts';

export const CLIENT = { id: 'duogate', secret: 'c1ient:secret/+&=' };

/** A user of the provider. */
export interface Person {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly roles?: readonly string[];
}

/** An OpenID provider on 127.0.0.1, which signs in the configured person. */
export interface SignInProvider {
  readonly url: string;
  /** The person who signs in; undefined for a cancelled sign-in. */
  person: Person | undefined;
  /** Changes the claims of ID tokens, which are signed again, or signs them with a key that is not published. */
  forge: ((claims: JWTPayload) => JWTPayload) | 'other key' | undefined;
  /** The number of UserInfo requests to collect before all are answered. */
  gather: number;
  /** The client authentication of the last token request. */
  readonly identifiedBy: string;
  /** Lets a gateway use it. */
  register(redirectUri: string): void;
  close(): Promise<void>;
}

export async function startSignInProvider({ isPublic = false } = {}): Promise<SignInProvider> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const other = await generateKeyPair('RS256');
  const named = { kid: 'one', use: 'sig', alg: 'RS256' };
  const stored = new Map<string, AdapterPayload>();
  const state: {
    gather: number;
    person: SignInProvider['person'];
    forge: SignInProvider['forge'];
    identifiedBy: string;
  } = {
    gather: 1,
    person: undefined,
    forge: undefined,
    identifiedBy: '',
  };
  const people = new Map<string, Person>();

  const provider = new Provider(url, {
    adapter: adapterOf(stored),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), ...named }] },
    cookies: { keys: ['cookie'] },
    claims: { openid: ['sub', 'roles'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...people.get(id), sub: id }) }),
    expiresWithSession: () => false,
    ttl: {
      AccessToken: () => 3600,
      Grant: () => 3600,
      IdToken: () => 3600,
      Interaction: () => 3600,
      Session: () => 3600,
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false } },
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        accountId: String(oidc.session?.accountId),
        clientId: String(oidc.client?.clientId),
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    if (context.path === '/me') await gathered();
    if (context.path !== '/token') return;
    state.identifiedBy = context.headers.authorization === undefined ? 'post or none' : 'basic';
    const body = context.body as { id_token?: string };
    if (state.forge === undefined || body.id_token === undefined) return;
    const claims = decodeJwt(body.id_token);
    body.id_token = await new SignJWT(state.forge === 'other key' ? claims : state.forge(claims))
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(state.forge === 'other key' ? other.privateKey : privateKey);
  });
  const callback = provider.callback();
  let waiting: (() => void)[] = [];

  function gathered(): Promise<void> {
    return new Promise((release) => {
      waiting.push(release);
      if (waiting.length < state.gather) return;
      for (const each of waiting) each();
      waiting = [];
    });
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url?.startsWith('/interaction/')) return void callback(request, response);
    const { person } = state;
    if (person !== undefined) people.set(person.sub, person);
    const result =
      person === undefined
        ? { error: 'access_denied', error_description: 'The user does not want to.' }
        : { login: { accountId: person.sub, remember: false } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }

  return {
    url,
    get person() {
      return state.person;
    },
    set person(person) {
      state.person = person;
    },
    get forge() {
      return state.forge;
    },
    set forge(forge) {
      state.forge = forge;
    },
    get gather() {
      return state.gather;
    },
    set gather(number) {
      state.gather = number;
    },
    get identifiedBy() {
      return state.identifiedBy;
    },
    register(redirectUri) {
      stored.set(`Client ${CLIENT.id}`, {
        client_id: CLIENT.id,
        ...(isPublic ? {} : { client_secret: CLIENT.secret }),
        token_endpoint_auth_method: isPublic ? 'none' : 'client_secret_basic',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [redirectUri],
      });
    },
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
