import { EventEmitter } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import threads, { type Worker } from 'node:worker_threads';
import type { Judgement, JudgeOrder } from '../../src/auth/passwords/password-judge.ts';

const { Worker: Thread } = threads;
type Arguments = ConstructorParameters<typeof Thread>;

/**
 * The thread that judges passwords takes a third of a second of a processor's time to load its dictionaries, and each
 * gateway has one of its own: in tests one judges for all gateways of a process. It keeps nothing of what it is asked.
 */
let shared: Worker | undefined;
let asked = 0;

/** Who waits for an answer, by the number that the shared thread knows. */
const waiting = new Map<number, (isHardToGuess: boolean) => void>();

function sharedThread(...args: Arguments): Worker {
  if (shared !== undefined) return shared;
  const thread = new Thread(...args);
  thread.unref();
  thread.on('message', ({ number, isHardToGuess }: Judgement) => {
    waiting.get(number)?.(isHardToGuess);
    waiting.delete(number);
  });
  thread.on('exit', () => {
    shared = undefined;
  });
  shared = thread;
  return thread;
}

/** What a gateway takes for a thread of its own. */
class JudgeThread extends EventEmitter {
  readonly #thread: Worker;

  constructor(thread: Worker) {
    super();
    this.#thread = thread;
  }

  postMessage(order: JudgeOrder): void {
    asked += 1;
    waiting.set(asked, (isHardToGuess) => {
      this.emit('message', { number: order.number, isHardToGuess } satisfies Judgement);
    });
    this.#thread.postMessage({ ...order, number: asked });
  }

  unref(): void {}

  terminate(): Promise<number> {
    this.removeAllListeners();
    return Promise.resolve(0);
  }
}

const ThreadOrJudge = new Proxy(Thread, {
  construct(target, args: Arguments) {
    const isJudge = String(args[0]).endsWith('/password-judge-worker.ts');
    return isJudge ? new JudgeThread(sharedThread(...args)) : Reflect.construct(target, args);
  },
});

Object.assign(threads, { Worker: ThreadOrJudge });
syncBuiltinESMExports();
