/**
 * A number of JSON's that a double does not hold exactly, with its digits. To whoever does not know it, it is the
 * nearest double.
 */
export class ExactNumber extends Number {
  readonly text: string;

  constructor(text: string) {
    super(text);
    this.text = text;
  }
}

/** A number with so many digits that it may not fit into a double. */
export const LONG_NUMBER = /\d[\d.]{15}/;

const SIGNIFICANT_DIGITS = 15;

/**
 * Revives numbers that have more digits than a double with all of them, for JSON.parse of a text that has
 * {@link LONG_NUMBER}.
 */
export function keepDigits(
  this: unknown,
  _: string,
  value: unknown,
  { source }: { source?: string } = {},
): unknown {
  if (typeof value !== 'number' || source === undefined || !Number.isFinite(value)) return value;
  const isExact = source.length <= SIGNIFICANT_DIGITS || String(value) === source;
  return isExact ? value : new ExactNumber(source);
}
