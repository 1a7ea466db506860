import type { Measurement } from '../measure.ts';

/** Milliseconds for one answer after the other. */
export function timesOf(measurements: readonly Measurement[]): readonly number[] {
  return measurements.map(({ perSecond }) => 1_000 / perSecond);
}
