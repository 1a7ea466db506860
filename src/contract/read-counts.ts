/** The number of calls that read a resource, and of rows received. */
export interface ReadCount {
  readonly resource: string;
  readonly calls: number;
  readonly rows: number;
}

/** Counts reads by entity set and singleton, and the parameters that answers have contradicted by source. */
export interface ReadCounts {
  note(resource: string, rows: number): void;
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
