import type { ReadCounts } from '../contract/read-counts.ts';

/** Maximum number of resources with a count, because each is a time series. */
const MOST_RESOURCES = 1_000;

/** The name of the count of all other resources. */
const OTHERS = 'other';

const DAY_MS = 86_400_000;

interface Count {
  calls: number;
  rows: number;
  kept: number;
  day: number;
  before: { calls: number; kept: number };
}

export function createReadCounts(now = Date.now): ReadCounts {
  const counts = new Map<string, Count>();
  const today = (): number => Math.floor(now() / DAY_MS);
  const contradictions = new Map<string, number>();
  return {
    note(resource, rows, isKept) {
      const name = counts.has(resource) || counts.size < MOST_RESOURCES ? resource : OTHERS;
      const day = today();
      const count = counts.get(name) ?? { calls: 0, rows: 0, kept: 0, day, before: { calls: 0, kept: 0 } };
      counts.set(name, count);
      if (count.day !== day) Object.assign(count, { day, before: { calls: count.calls, kept: count.kept } });
      if (isKept) count.kept += 1;
      else count.calls += 1;
      count.rows += rows;
    },
    noteContradiction(source) {
      const name = contradictions.has(source) || contradictions.size < MOST_RESOURCES ? source : OTHERS;
      contradictions.set(name, (contradictions.get(name) ?? 0) + 1);
    },
    contradictions: () => contradictions,
    counts: () =>
      [...counts].map(([resource, { calls, rows, kept, day, before }]) => {
        const own = day === today() ? { calls: calls - before.calls, kept: kept - before.kept } : NONE;
        return { resource, calls, rows, kept, today: own };
      }),
  };
}

const NONE = { calls: 0, kept: 0 };
