import type { RequestBudget } from '../../../contract/request-budget.ts';
import type { Row } from '../../../contract/row.ts';
import type { Work } from '../../../core/work.ts';
import { Pieces, type PortionWriter, writtenPortions } from '../json/json-text.ts';

/** A list as text, with a line for each entity. */
interface ListLines {
  /** The text before the first line. */
  readonly head: string;
  /** The line of an entity, with its end. */
  readonly lineOf: (row: Row) => string;
}

/** Writes lists of all rows. */
export function* writeLines(
  { head, lineOf }: ListLines,
  rows: readonly Row[],
  budget: RequestBudget,
): Work<Uint8Array> {
  const pieces = new Pieces(budget);
  try {
    pieces.add(head);
    yield* addLines(lineOf, rows, pieces, budget);
    return yield* pieces.bytes();
  } finally {
    pieces.release();
  }
}

/** Writes lists whose rows come in portions. */
export function linesInPortions({ head, lineOf }: ListLines): PortionWriter {
  return (portions, budget) =>
    writtenPortions(portions, budget, {
      head,
      tail: () => '',
      write: (rows, pieces) => addLines(lineOf, rows, pieces, budget),
    });
}

function* addLines(
  lineOf: ListLines['lineOf'],
  rows: readonly Row[],
  pieces: Pieces,
  budget: RequestBudget,
): Work<void> {
  for (const row of rows) {
    pieces.add(lineOf(row));
    if (budget.isDue()) yield;
  }
}
