import { mayView } from '../../../engine/load/may-view.ts';
import type { QueryOptions } from '../../../engine/tree/options-tree.ts';
import { permitted } from './permitted.ts';
import type { RequestHandler, Service } from './service.ts';

/**
 * Permits a change whose answer may show what was changed: whoever may not view that is answered as if they had
 * preferred to be shown nothing (Part 1, 8.2.8.7), whatever `$select` and `$expand` ask for.
 */
export function permittedChange(
  service: Service,
  changed: { readonly resource: string },
  permission: 'Insert' | 'Update',
  options: QueryOptions,
  prepare: (options: QueryOptions) => RequestHandler,
): RequestHandler {
  const shown = prepare(options);
  return permitted(service, changed, permission, async (request, version) => {
    if (mayView(service.source, changed.resource, request)) return shown(request, version);
    const { select: _select, expand: _expand, ...others } = options;
    const headers = { ...request.headers, prefer: 'return=minimal' };
    return prepare(others)({ ...request, headers }, version);
  });
}
