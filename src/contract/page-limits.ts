import type { RequestLimit } from './request-limits.ts';

const MIB = 1024 * 1024;

/** What is read of one list that comes in pages, on all of them. */
export const PAGE_LIMITS = {
  rows: {
    variable: 'PAGES_ROWS',
    fallback: 1_000_000,
    least: 1,
    most: 100_000_000,
    meaning: 'rows that are read of one list whose API returns pages',
  },
  bytes: {
    variable: 'PAGES_MIB',
    fallback: 256,
    least: 1,
    most: 16_384,
    unit: MIB,
    meaning: 'MiB that are read of one such list',
  },
  time: {
    variable: 'PAGES_TIMEOUT_MS',
    fallback: 60_000,
    least: 1,
    most: 3_600_000,
    meaning: 'how long reading all its pages may take',
  },
} as const satisfies Readonly<Record<string, RequestLimit>>;

/** The limits in the units that the code counts in. */
export type PageLimits = Readonly<Record<keyof typeof PAGE_LIMITS, number>>;

/** The limits as they are told of. */
export function pageLimits(read: (limit: (typeof PAGE_LIMITS)[keyof PageLimits]) => number): PageLimits {
  const { rows, bytes, time } = PAGE_LIMITS;
  return { rows: read(rows), bytes: read(bytes) * bytes.unit, time: read(time) };
}

/** What they are where nobody has moved them. */
export const DEFAULT_PAGE_LIMITS: PageLimits = pageLimits(({ fallback }) => fallback);
