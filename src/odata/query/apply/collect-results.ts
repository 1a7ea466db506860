import type { Row } from '../../../contract/entity-source.ts';
import { badRequest, type Scope } from '../bind/scope.ts';

/** More instances come of rows only where transformations multiply them, and then without end. */
const MOST_RESULTS = 1_000_000;

/** Puts the results of several parts together, in their order. */
export type CollectResults = <Part>(
  parts: readonly Part[],
  resultsOf: (part: Part) => readonly Row[],
) => readonly Row[];

/** More than a million results in one run, of all transformations, are a BadRequest at this one. */
export function collectAt(scope: Scope, position: number): CollectResults {
  const count = countingResults(scope, position);
  return (parts, resultsOf) => {
    const all: Row[] = [];
    for (const part of parts) {
      const results = resultsOf(part);
      count(results.length);
      for (const row of results) all.push(row);
    }
    return all;
  };
}

/** Counts the instances that a transformation makes of others, or puts into others. */
export function countingResults(scope: Scope, position: number): (results: number) => void {
  const { moment } = scope;
  return (results) => {
    moment.results += results;
    if (moment.results > MOST_RESULTS) {
      throw badRequest(scope, position, `expected at most ${MOST_RESULTS} results, found more`);
    }
  };
}
