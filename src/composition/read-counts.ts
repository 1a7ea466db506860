import type { ReadCounts } from '../contract/read-counts.ts';

/** Maximum number of resources with a count, because each is a time series. */
const MOST_RESOURCES = 1_000;

/** The name of the count of all other resources. */
const OTHERS = 'other';

export function createReadCounts(): ReadCounts {
  const counts = new Map<string, { resource: string; calls: number; rows: number }>();
  const contradictions = new Map<string, number>();
  return {
    note(resource, rows) {
      const name = counts.has(resource) || counts.size < MOST_RESOURCES ? resource : OTHERS;
      const count = counts.get(name) ?? { resource: name, calls: 0, rows: 0 };
      counts.set(name, count);
      count.calls += 1;
      count.rows += rows;
    },
    noteContradiction(source) {
      const name = contradictions.has(source) || contradictions.size < MOST_RESOURCES ? source : OTHERS;
      contradictions.set(name, (contradictions.get(name) ?? 0) + 1);
    },
    counts: () => [...counts.values()],
    contradictions: () => contradictions,
  };
}
