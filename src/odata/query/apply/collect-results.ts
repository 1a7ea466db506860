import type { Row } from '../../../contract/entity-source.ts';
import { badRequest, type Scope } from '../bind/scope.ts';

/** More instances come of rows only where transformations multiply them, and then without end. */
const MOST_RESULTS = 1_000_000;

/** Puts the results of several parts together, in their order. */
export type CollectResults = <Part>(
  parts: readonly Part[],
  resultsOf: (part: Part) => readonly Row[],
) => readonly Row[];

/** More than a million results are a BadRequest at the transformation. */
export function collectAt(scope: Scope, position: number): CollectResults {
  return (parts, resultsOf) => {
    const all: Row[] = [];
    for (const part of parts) {
      const results = resultsOf(part);
      if (all.length + results.length > MOST_RESULTS) {
        throw badRequest(scope, position, `expected at most ${MOST_RESULTS} results, found more`);
      }
      for (const row of results) all.push(row);
    }
    return all;
  };
}
