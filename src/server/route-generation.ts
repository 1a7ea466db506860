import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Mount, serveMounted } from './mount.ts';

/** The parts that serve from one replacement to the next, with the requests that they have taken. */
export interface RouteGeneration {
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Resolves when no request is under way. To be asked once, when no more of them will come. */
  end(): Promise<void>;
}

export function startGeneration(mounts: readonly Mount[]): RouteGeneration {
  let underWay = 0;
  let onIdle = (): void => undefined;
  return {
    async serve(request, response) {
      underWay += 1;
      try {
        await serveMounted(mounts, request, response);
      } finally {
        underWay -= 1;
        if (underWay === 0) onIdle();
      }
    },
    end: () =>
      new Promise((resolve) => {
        onIdle = resolve;
        if (underWay === 0) resolve();
      }),
  };
}
