/** A permission on a resource: read, create, update or delete its entities, or call its operations. */
export type Permission = 'View' | 'Insert' | 'Update' | 'Delete' | 'Call';

/** All permissions, in their display order. */
export const PERMISSIONS: readonly Permission[] = ['View', 'Insert', 'Update', 'Delete', 'Call'];

/** Permissions by role. Roles that are not named have none. */
export type Grants = ReadonlyMap<string, ReadonlySet<Permission>>;
