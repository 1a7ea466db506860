import { type OidcClient, type OidcIssuer, rolesFor } from '../providers/oidc-issuer.ts';
import { EMAIL, NAME } from '../requests/account-requests.ts';
import type { Identity } from './issuer-accounts.ts';
import type { Claims, SignedIn } from './issuer-client.ts';

/** Who somebody is by what his issuer says of him (OpenID Connect Core 1.0, 5.1). */
export function identityOf(
  issuer: OidcIssuer,
  { isEmailTrusted }: Pick<OidcClient, 'isEmailTrusted'>,
  { subject, claims, more }: SignedIn,
): Identity {
  // That an address is verified is said of the address beside it.
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

/** Whether the ID token says all of it. */
export function isComplete(issuer: OidcIssuer, claims: Claims): boolean {
  return emailIn(claims) !== undefined && rolesFor(issuer, claims) !== undefined;
}

function emailIn({ email }: Claims): string | undefined {
  return typeof email === 'string' && EMAIL.accepts(email) ? email : undefined;
}

function nameIn({ name, preferred_username: username }: Claims): string | undefined {
  const found = [name, username].find((text) => NAME.accepts(text));
  return typeof found === 'string' ? found : undefined;
}
