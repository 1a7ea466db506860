/** The number of calls that read a resource, and of rows received. */
export interface ReadCount {
  readonly resource: string;
  readonly calls: number;
  readonly rows: number;
  /** The reads that were answered by answers that are kept. */
  readonly kept: number;
  /** The same since midnight (UTC). */
  readonly today: { readonly calls: number; readonly kept: number };
}

/** Counts reads by entity set and singleton, and the parameters that answers have contradicted by source. */
export interface ReadCounts {
  note(resource: string, rows: number, isKept: boolean): void;
  noteContradiction(source: string): void;
  counts(): readonly ReadCount[];
  contradictions(): ReadonlyMap<string, number>;
}

export const NO_READ_COUNTS: ReadCounts = {
  note: () => undefined,
  noteContradiction: () => undefined,
  counts: () => [],
  contradictions: () => new Map(),
};
