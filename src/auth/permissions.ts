import type { CallableCall, EntityRead, EntitySource } from '../contract/entity-source.ts';
import type { CallContext } from '../contract/exchange.ts';
import { GatewayError, loginRequired } from '../contract/gateway-error.ts';
import type { Permissions } from '../contract/permissions.ts';
import type { EntityType, Model } from '../model/edm.ts';
import type { Grants, Permission } from '../model/permission.ts';
import { relatedResourceName, resourceGrants } from '../model/resource-grants.ts';

/** The permission table of a model's grants. What is not granted is forbidden. */
export function permissionsOf(model: Model): Permissions {
  const grants = resourceGrants(model);
  return {
    demand(principal, resource, permission) {
      if (principal.kind === 'unrestricted') return;
      if (principal.kind === 'anonymous') throw loginRequired();
      if (!isGranted(grants.get(resource), principal.roles, permission)) {
        throw new GatewayError('Forbidden', `Your role needs the permission ${permission} on ${resource}.`);
      }
    },
  };
}

function isGranted(grants: Grants | undefined, roles: readonly string[], permission: Permission): boolean {
  return roles.some((role) => grants?.get(role)?.has(permission) === true);
}

/** Asks permission before it asks the source: nothing reaches the upstream without it. */
export function guardSource(source: EntitySource, permissions: Permissions, model: Model): EntitySource {
  const demand = (call: CallContext, { resource }: { resource: string }, permission: Permission): void =>
    permissions.demand(call.principal, resource, permission);
  const demandWanted = (call: CallContext, wanted: Wanted, permission: Permission): void => {
    demand(call, wanted, permission);
    const others = [...embeddedResources(model, wanted), ...(wanted.related ?? [])];
    for (const resource of others) demand(call, { resource }, 'View');
  };
  return {
    permit(resource, permission, call) {
      demand(call, { resource }, permission);
    },
    async readCollection(read, call) {
      demandWanted(call, read, 'View');
      return source.readCollection(read, call);
    },
    async readChanges(read, call) {
      demandWanted(call, read, 'View');
      return source.readChanges(read, call);
    },
    async readEntity(read, call) {
      demandWanted(call, read, 'View');
      return source.readEntity(read, call);
    },
    async insert(insert, call) {
      demandWanted(call, insert, 'Insert');
      return source.insert(insert, call);
    },
    async update(update, call) {
      demandWanted(call, update, 'Update');
      return source.update(update, call);
    },
    async delete(remove, call) {
      demand(call, remove, 'Delete');
      return source.delete(remove, call);
    },
    async call(callable, call) {
      demand(call, callable, callable.kind === 'reference' ? 'Update' : 'Call');
      for (const resource of returnedResources(model, callable)) demand(call, { resource }, 'View');
      return source.call(callable, call);
    },
    async readStream(read, call) {
      demand(call, read, read.kind === 'call' ? 'Call' : 'View');
      return source.readStream(read, call);
    },
    async writeStream(write, call) {
      demand(call, write, 'Update');
      return source.writeStream(write, call);
    },
    async deleteStream(remove, call) {
      demand(call, remove, 'Update');
      return source.deleteStream(remove, call);
    },
  };
}

/** Entities of which something is asked, or is to be shown once they are changed. */
type Wanted = Pick<EntityRead, 'resource' | 'entityType' | 'properties' | 'related'>;

/** The resources of the entities that stand in the JSON of those that are wanted, and are wanted with them. */
function embeddedResources(
  model: Model,
  { entityType, properties }: Pick<Wanted, 'entityType' | 'properties'>,
): readonly string[] {
  const related = properties.filter((name) => !entityType.structuralProperties.has(name));
  if (related.length === 0) return [];
  return [...model.entityTypes.values()]
    .filter((type) => isDerived(model, type, entityType))
    .flatMap((type) => related.flatMap((name) => type.navigationProperties.get(name) ?? []))
    .flatMap((navigation) => relatedResourceName(navigation) ?? []);
}

/** The same of entities that are returned by a call. */
function returnedResources(model: Model, { returns, embedded = [] }: CallableCall): readonly string[] {
  const entityType = returns && model.entityTypes.get(returns.type.name);
  return entityType === undefined ? [] : embeddedResources(model, { entityType, properties: embedded });
}

function isDerived({ entityTypes }: Model, type: EntityType, from: EntityType): boolean {
  for (let next: EntityType | undefined = type; next !== undefined; ) {
    if (next.name === from.name) return true;
    next = next.baseType === undefined ? undefined : entityTypes.get(next.baseType);
  }
  return false;
}
