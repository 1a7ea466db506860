import type { IncomingMessage, ServerResponse } from 'node:http';
import { handlerAdapter } from './handler-adapter.ts';
import { listenerAdapter } from './listener-adapter.ts';
import type { Part } from './part.ts';
import { isBelow } from './request-target.ts';
import type { RouteDependencies, Serve } from './route-dependencies.ts';

/** A part at its place. */
export interface Mount {
  readonly path: string;
  readonly serve: Serve;
}

/** The longest path first, so that the first one that matches is meant. */
export function mountParts(parts: readonly Part[], ground: RouteDependencies): readonly Mount[] {
  return parts
    .map((part) => ({
      path: part.path,
      serve: measured(
        part,
        ground,
        'handler' in part ? handlerAdapter(part, ground) : listenerAdapter(part, ground),
      ),
    }))
    .sort((a, b) => b.path.length - a.path.length);
}

function measured({ path }: Part, { metrics }: RouteDependencies, serve: Serve): Serve {
  if (metrics === undefined) return serve;
  const observe = metrics.observerOf(path);
  return (request, response, target) => {
    observe(request, response);
    return serve(request, response, target);
  };
}

/**
 * Serves a request by the part at its target. The last mount is the one at the root: it also answers what
 * is no path at all, such as `OPTIONS *`.
 */
export function serveMounted(
  mounts: readonly Mount[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? '';
  const mount = mounts.find(({ path }) => isBelow(path, target)) ?? mounts.at(-1);
  if (mount === undefined) throw new Error('Nothing is mounted at the root.');
  return mount.serve(request, response, target.slice(mount.path.length));
}
