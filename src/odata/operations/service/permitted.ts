import type { Permission } from '../../../model/permission.ts';
import type { RequestHandler, Service } from './service.ts';

/** Whoever may not do something is told so, and not what is wrong with the way that it was to be done. */
export function permitted(
  { source }: Service,
  { resource }: { readonly resource: string },
  permission: Permission,
  operation: RequestHandler,
): RequestHandler {
  return async (request, version) => {
    source.permit?.(resource, permission, request);
    return operation(request, version);
  };
}
