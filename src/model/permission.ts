/** What a role may be allowed to do with a resource: read, create, change or remove its entities, call its operations. */
export type Permission = 'View' | 'Insert' | 'Update' | 'Delete' | 'Call';

/** All permissions, in the order in which they are told. */
export const PERMISSIONS: readonly Permission[] = ['View', 'Insert', 'Update', 'Delete', 'Call'];

/** Role to what it may do. Who is not named may do nothing. */
export type Grants = ReadonlyMap<string, ReadonlySet<Permission>>;
