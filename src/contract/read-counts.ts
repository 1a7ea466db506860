/** The calls that read a resource, and the rows that came. */
export interface ReadCount {
  readonly resource: string;
  readonly calls: number;
  readonly rows: number;
}

/** Counts what is read of each entity set and singleton. */
export interface ReadCounts {
  note(resource: string, rows: number): void;
  counts(): readonly ReadCount[];
}

export const NO_READ_COUNTS: ReadCounts = { note: () => undefined, counts: () => [] };
