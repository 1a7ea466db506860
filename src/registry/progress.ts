import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import type { ProgressStep } from '../contract/api-report.ts';
import type { GatewayRequest } from '../contract/exchange.ts';

/** The progress of long requests, by ids that clients choose to query it. */
export interface Progress {
  /** Runs a request and records its progress. */
  during<Result>(request: GatewayRequest, act: () => Promise<Result>): Promise<Result>;
  /** Returns a function that reports the progress of the current request. */
  reporter(): (step: ProgressStep) => void;
  /** Undefined if no such request is running on this instance. */
  of(request: string): ProgressStep | undefined;
}

/** More than can wait for a document: the limit protects against arbitrary ids. */
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
