import type { CredentialVault } from '../../contract/credential-vault.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Log } from '../../contract/log.ts';
import type { ProjectSource } from '../project-reading/project-source.ts';
import type { OAuthClient, SourceCredential } from '../project-reading/source-credential.ts';
import { type ClientTls, tlsOptions } from '../project-reading/tls-options.ts';
import type { UpstreamClient } from '../upstream/upstream-client.ts';
import type { UpstreamLimits } from '../upstream/upstream-limits.ts';
import type { FindCredential } from './call-credential.ts';
import { HeldToken, type HeldTokenOptions } from './held-token.ts';
import { exchangedToken, forwardedToken, userKey } from './per-user-credentials.ts';
import { refreshedToken } from './refreshed-token.ts';
import { tokenCredential } from './token-credential.ts';
import { openTokenEndpoint, type TokenEndpoint } from './token-endpoint.ts';
import { isOAuth, type OAuthCredential, type TokenTarget } from './token-target.ts';
import { credentialAccess, openAccess, type UpstreamAccess } from './upstream-access.ts';

export interface AccessOptions {
  readonly source: ProjectSource;
  /** Where access tokens are asked for; undefined where none are. */
  readonly target: TokenTarget | undefined;
  readonly client: UpstreamClient;
  readonly limits: UpstreamLimits;
  readonly log: Log;
  readonly vault: CredentialVault;
}

/** The access to a source's upstream, to be closed with its client. */
export interface ClosableAccess extends UpstreamAccess {
  close(): Promise<void>;
}

export function openSourceAccess(options: AccessOptions): ClosableAccess {
  const { source, client, limits } = options;
  const credential = source.access?.credential;
  const { find, close } = isOAuth(credential)
    ? openOAuth(options, credential)
    : { find: withoutServer(options, credential), close: async () => undefined };
  const access =
    find === undefined
      ? openAccess(client)
      : credentialAccess({ source: source.name, client, find, deadline: limits.deadline });
  return { ...access, close };
}

function withoutServer(
  { source: { name }, vault }: AccessOptions,
  credential: Exclude<SourceCredential, OAuthCredential> | undefined,
): FindCredential | undefined {
  switch (credential?.kind) {
    case undefined:
      return undefined;
    case 'forwardedToken':
      return forwardedToken(name, credential);
    case 'userKey':
      return userKey(name, credential, vault);
  }
}

function openOAuth(options: AccessOptions, credential: OAuthCredential) {
  const { source, target, limits, log } = options;
  if (target === undefined) throw new Error(`${source.name} has nowhere to ask for tokens`);
  const { url, scope } = target;
  const tls = tokenTls(source, credential, url);
  const endpoint = openTokenEndpoint({ source: source.name, url, client: credential, limits, log, tls });
  const onLate: HeldTokenOptions['onLate'] = (error) => {
    const cause = error instanceof GatewayError ? error.cause : error;
    log.warn({ upstream: source.name, cause: String(cause) }, 'The access token could not be renewed yet');
  };
  if (credential.kind === 'tokenExchange') {
    const find = exchangedToken(source.name, credential, scope, endpoint, onLate);
    return { find, close: () => endpoint.close() };
  }
  const held = new HeldToken({ get: tokenGetter(options, credential, scope, endpoint), onLate });
  return {
    find: () => tokenCredential(held, ''),
    async close() {
      await held.settled();
      await endpoint.close();
    },
  };
}

function tokenGetter(
  { source, vault }: AccessOptions,
  credential: Exclude<OAuthCredential, { kind: 'tokenExchange' }>,
  scope: Readonly<Record<string, string>>,
  endpoint: TokenEndpoint,
): HeldTokenOptions['get'] {
  if (credential.kind === 'refreshToken') {
    return refreshedToken({ source: source.name, credential, scope, endpoint, vault });
  }
  return async () => (await endpoint.request('client_credentials', scope)).token;
}

/** The certificate is for the upstream: another server is shown it only where the settings say so. */
function tokenTls(
  { endpoint, access }: ProjectSource,
  { authentication }: OAuthClient,
  url: string,
): ClientTls {
  const isMeant = authentication === 'certificate' || new URL(url).origin === new URL(endpoint).origin;
  const certificate = access?.certificate;
  return certificate !== undefined && isMeant ? tlsOptions(certificate) : {};
}
