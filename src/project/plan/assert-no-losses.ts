import type { Finding } from '../../derive/model-from-openapi.ts';
import { newFindings } from './model-change.ts';
import { projectError, type ServedPlan, writeFinding } from './plan.ts';

/** More of them say no more. */
const MOST_SHOWN = 10;

/**
 * Refuses a later state that has lost entity sets of the earlier one where it has mistakes, or signs of them, that the earlier
 * one had not: somebody is writing, or has written what he did not mean. Less without them is what was meant.
 */
export function assertNoLosses(earlier: ServedPlan, later: ServedPlan): void {
  const removed = [...earlier.model.entitySets.keys()].filter((name) => !later.model.entitySets.has(name));
  if (removed.length === 0) return;
  const mistakes = newFindings(mistakesOf(earlier), mistakesOf(later));
  if (mistakes.length === 0) return;
  const shown = mistakes.slice(0, MOST_SHOWN).map(writeFinding);
  throw projectError([`it would lose ${removed.slice(0, MOST_SHOWN).join(', ')}`, ...shown]);
}

/** Refuses to begin with a project that serves nothing for its mistakes: nobody means that. */
export function assertNotEmpty(plan: ServedPlan): void {
  const { entitySets, singletons, imports } = plan.model;
  if (entitySets.size + singletons.size + imports.size > 0) return;
  const mistakes = mistakesOf(plan).filter(({ severity }) => severity === 'error');
  if (mistakes.length > 0) throw projectError(mistakes.slice(0, MOST_SHOWN).map(writeFinding));
}

function mistakesOf({ report, halfWritten }: ServedPlan): readonly Finding[] {
  return [...report.filter(({ severity }) => severity === 'error'), ...halfWritten];
}
