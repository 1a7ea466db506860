import type { Secret } from '../core/secret.ts';
import type { Permission } from '../model/permission.ts';

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

/** The role of those who see to accounts and APIs, and are shown the audit. */
export const ADMINISTRATOR = 'Admin';

/** The role of whoever signs up. */
export const USER = 'User';

export function isAdministrator({ roles }: { readonly roles: readonly string[] }): boolean {
  return roles.includes(ADMINISTRATOR);
}

/** How many roles somebody may have; tokens name them all. */
export const MOST_ROLES = 50;

/** Whether a text may be the name of a role: grants name roles, and accounts have them. */
export function isRoleName(text: string): boolean {
  return /^[\p{L}\p{N}_.:/-]{1,64}$/u.test(text);
}

/** What a credential is limited to, whatever the roles of its user allow. */
export interface Scope {
  /** Resource, or {@link EVERY_RESOURCE}, to what may be done with it. What is not named is left out. */
  readonly permissions: ReadonlyMap<string, ReadonlySet<Permission>>;
  /** A text that is equal for scopes that hold the same. */
  readonly text: string;
}

/** Stands in a scope for each resource that there is. */
export const EVERY_RESOURCE = '*';

/** Whether a scope lets its credential do that, where the roles of its user allow it. */
export function isInScope({ permissions }: Scope, resource: string, permission: Permission): boolean {
  return [resource, EVERY_RESOURCE].some((name) => permissions.get(name)?.has(permission) === true);
}

/** Tells apart those who may do different things; empty for whoever has no role. */
export function rightsName(principal: Principal): string {
  if (principal.kind !== 'user') return '';
  const { roles, scoped } = principal;
  if (scoped !== undefined) return JSON.stringify([scoped.roles, scoped.scope.text]);
  return roles.length === 0 ? '' : JSON.stringify(roles);
}
