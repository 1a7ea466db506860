import {
  type AuthorizationServer,
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  None,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
  TlsClientAuth,
  type TokenEndpointResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { type ErrorCode, GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { ClientTls, OAuthClient } from '../../contract/source-credential.ts';
import { Secret } from '../../core/secret.ts';
import { createUpstreamClient, type UpstreamClient } from '../client/upstream-client.ts';
import type { UpstreamLimits } from '../client/upstream-limits.ts';

export interface TokenEndpointOptions {
  /** Names the source in errors and in the log. */
  readonly source: string;
  readonly url: string;
  readonly client: OAuthClient;
  readonly limits: UpstreamLimits;
  readonly log: Log;
  readonly tls: ClientTls;
}

/** The token endpoint of an authorization server (RFC 6749, 3.2). */
export interface TokenEndpoint {
  /**
   * Asks for a token by a grant and its parameters. A failure is a GatewayError that names the source; its cause
   * is a {@link TokenRefusal} where the authorization server has refused. `asker`: the user whose token it is.
   */
  request(grant: string, parameters: Readonly<Record<string, string>>, asker?: string): Promise<TokenAnswer>;
  close(): Promise<void>;
}

/** Connections, and bytes of an answer: there is not much to say to it. */
const TOKEN_LIMITS = { connections: 8, bodySize: 256 * 1024 } as const;

export function openTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { source, url, client, limits, log, tls } = options;
  const caller = createUpstreamClient({
    name: `${source} (authorization server)`,
    origin: new URL(url).origin,
    limits: { ...limits, ...TOKEN_LIMITS },
    log,
    tls,
    isConfidential: true,
  });
  const server: AuthorizationServer = { issuer: new URL(url).origin, token_endpoint: url };
  const about = { client_id: client.clientId };
  const authentication = clientAuthentication(client);
  return {
    async request(grant, parameters, asker) {
      try {
        const all = { ...parameters, ...client.parameters };
        const sending = { [customFetch]: fetchBy(caller, grant, asker), [allowInsecureRequests]: true };
        const response = await genericTokenEndpointRequest(
          server,
          about,
          authentication,
          grant,
          all,
          sending,
        );
        return readAnswer(await processGenericTokenEndpointResponse(server, about, response));
      } catch (error) {
        throw tokenFault(source, error);
      }
    },
    close: () => caller.close(),
  };
}

function clientAuthentication({ clientSecret, authentication }: OAuthClient): ClientAuth {
  if (authentication === 'certificate') return TlsClientAuth();
  if (clientSecret === undefined) return None();
  return authentication === 'post'
    ? ClientSecretPost(clientSecret.reveal())
    : ClientSecretBasic(clientSecret.reveal());
}

/** A `fetch` that sends by our client: within its limits, and without following a redirect. */
function fetchBy(caller: UpstreamClient, grant: string, asker: string | undefined) {
  return async (url: string, { method, headers, body }: TokenRequest): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const list = Object.entries({
      ...headers,
      'accept-encoding': 'identity',
      'user-agent': 'duogate',
    }).flat();
    const request = {
      operation: 'token',
      method,
      path: pathname + search,
      headers: list,
      body: body.toString(),
      asker,
      // A refresh token that is sent twice is taken for a stolen one (RFC 9700, 4.14.2).
      isRepeatable: grant !== 'refresh_token',
    };
    // Not aborted with the request, because other requests may wait for the token.
    const answer = await caller.send(request, new AbortController().signal);
    const { 'content-type': mediaType = '', 'www-authenticate': challenge } = answer.headers;
    return new Response(hasNoContent(answer.status) ? null : withoutIdToken(answer.body.toString()), {
      status: answer.status,
      headers: { 'content-type': mediaType, ...(challenge && { 'www-authenticate': challenge }) },
    });
  };
}

interface TokenRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: URLSearchParams;
}

/** RFC 9110, 6.4.1: a Response with a body cannot have them. */
function hasNoContent(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Removes the ID token, which is not used and need not be verified. */
function withoutIdToken(text: string): string {
  try {
    return JSON.stringify({ ...JSON.parse(text), id_token: undefined });
  } catch {
    return text;
  }
}

/** Tokens that fit into a header field (RFC 6750, 2.1), with a maximum length. */
const BEARER_TOKEN = /^[\x21-\x7e]{1,16384}$/;

function readAnswer(answer: TokenEndpointResponse): TokenAnswer {
  const { access_token: value, expires_in: life, refresh_token: refreshToken, token_type: type } = answer;
  if (type !== 'bearer') throw new Error('the token is not a bearer token');
  if (!BEARER_TOKEN.test(value)) throw new Error('the token cannot stand in a header field');
  return {
    token: accessToken(value, life),
    refreshToken: refreshToken === undefined ? undefined : new Secret(refreshToken),
  };
}

/** A bearer token (RFC 6750) that the gateway has been given. Times are milliseconds since 1970. */
export interface AccessToken {
  readonly value: Secret;
  /** From then on another one is asked for, while this one is still good. */
  readonly renewAt: number;
  readonly expiresAt: number;
}

/** A token answer (RFC 6749, 5.1), as far as it matters here. */
interface TokenAnswer {
  readonly token: AccessToken;
  /** To be used in the place of the one that was sent. */
  readonly refreshToken: Secret | undefined;
}

const LARGEST_MARGIN_MS = 60_000;

/** A token is renewed when a fifth of its life is left, or a minute. */
function accessToken(value: string, lifeSeconds: number | undefined, now = Date.now()): AccessToken {
  const life = lifeSeconds === undefined ? Number.POSITIVE_INFINITY : lifeSeconds * 1_000;
  const expiresAt = now + life;
  return { value: new Secret(value), renewAt: expiresAt - Math.min(LARGEST_MARGIN_MS, life / 5), expiresAt };
}

/** The authorization server has refused: asked the same again, it would say the same (RFC 6749, 5.2). */
export class TokenRefusal extends Error {
  /** The reason that the endpoint gives, such as `invalid_grant`; undefined where it gives none. */
  readonly reason: string | undefined;

  constructor(status: number, reason: string | undefined) {
    super(`the token endpoint answered with status ${status}, ${reason ?? 'for no reason that it gives'}`);
    this.reason = reason;
  }
}

/** A failure to get a token, as a client may see it. Its cause is for the log, and quotes nothing of the answer. */
export function tokenFault(source: string, error: unknown): GatewayError {
  if (!(error instanceof GatewayError)) return fault(source, 'UpstreamBadResponse', causeOf(error));
  return fault(source, error.code, error.cause, error.headers);
}

const FAILURES: Readonly<Partial<Record<ErrorCode, string>>> = {
  UpstreamUnavailable: 'is not available',
  UpstreamTimeout: 'did not answer in time',
  UpstreamThrottled: 'accepts no more requests at the moment',
  UpstreamBusy: 'has too many requests waiting for it',
  CircuitOpen: 'has failed repeatedly and is not asked for a while',
  UpstreamBadResponse: 'sent an answer that cannot be used',
};

function fault(source: string, code: ErrorCode, cause: unknown, headers = {}): GatewayError {
  const failure = FAILURES[code] ?? 'cannot be asked';
  return new GatewayError(code, `${source} cannot be called: its authorization server ${failure}.`, {
    cause,
    headers,
  });
}

/** The library's errors carry the answer, which may hold a token. */
function causeOf(error: unknown): Error {
  if (error instanceof ResponseBodyError) {
    return new TokenRefusal(error.status, REASON.test(error.error) ? error.error : undefined);
  }
  if (error instanceof WWWAuthenticateChallengeError) return new TokenRefusal(error.status, undefined);
  return new Error(error instanceof Error ? error.message : 'the token endpoint could not be asked');
}

const REASON = /^[\w.:-]{1,64}$/;
