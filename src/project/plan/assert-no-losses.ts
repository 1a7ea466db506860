import type { Finding } from '../../derive/model-from-openapi.ts';
import { newFindings } from './model-change.ts';
import { projectError, type ServedPlan, writeFinding } from './plan.ts';

/** Maximum number of names in a message. */
const MOST_SHOWN = 10;

/**
 * Rejects a state that lost entity sets and has new mistakes or signs of a partly written file: the loss is
 * probably unintended. Without new mistakes, it is intended.
 */
export function assertNoLosses(earlier: ServedPlan, later: ServedPlan): void {
  const removed = [...earlier.model.entitySets.keys()].filter((name) => !later.model.entitySets.has(name));
  if (removed.length === 0) return;
  const mistakes = newFindings(mistakesOf(earlier), mistakesOf(later));
  if (mistakes.length === 0) return;
  const shown = mistakes.slice(0, MOST_SHOWN).map(writeFinding);
  throw projectError([`it would lose ${removed.slice(0, MOST_SHOWN).join(', ')}`, ...shown]);
}

/** Rejects a start with a project that serves nothing because of its mistakes. */
export function assertNotEmpty(plan: ServedPlan): void {
  const { entitySets, singletons, imports } = plan.model;
  if (entitySets.size + singletons.size + imports.size > 0) return;
  const mistakes = mistakesOf(plan).filter(({ severity }) => severity === 'error');
  if (mistakes.length > 0) throw projectError(mistakes.slice(0, MOST_SHOWN).map(writeFinding));
}

function mistakesOf({ report, halfWritten }: ServedPlan): readonly Finding[] {
  return [...report.filter(({ severity }) => severity === 'error'), ...halfWritten];
}
