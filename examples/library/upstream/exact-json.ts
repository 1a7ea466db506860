/** A number that a double would not keep as it was written: too many digits, or a zero at its end. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Values that JSON.stringify writes unchanged; TypeScript's library lacks the name. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): ExactNumber };

export function exactNumber(text: string): ExactNumber {
  return rawJSON(text);
}

/** Parses JSON; numbers that would lose digits come as {@link ExactNumber}. Throws what JSON.parse throws. */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text, (_, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? rawJSON(source)
      : value;
  });
}

/** The digits of a number; undefined for other values. */
export function digitsOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null || !('rawJSON' in value)) return undefined;
  return String(value.rawJSON);
}

/** An amount as the API writes it: with two decimals, also where they are zeros. */
export function amount(cents: number): ExactNumber {
  return exactNumber((cents / 100).toFixed(2));
}

export function centsOf(value: number | ExactNumber): number {
  return Math.round(Number(digitsOf(value)) * 100);
}
