import type { Permission } from '../model/permission.ts';
import type { Principal } from './principal.ts';

/** The permission table that OData and GraphQL share. */
export interface Permissions {
  /**
   * Throws Unauthorized for an anonymous client, and Forbidden if no role of the user has the permission.
   *
   * `resource` is an entity set, a singleton, or a function or action import.
   */
  demand(principal: Principal, resource: string, permission: Permission): void;
}
