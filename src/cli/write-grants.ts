import type { Model } from '../model/edm.ts';
import type { Grants } from '../model/permission.ts';
import { table, writeLines } from './text-table.ts';

const PERMISSIONS = ['View', 'Insert', 'Update', 'Delete', 'Call'] as const;

interface Resource {
  readonly name: string;
  readonly grants: Grants;
}

/** What each role may do with each entity set, singleton and import: what is not written is forbidden. */
export function writeGrants({ entitySets, singletons, imports }: Model): string {
  const resources: readonly Resource[] = [
    ...entitySets.values(),
    ...singletons.values(),
    ...imports.values(),
  ];
  const roles = [...new Set(resources.flatMap(({ grants }) => [...grants.keys()]))].sort();
  if (roles.length === 0) return 'No role may do anything: grants in x-odata say who may do what.\n';
  const rows = resources.map(({ name, grants }) => [
    name,
    ...roles.map(
      (role) => PERMISSIONS.filter((permission) => grants.get(role)?.has(permission)).join(' ') || '-',
    ),
  ]);
  return writeLines(table([['', ...roles], ...rows]));
}
