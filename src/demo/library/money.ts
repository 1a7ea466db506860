import { digitsOf, type ExactNumber, exactNumber } from './exact-json.ts';

/** An amount as the API writes it: with two decimals, also where they are zeros. */
export function amount(cents: number): ExactNumber {
  return exactNumber((cents / 100).toFixed(2));
}

export function centsOf(value: number | ExactNumber): number {
  return Math.round(Number(digitsOf(value)) * 100);
}
