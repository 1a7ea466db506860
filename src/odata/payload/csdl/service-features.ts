interface ServiceFeatures {
  /** The versions of OData that it speaks. */
  readonly versions: string;
  /** `Prefer: respond-async` (Part 1, 8.2.8.8). */
  readonly asynchronous: boolean;
  /** `$batch` (Part 1, 11.7). */
  readonly batch: boolean;
  /** `Post/1` (Part 2, 4.3.6). */
  readonly keyAsSegment: boolean;
  /** The transformations of `$apply` (Data Aggregation 4.0, 3). */
  readonly transformations: readonly string[];
  /** Delta links (Part 1, 11.3). */
  readonly changeTracking: boolean;
}

/**
 * What this service does with every model, for the annotations of `$metadata`: they must not claim more
 * than requests find.
 */
export const SERVICE_FEATURES: ServiceFeatures = {
  versions: '4.0 4.01',
  asynchronous: true,
  batch: true,
  keyAsSegment: true,
  transformations: [
    'addnested',
    'aggregate',
    'ancestors',
    'bottomcount',
    'bottompercent',
    'bottomsum',
    'compute',
    'concat',
    'descendants',
    'filter',
    'groupby',
    'identity',
    'join',
    'nest',
    'orderby',
    'outerjoin',
    'search',
    'skip',
    'top',
    'topcount',
    'toppercent',
    'topsum',
    'traverse',
  ],
  changeTracking: true,
};
