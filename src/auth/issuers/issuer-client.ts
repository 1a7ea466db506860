import { errors, jwtVerify } from 'jose';
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  None,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  ResponseBodyError,
  UnsupportedOperationError,
  userInfoRequest,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import type { Secret } from '../../core/secret.ts';
import { fetchFromIssuer } from '../providers/oidc-issuer.ts';
import type { KeySet } from '../providers/token-verifier.ts';

interface IssuerClientOptions {
  readonly issuer: string;
  readonly id: string;
  readonly secret: Secret | undefined;
  /** The callback URL that the issuer redirects browsers to. */
  readonly redirectUri: string;
  readonly keys: KeySet;
  readonly algorithms: readonly string[];
  readonly discover: () => Promise<AuthorizationServer>;
  /** Whether the claims of the ID token suffice; otherwise the UserInfo endpoint is requested, too. */
  readonly areEnough: (claims: Claims) => boolean;
}

export type Claims = Readonly<Record<string, unknown>>;

/** The values that the response of a started sign-in is checked against. */
export interface AuthorizationRequest {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Why a sign-in at an issuer failed, as shown to the user. */
export type SignInFailure = 'denied' | 'expired' | 'failed' | 'unavailable';

/** A user whom an issuer has signed in. */
export interface SignedIn {
  /** Unique and never reassigned within the issuer. */
  readonly subject: string;
  /** The claims of the ID token. */
  readonly claims: Claims;
  /** The claims of the UserInfo endpoint, if it was requested. */
  readonly more: Claims;
}

type SignInResult =
  | ({ readonly kind: 'signedIn' } & SignedIn)
  | { readonly kind: 'failed'; readonly failure: SignInFailure; readonly reason: string };

/** Signs users in by the authorization code flow with PKCE (OpenID Connect Core 1.0, 3.1; RFC 7636). */
export interface IssuerClient {
  /** Returns the URL to redirect the browser to. Throws if the issuer's metadata cannot be read. */
  begin(): Promise<{ readonly url: string; readonly pending: AuthorizationRequest }>;
  /** Finishes a sign-in with the parameters of the callback. */
  finish(parameters: URLSearchParams, pending: AuthorizationRequest): Promise<SignInResult>;
}

const SCOPE = 'openid profile email';
const CLOCK_TOLERANCE_S = 5;

export function createIssuerClient(options: IssuerClientOptions): IssuerClient {
  return {
    async begin() {
      const { authorization_endpoint: endpoint } = await options.discover();
      if (endpoint === undefined) throw new Error(`${options.issuer} names no authorization_endpoint.`);
      const pending = {
        state: generateRandomState(),
        nonce: generateRandomNonce(),
        verifier: generateRandomCodeVerifier(),
      };
      return { url: await authorizationUrl(endpoint, options, pending), pending };
    },
    async finish(parameters, pending) {
      if (parameters.get('state') !== pending.state)
        return { kind: 'failed', failure: 'expired', reason: 'the state is of another sign-in' };
      try {
        return { kind: 'signedIn', ...(await redeem(options, parameters, pending)) };
      } catch (error) {
        return { kind: 'failed', ...failureOf(error) };
      }
    },
  };
}

async function authorizationUrl(
  endpoint: string,
  { id, redirectUri }: IssuerClientOptions,
  { state, nonce, verifier }: AuthorizationRequest,
): Promise<string> {
  const url = new URL(endpoint);
  const parameters = {
    response_type: 'code',
    client_id: id,
    redirect_uri: redirectUri,
    scope: SCOPE,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

async function redeem(
  options: IssuerClientOptions,
  parameters: URLSearchParams,
  { state, nonce, verifier }: AuthorizationRequest,
): Promise<SignedIn> {
  const server = await options.discover();
  const client = { client_id: options.id };
  const sending = {
    [customFetch]: fetchFromIssuer,
    [allowInsecureRequests]: new URL(options.issuer).protocol === 'http:',
  };
  const checked = validateAuthResponse(server, client, parameters, state);
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    authenticationOf(server, options.secret),
    checked,
    options.redirectUri,
    verifier,
    sending,
  );
  const tokens = await processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await verifySignature(options, tokens.id_token ?? '');
  const claims = getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new OperationProcessingError('there is no ID token');
  if (server.userinfo_endpoint === undefined || options.areEnough(claims))
    return { subject: claims.sub, claims, more: {} };
  const userInfo = await userInfoRequest(server, client, tokens.access_token, sending);
  const more = await processUserInfoResponse(server, client, claims.sub, userInfo);
  return { subject: claims.sub, claims, more };
}

/** RFC 6749, 2.3.1: all servers support Basic, unless their metadata says otherwise. */
function authenticationOf(
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: AuthorizationServer,
  secret: Secret | undefined,
): ClientAuth {
  if (secret === undefined) return None();
  const isPosted = methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  return isPosted ? ClientSecretPost(secret.reveal()) : ClientSecretBasic(secret.reveal());
}

/**
 * OpenID Connect Core 1.0, 3.1.3.7 accepts TLS in place of a signature; verifying it also rules out mixed-up
 * responses.
 */
async function verifySignature(
  { issuer, id, keys, algorithms }: IssuerClientOptions,
  token: string,
): Promise<void> {
  await jwtVerify(token, keys.key, {
    issuer,
    audience: id,
    algorithms: [...algorithms],
    requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
    clockTolerance: CLOCK_TOLERANCE_S,
  });
}

/** The reason is for the log. It omits the library's message, which may contain the issuer's response. */
function failureOf(error: unknown): { readonly failure: SignInFailure; readonly reason: string } {
  if (error instanceof AuthorizationResponseError) {
    return { failure: error.error === 'access_denied' ? 'denied' : 'failed', reason: wordOf(error.error) };
  }
  if (error instanceof ResponseBodyError) return { failure: 'failed', reason: wordOf(error.error) };
  if (error instanceof WWWAuthenticateChallengeError)
    return { failure: 'failed', reason: `the issuer answered with status ${error.status}` };
  if (error instanceof OperationProcessingError || error instanceof UnsupportedOperationError)
    return { failure: 'failed', reason: error.message };
  if (error instanceof errors.JOSEError) return { failure: 'failed', reason: `ID token: ${error.code}` };
  return { failure: 'unavailable', reason: error instanceof Error ? error.message : 'unknown' };
}

/** The error code if it has the form of RFC 6749, 4.1.2.1 and 5.2. */
function wordOf(code: string): string {
  return /^[\w.:-]{1,64}$/.test(code) ? code : 'an error without a name';
}
