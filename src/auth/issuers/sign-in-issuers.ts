import type { AuthorizationServer } from 'oauth4webapi';
import {
  ALGORITHMS,
  discover,
  type OidcClient,
  type OidcIssuer,
  rolesFor,
} from '../providers/oidc-issuer.ts';
import type { KeySet } from '../providers/token-verifier.ts';
import { EMAIL, NAME } from '../requests/account-requests.ts';
import type { Identity } from './issuer-accounts.ts';
import { type Claims, createIssuerClient, type SignedIn } from './issuer-client.ts';
import { redirectUriOf, type SignInIssuer } from './issuers-listener.ts';

/** Undefined for an issuer that is not for signing in. */
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
      areEnough: (claims) => emailIn(claims) !== undefined && rolesFor(issuer, claims) !== undefined,
    }),
    identityOf: (signedIn) => identityOf(issuer, client, signedIn),
  };
}

const REMEMBERED_MS = 600_000;
/** Time before a failed request for the metadata is repeated. */
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

/** The identity in the claims of the issuer (OpenID Connect Core 1.0, 5.1). */
function identityOf(
  issuer: OidcIssuer,
  { isEmailTrusted }: Pick<OidcClient, 'isEmailTrusted'>,
  { subject, claims, more }: SignedIn,
): Identity {
  // `email_verified` refers to the address in the same set of claims.
  const source = emailIn(claims) === undefined ? more : claims;
  const email = emailIn(source);
  return {
    issuer: issuer.issuer,
    subject,
    email,
    isEmailVerified: isEmailTrusted && source['email_verified'] === true,
    name: nameIn(claims) ?? nameIn(more) ?? email ?? subject,
    roles: rolesFor(issuer, claims) ?? rolesFor(issuer, more),
  };
}

function emailIn({ email }: Claims): string | undefined {
  return EMAIL.safeParse(email).data;
}

function nameIn({ name, preferred_username: username }: Claims): string | undefined {
  return NAME.safeParse(name).data ?? NAME.safeParse(username).data;
}
