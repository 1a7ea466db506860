import type { Row, Value } from '../../contract/entity-source.ts';
import { compileValue } from './compile.ts';
import type { Evaluator } from './evaluator.ts';
import type { ComputedProperty } from './scope.ts';

/** Makes of a value the part of it that is shown. */
export type Cut = (value: Value) => Value;

/** A property of which a part is shown: what of it, and how many items there were where `$count` asks. */
export interface Part {
  readonly name: string;
  readonly cut: Cut;
  readonly count: ((value: Value) => number) | undefined;
}

/** The name of a row's member that says how many items the collection has before it is cut into a page. */
export function countName(property: string): string {
  return `${property}@count`;
}

/** Adds computed properties to copies of rows, and cuts the properties that are shown in part. */
export function compileExtension(
  computed: ReadonlyMap<string, ComputedProperty>,
  parts: readonly Part[],
): (row: Row) => Row {
  const evaluators: readonly (readonly [string, Evaluator])[] = [...computed].map(
    ([name, { expression }]) => [name, compileValue(expression)],
  );
  return (row) => {
    const extended: Record<string, Value> = { ...row };
    for (const [name, value] of evaluators) {
      extended[name] = value(row);
    }
    for (const { name, cut, count } of parts) {
      const value = row[name];
      if (value === undefined) continue;
      extended[name] = cut(value);
      if (count !== undefined) extended[countName(name)] = count(value);
    }
    return extended;
  };
}
