/**
 * A JSON number that a double cannot hold exactly, with its digits. Used as a number, it is the nearest
 * double.
 */
export class ExactNumber extends Number {
  readonly text: string;

  constructor(text: string) {
    super(text);
    this.text = text;
  }
}

/** Matches numbers with too many digits for a double. */
export const LONG_NUMBER = /\d[\d.]{15}/;

const SIGNIFICANT_DIGITS = 15;

/**
 * A reviver for JSON.parse that keeps the digits of long numbers, for texts that match {@link LONG_NUMBER}.
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
