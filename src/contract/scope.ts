import type { Permission } from '../model/permission.ts';

/** What a credential is limited to, whatever the roles of its user allow. */
export interface Scope {
  /** Resource, or {@link EVERY_RESOURCE}, to what may be done with it. What is not named is left out. */
  readonly permissions: ReadonlyMap<string, ReadonlySet<Permission>>;
  /** The same text for scopes that hold the same. */
  readonly text: string;
}

/** Stands in a scope for each resource that there is. */
export const EVERY_RESOURCE = '*';

/** Whether a scope lets its credential do that, where the roles of its user allow it. */
export function isInScope({ permissions }: Scope, resource: string, permission: Permission): boolean {
  return [resource, EVERY_RESOURCE].some((name) => permissions.get(name)?.has(permission) === true);
}
