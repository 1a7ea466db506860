import type { Model } from '../model/model.ts';
import { PERMISSIONS } from '../model/permission.ts';
import { grantedRoles, resourceGrants } from '../model/resource-grants.ts';
import { table, writeLines } from './text-table.ts';

/** What each role may do with each resource that has grants of its own: what is not written is forbidden. */
export function writeGrants(model: Model): string {
  const resources = [...resourceGrants(model)];
  const roles = grantedRoles(model);
  if (roles.length === 0) return 'No role may do anything: grants in x-odata say who may do what.\n';
  const rows = resources.map(([name, grants]) => [
    name,
    ...roles.map(
      (role) => PERMISSIONS.filter((permission) => grants.get(role)?.has(permission)).join(' ') || '-',
    ),
  ]);
  return writeLines(table([['', ...roles], ...rows]));
}
