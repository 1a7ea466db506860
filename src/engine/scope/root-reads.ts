import type { Value } from '../../contract/row.ts';
import { type Work, within } from '../../contract/work.ts';
import type { BoundRoot, RootCall, RootSource } from './reads.ts';

export function isRootCall(source: RootSource): source is RootCall {
  return 'imported' in source;
}

/** What was loaded, in the order of the sources: rows of a set, one row, which is null where there is none, or a result. */
export type RootValues = readonly Value[];

/** Runs what needs the values, which compiled queries do not keep. */
export function withRoots<Result>(
  roots: readonly BoundRoot[],
  values: RootValues,
  begin: () => Work<Result>,
): Work<Result> {
  if (roots.length === 0) return begin();
  return within(
    () => setRoots(roots, values),
    () => setRoots(roots, []),
    begin,
  );
}

function setRoots(roots: readonly BoundRoot[], values: RootValues): void {
  for (const [index, { variable }] of roots.entries()) {
    variable.cell.value = values[index] ?? null;
  }
}
