import { GatewayError } from '../contract/gateway-error.ts';
import type { Permissions } from '../contract/permissions.ts';
import type { Principal } from '../contract/principal.ts';
import { comparableType, type EntitySet } from '../model/edm.ts';
import type { Model } from '../model/model.ts';
import type { Permission } from '../model/permission.ts';

/** The part of the service that a user may see. URLs are relative to the service's parent. */
interface ServiceOverview {
  readonly entitySets: readonly OfferedEntitySet[];
  readonly queries: readonly SampleQuery[];
}

interface OfferedEntitySet {
  readonly name: string;
  readonly href: string;
  readonly description?: string;
  readonly permissions: readonly Permission[];
}

interface SampleQuery {
  readonly title: string;
  readonly href: string;
}

/** Lists the entity sets with any permission for the user, and example queries for the first readable one. */
export function describeService(
  model: Model,
  permissions: Permissions,
  principal: Principal,
): ServiceOverview {
  const offered = [...model.entitySets.values()].flatMap((entitySet) => {
    const granted = offeredPermissions(entitySet).filter((permission) =>
      isGranted(permissions, principal, entitySet.name, permission),
    );
    return granted.length > 0 ? [{ entitySet, granted }] : [];
  });
  const sampled = offered.find(({ granted }) => granted.includes('View'))?.entitySet;
  return {
    entitySets: offered.map(({ entitySet, granted }) => describeEntitySet(entitySet, granted)),
    queries: sampled === undefined ? [] : sampleQueries(sampled),
  };
}

/** The permissions that the upstream has operations for. */
function offeredPermissions(entitySet: EntitySet): readonly Permission[] {
  const operations: Readonly<Partial<Record<Permission, unknown>>> = {
    View: entitySet.list ?? entitySet.read,
    Insert: entitySet.insert,
    Update: entitySet.update,
    Delete: entitySet.delete,
  };
  const order: readonly Permission[] = ['View', 'Insert', 'Update', 'Delete'];
  return order.filter((permission) => operations[permission] !== undefined);
}

function isGranted(
  permissions: Permissions,
  principal: Principal,
  resource: string,
  permission: Permission,
): boolean {
  try {
    permissions.demand(principal, resource, permission);
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

function describeEntitySet(
  { name, title, entityType }: EntitySet,
  permissions: readonly Permission[],
): OfferedEntitySet {
  const description = entityType.description ?? title;
  return { name, href: `odata/${name}`, ...(description === undefined ? {} : { description }), permissions };
}

function sampleQueries({ name, list, entityType }: EntitySet): readonly SampleQuery[] {
  if (list === undefined) return [];
  const { key } = entityType;
  const others = [...entityType.structuralProperties]
    .map(([property, structural]) => [property, comparableType(structural)] as const)
    .filter(([property, type]) => type !== undefined && !key.includes(property));
  const text = others.find(([, type]) => type === 'Edm.String')?.[0];
  const group = others.find(([, type]) => type !== 'Edm.String')?.[0];
  const query = (title: string, options: string): SampleQuery => ({
    title,
    href: encodeURI(`odata/${name}${options}`),
  });
  return [
    query('The first five, and how many there are', '?$top=5&$count=true'),
    ...(text === undefined
      ? []
      : [
          query('What contains a letter', `?$filter=contains(${text},'e')&$select=${[...key, text].join()}`),
          query('Sorted, the last first', `?$orderby=${text} desc&$top=5`),
        ]),
    ...(group === undefined
      ? []
      : [query('How many of each', `?$apply=groupby((${group}),aggregate($count as Count))`)]),
    query('Just the number', '/$count'),
  ];
}
