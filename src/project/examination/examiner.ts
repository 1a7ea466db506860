import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Examination, ProgressStep, WrittenGrants } from '../../contract/api-report.ts';
import { type ErrorCode, GatewayError } from '../../contract/gateway-error.ts';
import type { DescriptionTexts } from '../../openapi/openapi-description.ts';
import type { ProjectPlace } from '../plan/plan.ts';
import type { ProjectState } from '../plan/prepare-project.ts';
import { openState, type SealedState } from './sealed-state.ts';

/** What the thread is to do. */
export type ExaminerWork =
  /** The name is the one that the document would be served under. */
  | { readonly kind: 'document'; readonly texts: DescriptionTexts; readonly name: string }
  | { readonly kind: 'grants'; readonly texts: DescriptionTexts; readonly rows: readonly WrittenGrants[] }
  | { readonly kind: 'project'; readonly place: ProjectPlace };

export type Found =
  | { readonly kind: 'document'; readonly examination: Examination }
  | { readonly kind: 'grants'; readonly overlay: string }
  /** A project that cannot be examined; whoever has asked for it is told why. */
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'project'; readonly state: SealedState };

export interface ExaminationOrder {
  readonly number: number;
  readonly work: ExaminerWork;
}

export type ExaminationOutcome =
  | { readonly number: number; readonly found: Found }
  /** A fault of ours, for the log. */
  | { readonly number: number; readonly failure: string };

/** What the thread is at. */
export interface ExaminationProgress {
  readonly number: number;
  readonly step: ProgressStep;
}

/** TypeScript in the repository, JavaScript in the package. */
const WORKER = new URL(`./examiner-worker${extname(import.meta.url)}`, import.meta.url);

/** Does the work that documents make away from the event loop: a large one takes seconds. */
export interface Examiner {
  /**
   * Fails with Overloaded for a document that takes more processor time than it may, and while too many wait.
   */
  examine(texts: DescriptionTexts, name: string, onStep?: OnStep): Promise<Examination>;
  /** The overlay that grants it; fails with what is wrong with the grants. */
  grant(texts: DescriptionTexts, rows: readonly WrittenGrants[]): Promise<string>;
  /** The state of a project, by its files. Fails with Overloaded where they take more processor time than they may. */
  prepare(place: ProjectPlace): Promise<ProjectState>;
  /** Gives up what is under way. */
  close(): void;
}

export interface ExaminerLimits {
  /** Processor time of the thread for one document, in milliseconds: on a busy machine the clock goes on without it. */
  readonly documentMs: number;
  /** The same for a project, which may have many. */
  readonly projectMs: number;
  /** How long the thread is kept when there is nothing to do: whoever mends a document comes back in minutes. */
  readonly idleMs: number;
  readonly queueLength: number;
  readonly memoryMiB: number;
}

const DEFAULT_LIMITS: ExaminerLimits = {
  documentMs: 30_000,
  projectMs: 120_000,
  idleMs: 600_000,
  queueLength: 16,
  memoryMiB: 1024,
};

type OnStep = (step: ProgressStep) => void;

/** By the clock, work may take so many times its processor time: longer than that, the thread is stuck. */
const CLOCK_FACTOR = 20;
/** A thread that does not report its processor time for so long is asked again. */
const ANSWER_MS = 1_000;

/** The processor time of the thread: before it began, at most, and what is left; and until when by the clock. */
interface Watch {
  readonly before: Promise<number>;
  readonly limitMs: number;
  readonly leftMs: number;
  readonly until: number;
}

interface Waiting extends ExaminationOrder {
  readonly onStep: OnStep | undefined;
  readonly resolve: (found: Found) => void;
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

  async examine(texts: DescriptionTexts, name: string, onStep?: OnStep): Promise<Examination> {
    this.#assertRoom();
    const found = await this.#order({ kind: 'document', texts, name }, onStep);
    if (found.kind === 'document') return found.examination;
    throw mismatch();
  }

  async grant(texts: DescriptionTexts, rows: readonly WrittenGrants[]): Promise<string> {
    this.#assertRoom();
    const found = await this.#order({ kind: 'grants', texts, rows });
    if (found.kind === 'grants') return found.overlay;
    throw found.kind === 'refusal' ? new GatewayError(found.code, found.message) : mismatch();
  }

  #assertRoom(): void {
    const documents = this.#waiting.filter(({ work }) => work.kind !== 'project');
    if (documents.length < this.#limits.queueLength) return;
    throw new GatewayError('Overloaded', 'Too many documents are waiting to be examined.', {
      headers: { 'retry-after': '5' },
    });
  }

  async prepare(place: ProjectPlace): Promise<ProjectState> {
    const found = await this.#order({ kind: 'project', place });
    if (found.kind === 'project') return openState(found.state);
    throw mismatch();
  }

  close(): void {
    const reason = new Error('the gateway is stopping');
    for (const { reject } of this.#waiting.splice(0)) reject(reason);
    this.#giveUp(reason);
  }

  /** What is to be served does not wait for what somebody wants to know. */
  #order(work: ExaminerWork, onStep?: OnStep): Promise<Found> {
    return new Promise((resolve, reject) => {
      this.#count += 1;
      const waiting = { number: this.#count, work, onStep, resolve, reject };
      onStep?.('waiting');
      if (work.kind === 'project') this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      this.#next();
    });
  }

  #next(): void {
    if (this.#current !== undefined) return;
    this.#current = this.#waiting.shift();
    if (this.#current === undefined) {
      this.#startTimer(this.#limits.idleMs, () => this.#stopThread());
      return;
    }
    const { number, work } = this.#current;
    const order: ExaminationOrder = { number, work };
    const before = this.#thread === undefined ? Promise.resolve(0) : processorTime(this.#thread);
    this.#thread ??= this.#startThread();
    this.#thread.postMessage(order);
    const limitMs = this.#limitOf(work);
    this.#watch(this.#current, {
      before,
      limitMs,
      leftMs: limitMs,
      until: performance.now() + limitMs * CLOCK_FACTOR,
    });
  }

  #limitOf({ kind }: ExaminerWork): number {
    return kind === 'project' ? this.#limits.projectMs : this.#limits.documentMs;
  }

  /** Looks at the thread when it may have used up its time at the earliest, and again then. */
  #watch(watched: Waiting, { before, limitMs, leftMs, until }: Watch): void {
    this.#startTimer(Math.max(1, leftMs), async () => {
      const thread = this.#thread;
      if (thread === undefined) return;
      const used = await Promise.race([
        Promise.all([processorTime(thread), before]).then(([now, earlier]) => now - earlier),
        delay(ANSWER_MS, 0, { ref: false }),
      ]);
      if (this.#current !== watched) return;
      if (used >= limitMs || performance.now() > until) this.#giveUp(tooLong(watched.work, limitMs));
      else this.#watch(watched, { before, limitMs, leftMs: limitMs - used, until });
    });
  }

  #startThread(): Worker {
    const thread = new Worker(WORKER, {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMiB },
    });
    thread.unref();
    thread.on('message', (told: ExaminationOutcome | ExaminationProgress) => {
      if ('step' in told) this.#tell(told);
      else this.#settle(told);
    });
    thread.on('error', (error) => {
      if (this.#thread === thread) this.#giveUp(isOutOfMemory(error) ? tooMuchMemory() : error);
    });
    // One that has ended without an error answers nobody either.
    thread.on('exit', (code) => {
      if (this.#thread === thread) this.#giveUp(new Error(`the thread has ended with code ${code}`));
    });
    return thread;
  }

  #tell({ number, step }: ExaminationProgress): void {
    if (this.#current?.number === number) this.#current.onStep?.(step);
  }

  #settle(outcome: ExaminationOutcome): void {
    const current = this.#current;
    if (current === undefined || outcome.number !== current.number) return;
    this.#current = undefined;
    if ('found' in outcome) current.resolve(outcome.found);
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

  #startTimer(milliseconds: number, then: () => void | Promise<void>): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, milliseconds).unref();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** The variable of the time that a document may take. */
const LIMIT = 'EXAMINATION_MS';

function tooLong({ kind }: ExaminerWork, limitMs: number): GatewayError {
  const what = kind === 'project' ? 'The documents of the project' : 'The document';
  const message = `${what} took more than ${limitMs} ms of processor time to examine (${LIMIT}).`;
  return new GatewayError('Overloaded', message, { target: 'document', limit: LIMIT });
}

function tooMuchMemory(): GatewayError {
  const message = 'The document takes more memory to examine than there is for it.';
  return new GatewayError('Overloaded', message, { target: 'document' });
}

/** Milliseconds; 0 for a thread that is still starting. */
async function processorTime(thread: Worker): Promise<number> {
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1000;
}

function mismatch(): Error {
  return new Error('the thread has done something else than it was told to');
}
