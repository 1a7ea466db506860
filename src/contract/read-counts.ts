/** The number of calls that read a resource, and of rows received. */
export interface ReadCount {
  readonly resource: string;
  readonly calls: number;
  readonly rows: number;
}

/** Counts reads by entity set and singleton. */
export interface ReadCounts {
  note(resource: string, rows: number): void;
  counts(): readonly ReadCount[];
}

export const NO_READ_COUNTS: ReadCounts = { note: () => undefined, counts: () => [] };
