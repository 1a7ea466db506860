import { GatewayError } from '../../contract/gateway-error.ts';
import { parseRequestTarget } from '../url/request-target.ts';
import type { QueryOptions } from '../url/tree.ts';
import { bindResource } from './bind-resource.ts';
import { castTo } from './place.ts';
import type { EntityResource, Resource } from './resource.ts';
import { demandSchemaVersion } from './schema-version.ts';
import type { Service } from './service.ts';

/** What a request's URL addresses, and the query options that apply to it. */
export interface BoundTarget {
  readonly resource: Resource;
  readonly options: QueryOptions;
}

/** Binds a request target below the service root. */
export function bindTarget(service: Pick<Service, 'model' | 'root' | 'limits'>, target: string): BoundTarget {
  const { model, limits } = service;
  const { path, options } = parseRequestTarget(target, limits.url);
  demandSchemaVersion(model, options.schemaVersion);
  if (path.kind !== 'entity') return { resource: bindResource(service, path, options), options };
  const { id = '', ...others } = options;
  const entity = entityOfId(service, id);
  const { typeName } = path;
  const resource = typeName === undefined ? entity : castTo(model, entity, typeName);
  if (resource === undefined) throw wrongId(`an entity of ${typeName}`);
  return { resource, options: others };
}

/** `$entity` (Part 2, 4.4): the entity-id is a URL, absolute or relative to the service root. */
function entityOfId(service: Pick<Service, 'model' | 'root' | 'limits'>, id: string): EntityResource {
  const { root, limits } = service;
  const target = id.startsWith(`${root}/`) ? id.slice(root.length) : `/${id}`;
  const { path, options } = parseRequestTarget(target, limits.url);
  if (path.kind !== 'resource' || id.includes('?'))
    throw wrongId('the entity-id of an entity of this service');
  const resource = bindResource(service, path, options);
  if (resource.kind !== 'entity') throw wrongId('the entity-id of a single entity');
  return resource;
}

function wrongId(expected: string): GatewayError {
  return new GatewayError('BadRequest', `$id: expected ${expected}.`, { target: '$id' });
}
