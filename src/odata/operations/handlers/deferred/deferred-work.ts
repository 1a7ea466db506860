import type { WholeResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { DeferredAnswers } from './deferred-answers.ts';

/** What one service works on that is answered later: the answers outlive the service, the work does not. */
export interface DeferredWork extends DeferredAnswers {
  /** Resolves when nothing is worked on any more; what takes longer than that, in milliseconds, is given up. */
  finish(grace: number): Promise<void>;
}

export function createDeferredWork(answers: DeferredAnswers): DeferredWork {
  const running = new Map<Promise<unknown>, () => void>();

  function track(work: Promise<WholeResponse>, cancel: () => void): Promise<WholeResponse> {
    const { promise, reject } = Promise.withResolvers<never>();
    const answer = Promise.race([work, promise]);
    const over: Promise<unknown> = work.catch(() => undefined).finally(() => running.delete(over));
    running.set(over, () => {
      reject(replaced());
      cancel();
    });
    return answer;
  }

  return {
    ...answers,
    keep: (owner, work, cancel) => answers.keep(owner, () => track(work(), cancel), cancel),
    async finish(grace) {
      const end = setTimeout(() => {
        for (const giveUp of running.values()) giveUp();
      }, grace);
      await Promise.all(running.keys());
      clearTimeout(end);
    },
  };
}

function replaced(): GatewayError {
  const message = 'The service was changed while it worked on this request, and gave it up: ask again.';
  return new GatewayError('Overloaded', message);
}
