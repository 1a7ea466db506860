import type { DocumentRun } from './document-run.ts';
import type { Outcome, TableReading } from './table-reading.ts';
import type { WantedList } from './wanted-lists.ts';

/** A line of the table that is printed. */
export interface Summary {
  readonly document: string;
  readonly lists: number;
  readonly wanted: number;
  /** Lists that can be read as tables, or of which it is said that they cannot be read to their end. */
  readonly tables: number;
  /** Tables without parameters in their paths. */
  readonly rootTables: number;
  readonly whole: number;
  readonly said: number;
  readonly silent: number;
  readonly failed: number;
  readonly wrong: number;
  /** Tables of other operations than those lists. */
  readonly others: number;
  /** Entity sets that were read in GraphQL as in OData. */
  readonly graphql: number;
  readonly suffixes: number;
  readonly seconds: number;
  readonly megabytes: number;
}

export function summarize(run: DocumentRun): Summary {
  const { document, readings } = run;
  const served = document.lists.filter((list) => isTable(list, readings));
  const count = (outcome: Outcome): number =>
    readings.filter((reading) => reading.outcome === outcome).length;
  return {
    document: document.name,
    lists: document.lists.length,
    wanted: document.lists.filter(({ wanted }) => wanted !== undefined).length,
    tables: served.length,
    rootTables: served.filter(({ path }) => !path.includes('{')).length,
    whole: count('whole'),
    said: count('said'),
    silent: count('silent'),
    failed: count('failed'),
    wrong: count('wrong'),
    others: readings.filter(
      ({ path, outcome }) => outcome !== 'no list' && !document.lists.some((list) => list.path === path),
    ).length,
    graphql: run.graphql.same,
    suffixes: run.suffixes.length,
    seconds: Math.round(run.startSeconds * 10) / 10,
    megabytes: Math.round(run.startMegabytes),
  };
}

/** Incomplete tables count, but unreadable ones do not. */
function isTable({ path }: WantedList, readings: readonly TableReading[]): boolean {
  return readings.some((reading) => reading.path === path && reading.outcome !== 'failed');
}

/** The sums; of time and memory the most. */
export function summarizeAll(runs: readonly DocumentRun[]): Summary {
  const lines = runs.map(summarize);
  const sum = (name: Exclude<keyof Summary, 'document'>): number =>
    lines.reduce((total, line) => total + line[name], 0);
  return {
    document: 'all',
    lists: sum('lists'),
    wanted: sum('wanted'),
    tables: sum('tables'),
    rootTables: sum('rootTables'),
    whole: sum('whole'),
    said: sum('said'),
    silent: sum('silent'),
    failed: sum('failed'),
    wrong: sum('wrong'),
    others: sum('others'),
    graphql: sum('graphql'),
    suffixes: sum('suffixes'),
    seconds: Math.max(0, ...lines.map(({ seconds }) => seconds)),
    megabytes: Math.max(0, ...lines.map(({ megabytes }) => megabytes)),
  };
}
