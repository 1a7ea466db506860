import type { CallContext } from '../../../contract/exchange.ts';
import type { Permission } from '../../../model/permission.ts';
import type { RequestHandler, Service } from '../service/service.ts';
import type { Resource } from './resource.ts';

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
