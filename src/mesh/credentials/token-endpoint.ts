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
  TlsClientAuth,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import type { Log } from '../../contract/log.ts';
import { Secret } from '../../contract/secret.ts';
import type { OAuthClient } from '../project-reading/source-credential.ts';
import type { ClientTls } from '../project-reading/tls-options.ts';
import { createUpstreamClient, type UpstreamClient } from '../upstream/upstream-client.ts';
import type { UpstreamLimits } from '../upstream/upstream-limits.ts';
import { accessToken, type TokenAnswer } from './access-token.ts';
import { tokenFault } from './token-fault.ts';

export interface TokenEndpointOptions {
  /** Names the source in errors and in the log. */
  readonly source: string;
  readonly url: string;
  readonly client: OAuthClient;
  readonly limits: UpstreamLimits;
  readonly log: Log;
  readonly tls: ClientTls;
}

/** Where an authorization server gives out tokens (RFC 6749, 3.2). */
export interface TokenEndpoint {
  /**
   * Asks for a token by a grant and its parameters. A failure is a GatewayError that names the source; its cause
   * is a {@link TokenRefusal} where the authorization server has refused.
   */
  request(grant: string, parameters: Readonly<Record<string, string>>): Promise<TokenAnswer>;
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
  const sending = { [customFetch]: fetchBy(caller), [allowInsecureRequests]: true };
  return {
    async request(grant, parameters) {
      try {
        const all = { ...parameters, ...client.parameters };
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
function fetchBy(caller: UpstreamClient) {
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
    };
    // Whoever waits for the token may go: others may need it.
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

/** Nobody signs in here: who the token is about is not looked at, and need not be verified. */
function withoutIdToken(text: string): string {
  try {
    return JSON.stringify({ ...JSON.parse(text), id_token: undefined });
  } catch {
    return text;
  }
}

/** What can stand in a header field (RFC 6750, 2.1), and is no longer than one may be anywhere. */
const BEARER_TOKEN = /^[\x21-\x7e]{1,16384}$/;

function readAnswer(answer: TokenEndpointResponse): TokenAnswer {
  const { access_token: value, expires_in: life, refresh_token: refreshToken, token_type: type } = answer;
  if (type !== 'bearer') throw new Error('the token is none that its bearer may use');
  if (!BEARER_TOKEN.test(value)) throw new Error('the token cannot stand in a header field');
  return {
    token: accessToken(value, life),
    refreshToken: refreshToken === undefined ? undefined : new Secret(refreshToken),
  };
}
