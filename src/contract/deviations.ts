/** How often values of a property were not what the document of its source says. */
export interface DeviationCount {
  readonly source: string;
  readonly property: string;
  readonly value: number;
}

/** Counts the values of upstreams that are not what their documents say, and warns of each property once. */
export interface Deviations {
  /** `property` is a name of the document's: `Order/total`. Of the value, nothing but its kind is told. */
  note(source: string, property: string, expected: string, found: string): void;
  counts(): readonly DeviationCount[];
}

/** The deviations of those who read nothing of an upstream. */
export const NO_DEVIATIONS: Deviations = { note: () => undefined, counts: () => [] };
