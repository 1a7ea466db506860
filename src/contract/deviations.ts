/** The number of values of a property that did not match the source's document. */
export interface DeviationCount {
  readonly source: string;
  readonly property: string;
  readonly value: number;
}

/** Counts values of upstreams that do not match their documents, and warns once per property. */
export interface Deviations {
  /** `property` is a name of the document, such as `Order/total`. Of the value, only its kind is reported. */
  note(source: string, property: string, expected: string, found: string): void;
  counts(): readonly DeviationCount[];
}

/** Ignores deviations, for callers that read nothing from upstreams. */
export const NO_DEVIATIONS: Deviations = { note: () => undefined, counts: () => [] };
