/** The APIs that come with the gateway, to try it with; the first is the one that the demo takes unless told otherwise. */
export const SAMPLE_NAMES = ['posts', 'library'] as const;

export type SampleName = (typeof SAMPLE_NAMES)[number];
