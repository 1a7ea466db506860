import { join } from 'node:path';
import { ROOT } from './coverage.ts';
import type { Mutant } from './operators.ts';

/** Left out of the repository; of its own for each run. */
export const TRIALS = join(ROOT, `coverage/trials-${process.env['MUTATION_RUN'] ?? process.pid}`);

/** The mutants of a run. All of them are in the sources; each trial has one of them in effect. */
export interface TrialPlan {
  readonly mutants: readonly Mutant[];
}

/** The outcome of one test file with one mutant. */
export interface Outcome {
  readonly trial: number;
  readonly isPassed: boolean;
  /** The name of the first test that failed; empty where none did, or the file as a whole. */
  readonly failed: string;
  readonly error: string;
}
