import { appendFileSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { mergeConfig } from 'vitest/config';
import type { Reporter, TestModule } from 'vitest/node';
import base from '../../../vitest.config.ts';
import { ROOT } from './coverage.ts';
import { type Mutant, withSwitches } from './operators.ts';
import { sameThreadExaminer } from './same-thread-plugin.ts';
import { type Outcome, TRIALS, type TrialPlan } from './trials.ts';

const PLAN: TrialPlan = JSON.parse(readFileSync(join(TRIALS, 'plan.json'), 'utf8'));
const byFile = Map.groupBy(PLAN.mutants.entries(), ([, { file }]: readonly [number, Mutant]) => file);

/** The trials in their order. */
class InOrder {
  shard<T>(all: T): T {
    return all;
  }
  sort<T extends { readonly moduleId: string }>(all: readonly T[]): readonly T[] {
    return all.toSorted((one, other) => numberOf(one.moduleId) - numberOf(other.moduleId));
  }
}

const numberOf = (path: string): number => Number(/(\d+)\.test\.ts$/.exec(path)?.[1]);

/** Writes the outcome of each trial when it ends. */
class Progress implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const failed = [...module.children.allTests('failed')][0];
    const suite = [...module.children.allSuites()].find((each) => each.errors().length > 0);
    const outcome: Outcome = {
      trial: numberOf(module.moduleId),
      isPassed: module.ok(),
      failed: failed?.fullName ?? suite?.fullName ?? '',
      error:
        (failed?.result().errors ?? suite?.errors() ?? module.errors())?.[0]?.message?.slice(0, 300) ?? '',
    };
    appendFileSync(join(TRIALS, 'outcomes.jsonl'), `${JSON.stringify(outcome)}\n`);
  }
}

export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  {
    root: ROOT,
    plugins: [
      sameThreadExaminer,
      {
        name: 'mutants',
        enforce: 'pre',
        transform(code: string, id: string) {
          const mutants = byFile.get(relative(ROOT, id));
          return mutants === undefined ? undefined : { code: withSwitches(code, mutants), map: null };
        },
      },
    ],
    test: {
      include: [`${relative(ROOT, TRIALS)}/*.test.ts`],
      retry: 0,
      maxWorkers: 1,
      sequence: { sequencer: InOrder },
      reporters: [new Progress()],
      dangerouslyIgnoreUnhandledErrors: true,
    },
  },
);
