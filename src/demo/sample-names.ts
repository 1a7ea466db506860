/** The sample APIs; the first is the demo's default. */
export const SAMPLE_NAMES = ['posts', 'library'] as const;

export type SampleName = (typeof SAMPLE_NAMES)[number];
