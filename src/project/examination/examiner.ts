import { extname } from 'node:path';
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
   * Fails with BadRequest for a document that keeps it busy for too long, with Overloaded while too many wait.
   */
  examine(texts: DescriptionTexts, name: string, onStep?: OnStep): Promise<Examination>;
  /** The overlay that grants it; fails with what is wrong with the grants. */
  grant(texts: DescriptionTexts, rows: readonly WrittenGrants[]): Promise<string>;
  /** What the files of a project come to. Fails with BadRequest where they keep it busy for too long. */
  prepare(place: ProjectPlace): Promise<ProjectState>;
  /** Gives up what is under way. */
  close(): void;
}

export interface ExaminerLimits {
  /** For one document. */
  readonly deadlineMs: number;
  /** For a project, which may have many. */
  readonly projectDeadlineMs: number;
  /** How long the thread is kept when there is nothing to do: whoever mends a document comes back in minutes. */
  readonly idleMs: number;
  readonly queueLength: number;
  readonly memoryMiB: number;
}

const DEFAULT_LIMITS: ExaminerLimits = {
  deadlineMs: 30_000,
  projectDeadlineMs: 120_000,
  idleMs: 600_000,
  queueLength: 16,
  memoryMiB: 1024,
};

type OnStep = (step: ProgressStep) => void;

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
    const { deadlineMs, projectDeadlineMs } = this.#limits;
    const deadline = work.kind === 'project' ? projectDeadlineMs : deadlineMs;
    this.#startTimer(deadline, () => this.#giveUp(tooLong(work)));
    this.#thread ??= this.#startThread();
    this.#thread.postMessage(order);
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
      if (this.#thread === thread) this.#giveUp(isOutOfMemory(error) ? tooLong(this.#current?.work) : error);
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

  #startTimer(milliseconds: number, then: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(then, milliseconds).unref();
  }
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function tooLong(work: ExaminerWork | undefined): GatewayError {
  const message =
    work?.kind === 'project'
      ? 'The documents take too long to examine: provide smaller ones.'
      : 'The document takes too long to examine: provide a smaller one.';
  return new GatewayError('BadRequest', message, { target: 'document' });
}

function mismatch(): Error {
  return new Error('the thread has done something else than it was told to');
}
