import type { Row, Rows, Value } from '../../../src/contract/row.ts';
import { finished } from '../../../src/core/work.ts';
import * as queries from '../../../src/engine/pipeline/compile-query.ts';
import * as values from '../../../src/engine/pipeline/compile-query.ts';
import type { RootValues } from '../../../src/engine/scope/scope.ts';
import { budget } from '../../support/budget.ts';

/** The compiled queries, run at once, each time within a budget of its own. */
export function compileQuery(...given: Parameters<typeof queries.compileQuery>) {
  const query = queries.compileQuery(...given);
  return {
    ...query,
    run: (rows: Rows, roots?: RootValues) => finished(query.run(budget(), rows, roots)),
  };
}

export function compileEntityQuery(...given: Parameters<typeof queries.compileEntityQuery>) {
  const query = queries.compileEntityQuery(...given);
  return {
    ...query,
    run: (row: Row, roots?: RootValues) => finished(query.run(budget(), row, roots)),
  };
}

export function compileCount(...given: Parameters<typeof queries.compileCount>) {
  const query = queries.compileCount(...given);
  return {
    ...query,
    run: (rows: Rows, roots?: RootValues) => finished(query.run(budget(), rows, roots)),
  };
}

export function compileValueQuery(...given: Parameters<typeof values.compileValueQuery>) {
  const query = values.compileValueQuery(...given);
  return { ...query, run: (value: Value) => finished(query.run(budget(), value)) };
}

export function compileValueCount(...given: Parameters<typeof values.compileValueCount>) {
  const query = values.compileValueCount(...given);
  return { ...query, run: (items: readonly Value[]) => finished(query.run(budget(), items)) };
}
