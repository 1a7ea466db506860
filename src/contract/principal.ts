import type { Scope } from './scope.ts';
import type { Secret } from './secret.ts';

/** Who is asking. */
export type Principal =
  /** Nobody has shown a credential. */
  | { readonly kind: 'anonymous' }
  /** Access control is switched off (`AUTH=off`): everybody may do everything. */
  | { readonly kind: 'unrestricted' }
  | UserPrincipal;

export interface UserPrincipal {
  readonly kind: 'user';
  readonly id: string;
  /** None where the credential is limited to a scope: whatever asks for a role is closed to it. */
  readonly roles: readonly string[];
  /** What the credential is good for; undefined where it may do all that the roles allow. */
  readonly scoped?: ScopedRoles;
  /** What the user has shown, where that is a token that others may take, too. */
  readonly token?: SubjectToken;
}

/** What roles allow, as far as a scope holds it, too: it narrows them, and never adds to them. */
export interface ScopedRoles {
  readonly roles: readonly string[];
  readonly scope: Scope;
}

/** A JSON Web Token that was found good (RFC 7519). */
export interface SubjectToken {
  readonly value: Secret;
  readonly issuer: string;
  readonly audiences: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export const ANONYMOUS: Principal = { kind: 'anonymous' };
export const UNRESTRICTED: Principal = { kind: 'unrestricted' };
