import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import type { ProgressStep } from '../contract/api-report.ts';
import type { GatewayRequest } from '../contract/exchange.ts';

/** What long requests are at, by the id that each of them brings for whoever has sent it to ask by. */
export interface Progress {
  /** Carries a request out; what it is at is told while it lasts. */
  during<Result>(request: GatewayRequest, act: () => Promise<Result>): Promise<Result>;
  /** Says what the request that is being carried out now is at, whenever it is called. */
  reporter(): (step: ProgressStep) => void;
  /** Undefined where no such request is being carried out here. */
  of(request: string): ProgressStep | undefined;
}

/** More requests than can wait for a document: ids are what clients say. */
const MOST_REQUESTS = 256;

export function createProgress(): Progress {
  const steps = new LRUCache<string, ProgressStep>({ max: MOST_REQUESTS });
  const current = new AsyncLocalStorage<string>();
  return {
    async during({ headers }, act) {
      const id = headers['x-progress-id'];
      if (id === undefined || !/^[\w-]{8,64}$/.test(id)) return act();
      try {
        return await current.run(id, act);
      } finally {
        steps.delete(id);
      }
    },
    reporter() {
      const id = current.getStore();
      return (step) => {
        if (id !== undefined) steps.set(id, step);
      };
    },
    of: (id) => steps.get(id),
  };
}
