import type { AccessReport, GrantableResource } from '../../contract/access-report.ts';
import type { Callable, EntitySet, Singleton } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { type Grants, PERMISSIONS, type Permission } from '../../model/permission.ts';
import { grantedRoles, resourceGrants } from '../../model/resource-grants.ts';
import type { OpenApiDescription } from '../../openapi/openapi-description.ts';
import { operationsOf } from '../plan/operation-resources.ts';
import { grantingPlaces } from './granting-places.ts';

/** Says what can be done with the resources of a model, who may do it, and who might where nobody may do anything. */
export function describeAccess(
  { original, document }: Pick<OpenApiDescription, 'original' | 'document'>,
  model: Model,
): AccessReport {
  const places = grantingPlaces(original.document, document, model);
  const resources = [...resourceGrants(model)].map(([name, grants]): GrantableResource => {
    const { kind, rights } = resourceNamed(model, name, grants);
    return { name, kind, rights, grants: written(grants), isGrantable: places.has(name) };
  });
  const roles = grantedRoles(model);
  return { roles, resources, proposal: roles.length === 0 ? resources.filter(isFree).map(proposed) : [] };
}

function resourceNamed(
  model: Model,
  name: string,
  grants: Grants,
): Pick<GrantableResource, 'kind' | 'rights'> {
  const imported = model.imports.get(name);
  if (imported !== undefined) return { kind: imported.kind, rights: ['Call'] };
  const set = model.entitySets.get(name);
  const singleton = model.singletons.get(name);
  if (set !== undefined) return { kind: 'entitySet', rights: rightsOf(set, model.callables) };
  if (singleton !== undefined) return { kind: 'singleton', rights: rightsOf(singleton, model.callables) };
  return { kind: 'contained', rights: ordered([...grants.values()].flatMap((rights) => [...rights])) };
}

const DONE_BY: Readonly<Record<string, Permission>> = {
  list: 'View',
  read: 'View',
  changes: 'View',
  insert: 'Insert',
  update: 'Update',
  delete: 'Delete',
};

/** What the API has an operation for. */
function rightsOf(resource: EntitySet | Singleton, callables: readonly Callable[]): readonly Permission[] {
  const done = Object.entries(operationsOf(resource)).flatMap(([name, operation]) =>
    operation === undefined ? [] : (DONE_BY[name] ?? []),
  );
  const isCalled = callables.some(({ binding }) => binding?.entityType === resource.entityType);
  return ordered(isCalled ? [...done, 'Call'] : done);
}

function ordered(rights: readonly Permission[]): readonly Permission[] {
  return PERMISSIONS.filter((permission) => rights.includes(permission));
}

function written(grants: Grants): GrantableResource['grants'] {
  return Object.fromEntries(
    [...grants].flatMap(([role, rights]) => (rights.size === 0 ? [] : [[role, ordered([...rights])]])),
  );
}

function isFree({ isGrantable, rights }: GrantableResource): boolean {
  return isGrantable && rights.length > 0;
}

/** Users look at what there is and call what changes nothing, administrators do everything. */
function proposed({ name, kind, rights }: GrantableResource): AccessReport['proposal'][number] {
  const harmless = kind === 'function' ? rights : rights.filter((right) => right === 'View');
  return { name, grants: { ...(harmless.length > 0 && { User: harmless }), Admin: rights } };
}
