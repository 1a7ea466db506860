import type { Permission } from '../model/permission.ts';
import type { Principal } from './principal.ts';

/** Who may do what with which resource: the one table that OData and GraphQL ask. */
export interface Permissions {
  /**
   * Throws Unauthorized where nobody has signed in, Forbidden where no role of the user's allows it.
   *
   * `resource` is an entity set, a singleton, or the import of a function or an action.
   */
  demand(principal: Principal, resource: string, permission: Permission): void;
}
