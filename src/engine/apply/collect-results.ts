import type { Row } from '../../contract/row.ts';
import type { Work } from '../../contract/work.ts';
import type { CurrentRun } from '../values/current-run.ts';

/** Puts the results of several parts together, in their order. */
export function* collectResults<Part>(
  current: CurrentRun,
  parts: Iterable<Part>,
  resultsOf: (part: Part) => Work<readonly Row[]>,
): Work<readonly Row[]> {
  const all: Row[] = [];
  for (const part of parts) {
    const results = yield* resultsOf(part);
    current.budget.chargeRows(results.length);
    for (const row of results) all.push(row);
    if (current.isDue()) yield;
  }
  return all;
}
