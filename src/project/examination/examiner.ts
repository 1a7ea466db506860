import { extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type {
  Examination,
  ProgressStep,
  RelationDecision,
  WrittenGrants,
  WrittenMaxAge,
} from '../../contract/api-report.ts';
import { type ErrorCode, GatewayError } from '../../contract/gateway-error.ts';
import type { ImprovementAnswer, ImprovementOrder } from '../../contract/improvements.ts';
import type { DescriptionTexts } from '../../openapi/openapi-description.ts';
import type { ProjectPlace } from '../plan/plan.ts';
import type { ProjectState } from '../plan/prepare-project.ts';
import { openState, type SealedState } from './sealed-state.ts';

/** A task of the worker thread. */
export type ExaminerWork =
  /** The name is the one that the document would be served under. */
  | { readonly kind: 'document'; readonly texts: DescriptionTexts; readonly name: string }
  | { readonly kind: 'grants'; readonly texts: DescriptionTexts; readonly rows: readonly WrittenGrants[] }
  | {
      readonly kind: 'references';
      readonly texts: DescriptionTexts;
      readonly name: string;
      readonly decisions: readonly RelationDecision[];
    }
  | { readonly kind: 'improvement'; readonly texts: DescriptionTexts; readonly order: ImprovementOrder }
  | { readonly kind: 'maxAges'; readonly texts: DescriptionTexts; readonly ages: readonly WrittenMaxAge[] }
  | { readonly kind: 'project'; readonly place: ProjectPlace };

export type Found =
  | { readonly kind: 'document'; readonly examination: Examination }
  | { readonly kind: 'overlay'; readonly overlay: string }
  | { readonly kind: 'improvement'; readonly answer: ImprovementAnswer }
  /** An expected error of a project, which is reported to the caller. */
  | { readonly kind: 'refusal'; readonly code: ErrorCode; readonly message: string }
  | { readonly kind: 'project'; readonly state: SealedState };

export interface ExaminationOrder {
  readonly number: number;
  readonly work: ExaminerWork;
}

export type ExaminationOutcome =
  | { readonly number: number; readonly found: Found }
  /** An internal error, for the log. */
  | { readonly number: number; readonly failure: string };

/** The progress of the thread. */
export interface ExaminationProgress {
  readonly number: number;
  readonly step: ProgressStep;
}

/** TypeScript in the repository, JavaScript in the package. */
const WORKER = new URL(`./examiner-worker${extname(import.meta.url)}`, import.meta.url);

/** Processes documents outside of the event loop, because large ones take seconds. */
export interface Examiner {
  /** Throws Overloaded if the document takes too much processor time, or if too many are waiting. */
  examine(texts: DescriptionTexts, name: string, onStep?: OnStep): Promise<Examination>;
  /** Returns the overlay with the grants; throws their mistakes. */
  grant(texts: DescriptionTexts, rows: readonly WrittenGrants[]): Promise<string>;
  /** Returns the overlay with the decisions about relations of the document that is served as `name`; throws their mistakes. */
  relate(texts: DescriptionTexts, name: string, decisions: readonly RelationDecision[]): Promise<string>;
  /** Answers what an overlay could say of a document; throws the mistakes of the texts. */
  improve(texts: DescriptionTexts, order: ImprovementOrder): Promise<ImprovementAnswer>;
  /** Returns the overlay with the ages; throws their mistakes. */
  allowAges(texts: DescriptionTexts, ages: readonly WrittenMaxAge[]): Promise<string>;
  /** Reads the state of a project. Throws Overloaded if it takes too much processor time. */
  prepare(place: ProjectPlace): Promise<ProjectState>;
  /** Cancels running and waiting tasks. */
  close(): void;
}

export interface ExaminerLimits {
  /** Processor time for one document, in milliseconds, which does not depend on the load of the machine. */
  readonly documentMs: number;
  /** Processor time for a project with all its documents. */
  readonly projectMs: number;
  /** Time that an idle thread is kept: authors check a document again within minutes. */
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

/** Multiple of the processor time after which the thread is considered stuck. */
const CLOCK_FACTOR = 20;
/** Time for a reply about the processor time, after which it is requested again. */
const ANSWER_MS = 1_000;

/** The processor time before the task (an upper bound), the limit, and the rest of it; and the deadline. */
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

/** One worker thread for one document at a time, started with the first one. */
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

  grant(texts: DescriptionTexts, rows: readonly WrittenGrants[]): Promise<string> {
    return this.#overlay({ kind: 'grants', texts, rows });
  }

  relate(texts: DescriptionTexts, name: string, decisions: readonly RelationDecision[]): Promise<string> {
    return this.#overlay({ kind: 'references', texts, name, decisions });
  }

  allowAges(texts: DescriptionTexts, ages: readonly WrittenMaxAge[]): Promise<string> {
    return this.#overlay({ kind: 'maxAges', texts, ages });
  }

  async #overlay(work: ExaminerWork): Promise<string> {
    this.#assertRoom();
    const found = await this.#order(work);
    if (found.kind === 'overlay') return found.overlay;
    throw found.kind === 'refusal' ? new GatewayError(found.code, found.message) : mismatch();
  }

  async improve(texts: DescriptionTexts, order: ImprovementOrder): Promise<ImprovementAnswer> {
    this.#assertRoom();
    const found = await this.#order({ kind: 'improvement', texts, order });
    if (found.kind === 'improvement') return found.answer;
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

  /** Tasks for serving take precedence over requests for information. */
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

  /** Checks the thread's processor time at the earliest moment when it could be used up. */
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
    // The thread may end without an error, too.
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

  /** Terminates the thread; the next document gets a new one. */
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

/** In milliseconds; 0 for a thread that is starting. */
async function processorTime(thread: Worker): Promise<number> {
  const { user, system } = await thread.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  return (user + system) / 1000;
}

function mismatch(): Error {
  return new Error('the thread returned an unexpected result');
}
