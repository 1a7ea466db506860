import type { BudgetedRequest, CallContext } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import { castTo } from '../../../engine/resource/navigation-source.ts';
import type { QueryOptions } from '../../../engine/tree/query-tree.ts';
import type { Model } from '../../../model/model.ts';
import type { Permission } from '../../../model/permission.ts';
import { isMediaInsert } from '../../payload/negotiation/media-content.ts';
import { parseRequestTarget } from '../../url/request-target.ts';
import type { RequestHandler, Service } from '../service/service.ts';
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
  assertSchemaVersion(model, options.schemaVersion);
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

/** Whether the body of the request is a stream, which is handed on as it is and thus as it comes. */
export function takesUpload(
  service: Pick<Service, 'model' | 'root' | 'limits'>,
  { method, target, headers }: Pick<BudgetedRequest, 'method' | 'target' | 'headers'>,
): boolean {
  if (method !== 'PUT' && method !== 'POST') return false;
  try {
    return isStreamOf(bindTarget(service, target).resource, method, headers['content-type']);
  } catch (error) {
    // What is wrong with the request is told when it is answered.
    if (error instanceof GatewayError) return false;
    throw error;
  }
}

function isStreamOf(resource: Resource, method: 'PUT' | 'POST', contentType: string | undefined): boolean {
  if (resource.kind === 'stream' && resource.origin.kind === 'entity') return method === 'PUT';
  if (resource.kind !== 'collection' || resource.origin.kind !== 'operations') return false;
  const { insert } = resource.origin.operations;
  return method === 'POST' && insert !== undefined && isMediaInsert(insert, contentType);
}

/** Whoever may not read something is told so, and not what is wrong with the way that it was asked for. */
export function permittedRead(
  { source }: Service,
  resource: Resource,
  context: CallContext,
  prepare: () => RequestHandler,
): RequestHandler {
  try {
    return prepare();
  } catch (error) {
    for (const { resource: name, permission } of readDemands(resource))
      source.permit?.(name, permission, context);
    throw error;
  }
}

interface RequiredPermission {
  readonly resource: string;
  readonly permission: Permission;
}

/** What a read of a resource takes; nothing where everybody who has signed in may read it. */
function readDemands(resource: Resource): readonly RequiredPermission[] {
  switch (resource.kind) {
    case 'serviceDocument':
    case 'metadata':
    case 'batch':
    // What of all entities may be viewed is shown.
    case 'all':
      return [];
    case 'collection':
    case 'entity':
      return [{ resource: resource.resource, permission: resource.origin.kind === 'call' ? 'Call' : 'View' }];
    case 'crossjoin':
      return resource.sets.map(({ name }) => ({ resource: name, permission: 'View' }));
    case 'value':
    case 'stream':
      return resource.origin.kind === 'call'
        ? [called(resource.origin.call)]
        : readDemands(resource.origin.entity);
    case 'action':
      return [called(resource.call)];
    case 'count':
    case 'each':
    case 'rawValue':
    case 'references':
      return readDemands(resource.of);
  }
}

function called({ resource }: { readonly resource: string }): RequiredPermission {
  return { resource, permission: 'Call' };
}

/** Part 1, 11.2.12: `*` is the present version; one that the service does not have is not found. */
function assertSchemaVersion({ schemaVersion }: Model, wanted: string | undefined): void {
  if (wanted === undefined || wanted === '*' || wanted === schemaVersion) return;
  const known = schemaVersion === undefined ? 'the schema has no version' : `the version is ${schemaVersion}`;
  throw new GatewayError('NotFound', `$schemaversion: ${known}, found "${wanted.slice(0, 40)}".`, {
    target: '$schemaversion',
  });
}
