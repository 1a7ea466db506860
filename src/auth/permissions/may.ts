import type { Principal } from '../../contract/principal.ts';
import { isInScope } from '../../contract/scope.ts';
import type { Grants, Permission } from '../../model/permission.ts';

/** Whether somebody may do that with a resource. */
export type May = (resource: string, permission: Permission) => boolean;

/**
 * What a principal may do with the resources that have those grants: what one of his roles is granted, and the scope
 * of what he has shown holds, where it has one.
 */
export function mayOf(resources: ReadonlyMap<string, Grants>, principal: Principal): May {
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

function ofRoles(resources: ReadonlyMap<string, Grants>, roles: readonly string[]): May {
  return (resource, permission) => {
    const grants = resources.get(resource);
    return roles.some((role) => grants?.get(role)?.has(permission) === true);
  };
}
