import type { AuthorizationServer } from 'oauth4webapi';
import { discover } from '../providers/discovery.ts';
import type { KeySet } from '../providers/key-set.ts';
import { ALGORITHMS, type OidcIssuer } from '../providers/oidc-issuer.ts';
import { createIssuerClient } from './issuer-client.ts';
import { identityOf, isComplete } from './issuer-identity.ts';
import { redirectUriOf, type SignInIssuer } from './issuers-listener.ts';

/** The issuer as people sign in by it; undefined where they do not. */
export function signInIssuer(issuer: OidcIssuer, keys: KeySet, baseUrl: string): SignInIssuer | undefined {
  const { client } = issuer;
  if (client === undefined) return undefined;
  const { id, secret, name, path } = client;
  return {
    issuer: issuer.issuer,
    name,
    path,
    client: createIssuerClient({
      issuer: issuer.issuer,
      id,
      secret,
      redirectUri: redirectUriOf(baseUrl, path),
      keys,
      algorithms: ALGORITHMS,
      discover: remembered(() => discover(issuer.issuer)),
      areEnough: (claims) => isComplete(issuer, claims),
    }),
    identityOf: (signedIn) => identityOf(issuer, client, signedIn),
  };
}

const REMEMBERED_MS = 600_000;
/** Of an issuer that has not answered, not everybody asks again. */
const FAILED_MS = 2_000;

function remembered(load: () => Promise<AuthorizationServer>): () => Promise<AuthorizationServer> {
  let loading: Promise<AuthorizationServer> | undefined;
  let until = 0;
  return () => {
    if (loading !== undefined && performance.now() < until) return loading;
    until = performance.now() + REMEMBERED_MS;
    loading = load();
    loading.catch(() => {
      until = performance.now() + FAILED_MS;
    });
    return loading;
  };
}
