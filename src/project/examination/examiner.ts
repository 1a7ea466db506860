import { Worker } from 'node:worker_threads';
import type { Examination } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { DescriptionTexts } from '../../document/openapi-description.ts';

/** A document to be examined. */
export interface ExaminationOrder {
  readonly number: number;
  readonly texts: DescriptionTexts;
  /** The name that it would be served under. */
  readonly name: string;
}

export type ExaminationOutcome =
  | { readonly number: number; readonly examination: Examination }
  /** A fault of ours, for the log. */
  | { readonly number: number; readonly failure: string };

/** Examines documents away from the event loop: a large one takes seconds. */
export interface Examiner {
  /**
   * Fails with BadRequest for a document that keeps it busy for too long, with Overloaded while too many wait.
   */
  examine(texts: DescriptionTexts, name: string): Promise<Examination>;
  /** Gives up what is under way. */
  close(): void;
}

export interface ExaminerLimits {
  readonly deadlineMs: number;
  /** How long the thread is kept when there is nothing to do: whoever mends a document comes back in minutes. */
  readonly idleMs: number;
  readonly queueLength: number;
  readonly memoryMiB: number;
}

const DEFAULT_LIMITS: ExaminerLimits = {
  deadlineMs: 30_000,
  idleMs: 600_000,
  queueLength: 16,
  memoryMiB: 1024,
};

interface Waiting extends ExaminationOrder {
  readonly resolve: (examination: Examination) => void;
  readonly reject: (error: unknown) => void;
}

/** One thread that takes one document after the other; it is started when the first one comes. */
export class ThreadExaminer implements Examiner {
  readonly #limits: ExaminerLimits;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | undefined;
  #thread: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(limits: Partial<ExaminerLimits> = {}) {
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  examine(texts: DescriptionTexts, name: string): Promise<Examination> {
    if (this.#waiting.length >= this.#limits.queueLength) {
      throw new GatewayError('Overloaded', 'Too many documents are waiting to be examined.', {
        headers: { 'retry-after': '5' },
      });
    }
    return new Promise((resolve, reject) => {
      this.#count += 1;
      this.#waiting.push({ number: this.#count, texts, name, resolve, reject });
      this.#next();
    });
  }

  close(): void {
    const reason = new Error('the gateway is stopping');
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#giveUp(reason);
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) {
      this.#startTimer(this.#limits.idleMs, () => this.#stopThread());
      return;
    }
    const { number, texts, name } = this.#current;
    const order: ExaminationOrder = { number, texts, name };
    this.#startTimer(this.#limits.deadlineMs, () => this.#giveUp(tooLong()));
    this.#thread ??= this.#startThread();
    this.#thread.postMessage(order);
  }

  #startThread(): Worker {
    const thread = new Worker(new URL('./examiner-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMiB },
    });
    thread.unref();
    thread.on('message', (outcome: ExaminationOutcome) => this.#settle(outcome));
    thread.on('error', (error) => {
      if (this.#thread === thread) this.#giveUp(isOutOfMemory(error) ? tooLong() : error);
    });
    return thread;
  }

  #settle(outcome: ExaminationOutcome): void {
    const current = this.#current;
    if (current === undefined || outcome.number !== current.number) return;
    this.#current = undefined;
    if ('examination' in outcome) current.resolve(outcome.examination);
    else current.reject(new Error(outcome.failure));
    this.#next();
  }

  /** What the thread is at is beyond help: the next document gets another one. */
  #giveUp(reason: unknown): void {
    const current = this.#current;
    this.#current = undefined;
    this.#stopThread();
    current?.reject(reason);
    if (this.#waiting.length > 0) this.#next();
  }

  #stopThread(): void {
    clearTimeout(this.#timer);
    void this.#thread?.terminate();
    this.#thread = undefined;
  }

  #startTimer(milliseconds: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, milliseconds).unref();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooLong(): GatewayError {
  return new GatewayError('BadRequest', 'The document takes too long to be examined: give a smaller one.', {
    target: 'document',
  });
}
