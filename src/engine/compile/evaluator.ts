import type { Row, Value } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import type { Work } from '../../contract/work.ts';

/** The value of an expression for a row. */
export type Evaluator = (row: Row) => Value;

/** Whether something holds for a row: there is no third answer. */
export type Predicate = (row: Row) => boolean;

/** What a transformation does with its input set. Neither the rows nor their array are changed. */
export type Run = (rows: Rows) => Work<readonly Row[]>;
