import { GatewayError } from '../../../contract/gateway-error.ts';
import { castTo } from '../../../engine/resource/place.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import { parseRequestTarget } from '../../url/request-target.ts';
import { demandSchemaVersion } from '../protocol/schema-version.ts';
import type { Service } from '../service/service.ts';
import { bindResource } from './bind-resource.ts';
import { referencedEntity } from './referenced-entity.ts';
import type { Resource } from './resource.ts';

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
  const entity = referencedEntity(service, { url: id, target: '$id' });
  const { typeName } = path;
  const resource = typeName === undefined ? entity : castTo(model, entity, typeName);
  if (resource === undefined) throw wrongId(`an entity of ${typeName}`);
  return { resource, options: others };
}

function wrongId(expected: string): GatewayError {
  return new GatewayError('BadRequest', `$id: expected ${expected}.`, { target: '$id' });
}
