import type { Deviations } from '../contract/deviations.ts';
import type { Log } from '../contract/log.ts';

/** Whatever documents there are in the life of a process, a time series costs whoever keeps it. */
const MOST_PROPERTIES = 1_000;

/** Stands for the properties beyond those. */
const OTHERS = 'other';

export function createDeviations(log: Log): Deviations {
  const counts = new Map<string, { source: string; property: string; value: number }>();
  const begin = (source: string, property: string, expected: string, found: string) => {
    const begun = { source, property, value: 0 };
    counts.set(keyOf(source, property), begun);
    const fields = property === OTHERS ? { source } : { source, property, expected, found };
    log.warn(
      fields,
      'Values of the upstream are not what its document says: they are read as far as they can be',
    );
    return begun;
  };
  return {
    note(source, property, expected, found) {
      const known = counts.get(keyOf(source, property));
      const named = known !== undefined || counts.size < MOST_PROPERTIES ? property : OTHERS;
      const count = known ?? counts.get(keyOf(source, named)) ?? begin(source, named, expected, found);
      count.value += 1;
    },
    counts: () => [...counts.values()],
  };
}

function keyOf(source: string, property: string): string {
  return `${source} ${property}`;
}
