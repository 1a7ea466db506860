import type { Row, Value } from '../../contract/row.ts';
import { compileValue } from '../compile/compile.ts';
import type { Evaluator } from '../compile/evaluator.ts';
import type { ComputedProperty } from '../scope/scope.ts';
import type { CurrentRun } from '../values/current-run.ts';

/** What is shown of a value, and how many items it had before paging where `$count` asks. */
export interface NestedRows {
  readonly value: Value;
  readonly count: number | undefined;
}

export type Cut = (value: Value) => NestedRows;

/** A property of which a part is shown. */
export interface Part {
  readonly name: string;
  readonly cut: Cut;
  /** `$count` asks how many items there are. */
  readonly counted: boolean;
}

/** The name of a row's member that says how many items the collection has before it is cut into a page. */
export function countName(property: string): string {
  return `${property}@count`;
}

/** Adds computed properties to copies of rows, and cuts the properties that are shown in part. */
export function compileExtension(
  computed: ReadonlyMap<string, ComputedProperty>,
  parts: readonly Part[],
  current: CurrentRun,
): (row: Row) => Row {
  const evaluators: readonly (readonly [string, Evaluator])[] = [...computed].map(
    ([name, { expression }]) => [name, compileValue(expression)],
  );
  return (row) => {
    const extended: Record<string, Value> = { ...row };
    for (const [name, value] of evaluators) {
      const computed = value(row);
      // What rows hold stays in memory: a computed text is charged, wherever it comes from.
      if (typeof computed === 'string') current.budget.chargeText(computed.length);
      extended[name] = computed;
    }
    for (const { name, cut } of parts) {
      const whole = extended[name];
      if (whole === undefined) continue;
      const { value, count } = cut(whole);
      extended[name] = value;
      if (count !== undefined) extended[countName(name)] = count;
    }
    return extended;
  };
}
