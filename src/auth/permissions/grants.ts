import { LRUCache } from 'lru-cache';
import { GatewayError, signInRequired } from '../../contract/gateway-error.ts';
import type { Permissions } from '../../contract/permissions.ts';
import { PreparationTimes } from '../../contract/preparation-times.ts';
import { ADMINISTRATOR, isInScope, type Principal, USER } from '../../contract/principal.ts';
import type { DescribedModel } from '../../model/description.ts';
import { linkModel, type Model } from '../../model/model.ts';
import type { Grants, Permission } from '../../model/permission.ts';
import { grantedRoles, resourceGrants } from '../../model/resource-grants.ts';

/** The permission table of a model's grants. Anything not granted is forbidden. */
export function permissionsOf(model: Model): Permissions {
  const grants = resourceGrants(model);
  return {
    demand(principal, resource, permission) {
      if (permissionCheckOf(grants, principal)(resource, permission)) return;
      throw refusal(principal, resource, permission);
    },
  };
}

/**
 * The error for a missing permission. If a scope excludes it, the message does not reveal whether the user's
 * role allows it.
 */
function refusal(principal: Principal, resource: string, permission: Permission): GatewayError {
  if (principal.kind !== 'user') return signInRequired();
  const { scoped } = principal;
  const isLeftOut = scoped !== undefined && !isInScope(scoped.scope, resource, permission);
  const lacking = isLeftOut ? "This key's scope" : 'Your role';
  return new GatewayError('Forbidden', `${lacking} needs the permission ${permission} on ${resource}.`);
}

/** Returns true if a principal has a permission for a resource. */
export type PermissionCheck = (resource: string, permission: Permission) => boolean;

/** Combines the grants of the principal's roles with the scope of the credential, if it has one. */
function permissionCheckOf(resources: ReadonlyMap<string, Grants>, principal: Principal): PermissionCheck {
  switch (principal.kind) {
    case 'unrestricted':
      return () => true;
    case 'anonymous':
      return () => false;
    case 'user': {
      const { scoped } = principal;
      if (scoped === undefined) return ofRoles(resources, principal.roles);
      const may = ofRoles(resources, scoped.roles);
      return (resource, permission) =>
        isInScope(scoped.scope, resource, permission) && may(resource, permission);
    }
  }
}

function ofRoles(resources: ReadonlyMap<string, Grants>, roles: readonly string[]): PermissionCheck {
  return (resource, permission) => {
    const grants = resources.get(resource);
    return roles.some((role) => grants?.get(role)?.has(permission) === true);
  };
}

/** Sets of roles are few, because operators define roles. */
const MOST_OF_ROLES = 100;
/** Every user can create scopes, so each user has a small cache apart from that of the roles. */
const MOST_OF_SCOPES = 20;
const MOST_OF_USER = 4;

/**
 * The part of a model for a principal: the whole model without access control. Built once per distinct set of
 * roles and per scope within it; the most recently used are cached.
 */
export function partsByRights(
  model: Model,
  make: (may: PermissionCheck, principal: Principal) => DescribedModel,
): (principal: Principal) => Model {
  const resources = resourceGrants(model);
  const known = grantedRoles(model);
  const ofRoles = new LRUCache<string, Model>({ max: MOST_OF_ROLES });
  const ofScopes = new LRUCache<string, Model>({ max: MOST_OF_SCOPES });
  const ofUsers = new LRUCache<string, LRUCache<string, true>>({ max: MOST_OF_SCOPES });
  const times = new PreparationTimes();
  /** Caches the last scopes of one user, apart from those of others. */
  const use = (key: string, user: string): void => {
    const dispose = (_: true, old: string, reason: string): void => {
      if (reason === 'evict') ofScopes.delete(old);
    };
    const own = ofUsers.get(user) ?? new LRUCache<string, true>({ max: MOST_OF_USER, dispose });
    own.set(key, true);
    ofUsers.set(user, own);
  };
  return (principal) => {
    if (principal.kind === 'unrestricted') return model;
    const { roles, scope } = rightsOf(principal);
    const parts = scope === undefined ? ofRoles : ofScopes;
    const key = JSON.stringify([known.filter((role) => roles.includes(role)), scope]);
    const part =
      parts.get(key) ??
      times.prepare(principal, () =>
        linkedPart(model, make(permissionCheckOf(resources, principal), principal)),
      );
    parts.set(key, part);
    if (scope !== undefined && principal.kind === 'user') use(key, principal.id);
    return part;
  };
}

/** Returns the model itself if the part is all of it. */
function linkedPart(model: Model, part: DescribedModel): Model {
  return part === model.description ? model : linkModel(part);
}

interface Rights {
  readonly roles: readonly string[];
  readonly scope: string | undefined;
}

function rightsOf(principal: Principal): Rights {
  if (principal.kind !== 'user') return { roles: [], scope: undefined };
  const { roles, scoped } = principal;
  return scoped === undefined
    ? { roles, scope: undefined }
    : { roles: scoped.roles, scope: scoped.scope.text };
}

/** The roles that grants name, and the built-in ones. */
export function offeredRoles(model: Model): readonly string[] {
  return [...new Set([USER, ADMINISTRATOR, ...grantedRoles(model)])];
}
