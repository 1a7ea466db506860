import type { Principal } from './principal.ts';

/** What a role may be allowed to do with the entities of a set. */
export type Permission = 'View' | 'Insert' | 'Update' | 'Delete';

/** Who may do what with which entity set: the one table that OData and GraphQL ask. */
export interface Permissions {
  /** Throws Unauthorized where nobody has logged in, Forbidden where no role of the user's allows it. */
  demand(principal: Principal, entitySet: string, permission: Permission): void;
}
