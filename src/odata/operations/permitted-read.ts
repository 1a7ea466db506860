import type { CallContext } from '../../contract/exchange.ts';
import type { Permission } from '../../model/permission.ts';
import type { Resource } from './resource/resource.ts';
import type { Operation, Service } from './service.ts';

/** Whoever may not read something is told so, and not what is wrong with the way that it was asked for. */
export function permittedRead(
  { source }: Service,
  resource: Resource,
  context: CallContext,
  prepare: () => Operation,
): Operation {
  try {
    return prepare();
  } catch (error) {
    const needed = readDemand(resource);
    if (needed !== undefined) source.permit?.(needed.resource, needed.permission, context);
    throw error;
  }
}

interface Demand {
  readonly resource: string;
  readonly permission: Permission;
}

/** What a read of a resource takes; undefined where everybody who has logged in may read it. */
function readDemand(resource: Resource): Demand | undefined {
  switch (resource.kind) {
    case 'serviceDocument':
    case 'metadata':
    case 'batch':
      return undefined;
    case 'collection':
    case 'entity':
      return { resource: resource.resource, permission: resource.origin.kind === 'call' ? 'Call' : 'View' };
    case 'value':
    case 'stream':
      return resource.origin.kind === 'call'
        ? called(resource.origin.call)
        : readDemand(resource.origin.entity);
    case 'action':
      return called(resource.call);
    case 'count':
    case 'each':
    case 'rawValue':
    case 'references':
      return readDemand(resource.of);
  }
}

function called({ resource }: { readonly resource: string }): Demand {
  return { resource, permission: 'Call' };
}
