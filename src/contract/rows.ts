import type { Row } from './entity-source.ts';

/**
 * The entities of a list: an array, or rows that are made while they are gone through, and made anew each
 * time. Going through them may fail with the GatewayError that reading them would have failed with.
 */
export interface Rows extends Iterable<Row> {
  readonly length: number;
}

/** All of them at once, for what goes through them more than once or looks at some by their place. */
export function arrayOf(rows: Rows): readonly Row[] {
  return Array.isArray(rows) ? rows : [...rows];
}
