import type { Row } from '../../contract/row.ts';
import { atOnce, type Work } from '../../contract/work.ts';
import { compileBeforeCalls } from '../query/accept.ts';
import { filterRows } from '../query/pipeline.ts';
import { callsOf, type Projection } from '../query/projection.ts';
import { type RootValues, withRoots } from '../scope/root-reads.ts';
import { type InputSet, notImplemented, type Scope } from '../scope/scope.ts';
import type { QueryOptions } from '../tree/options-tree.ts';
import type { QueryRun } from '../values/current-run.ts';

/** The functions that are called for the rows before the query runs over them. */
export interface FunctionCallPrefetch {
  readonly calls: Projection['calls'];
  /** The rows that they are called for; the others are left out whatever the functions would say. */
  readonly needingCalls: (run: QueryRun, rows: readonly Row[], roots?: RootValues) => Work<readonly Row[]>;
}

/** Known only when all options are bound; `scope` is that of the entities. What all entities come to would need the calls of all. */
export function functionCallPrefetch(
  options: QueryOptions,
  scope: Scope,
  these: InputSet,
): FunctionCallPrefetch {
  const calls = callsOf(scope);
  const [first] = calls;
  if (first === undefined) return { calls, needingCalls: () => atOnce(() => []) };
  const inFilter = { ...scope, target: '$filter' };
  if (these.isAskedFor) throw notImplemented(inFilter, first.segment.position, 'a function beside $these');
  const needs = compileBeforeCalls(beforeResults(options), inFilter);
  return {
    calls,
    needingCalls(run, rows, roots = []) {
      const { current } = scope;
      return current.during(run, () => withRoots(scope.roots, roots, () => filterRows(rows, needs, current)));
    },
  };
}

/** What entities must pass in any case: behind `$apply` conditions are about its results. */
function beforeResults({ filter, search, apply }: QueryOptions): Pick<QueryOptions, 'filter' | 'search'> {
  if (apply === undefined) return { ...(filter && { filter }), ...(search && { search }) };
  const [first] = apply;
  return first?.kind === 'filter' ? { filter: first.predicate } : {};
}
