import type { Secret } from '../core/secret.ts';
import type { Permission } from '../model/permission.ts';

/** The identity that a request acts for. */
export type Principal =
  /** A request without a credential. */
  | { readonly kind: 'anonymous' }
  /** Access control is off (`AUTH=off`): everything is allowed. */
  | { readonly kind: 'unrestricted' }
  | UserPrincipal;

export interface UserPrincipal {
  readonly kind: 'user';
  readonly id: string;
  /** Empty if the credential has a scope, so that anything that requires a role is forbidden. */
  readonly roles: readonly string[];
  /** The scope of the credential; undefined if it has all permissions of the roles. */
  readonly scoped?: ScopedRoles;
  /** The token of the user, if it can be exchanged at other servers. */
  readonly token?: SubjectToken;
}

/** The roles of the user, limited by a scope that never adds permissions. */
export interface ScopedRoles {
  readonly roles: readonly string[];
  readonly scope: Scope;
}

/** A verified JSON Web Token (RFC 7519). */
export interface SubjectToken {
  readonly value: Secret;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly expiresAt: number;
}

export const ANONYMOUS: Principal = { kind: 'anonymous' };
export const UNRESTRICTED: Principal = { kind: 'unrestricted' };

/** The role that manages accounts and APIs and reads the audit log. */
export const ADMINISTRATOR = 'Admin';

/** The role of users who sign up by themselves. */
export const USER = 'User';

export function isAdministrator({ roles }: { readonly roles: readonly string[] }): boolean {
  return roles.includes(ADMINISTRATOR);
}

/** Maximum number of roles of a user, because tokens contain all of them. */
export const MOST_ROLES = 50;

/** Whether a text is a valid name of a role. */
export function isRoleName(text: string): boolean {
  return /^[\p{L}\p{N}_.:/-]{1,64}$/u.test(text);
}

/** The limits of a credential, in addition to the roles of its user. */
export interface Scope {
  /** Permissions by resource or {@link EVERY_RESOURCE}. Others are forbidden. */
  readonly permissions: ReadonlyMap<string, ReadonlySet<Permission>>;
  /** A text that is equal for equal scopes. */
  readonly text: string;
}

/** Represents all resources in a scope. */
export const EVERY_RESOURCE = '*';

/** Whether the scope includes the permission, provided that the roles of the user do. */
export function isInScope({ permissions }: Scope, resource: string, permission: Permission): boolean {
  return [resource, EVERY_RESOURCE].some((name) => permissions.get(name)?.has(permission) === true);
}

/** A text that differs for principals with different permissions; empty without roles. */
export function rightsName(principal: Principal): string {
  if (principal.kind !== 'user') return '';
  const { roles, scoped } = principal;
  if (scoped !== undefined) return JSON.stringify([scoped.roles, scoped.scope.text]);
  return roles.length === 0 ? '' : JSON.stringify(roles);
}
