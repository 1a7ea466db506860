import type { Row, Value } from '../../contract/entity-source.ts';

/** The value of an expression for a row. */
export type Evaluator = (row: Row) => Value;

/** Whether something holds for a row: there is no third answer. */
export type Predicate = (row: Row) => boolean;
