/**
 * A number of the upstream's that a double does not hold exactly, with its digits.
 *
 * To whoever does not know it, it is the nearest double.
 */
export class ExactNumber extends Number {
  readonly text: string;

  constructor(text: string) {
    super(text);
    this.text = text;
  }
}

/** A number with so many digits that it may not fit into a double. */
export const LONG_DECIMAL = /\d[\d.]{15}/;

const SIGNIFICANT_DIGITS = 15;

/** A reviver for JSON.parse: it keeps the digits of the numbers that have more of them than a double. */
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

/** The digits where the type can hold them, else the nearest double. */
export function exactValue(type: string, number: ExactNumber): string | number {
  const holds = type === 'Edm.Decimal' || type === 'Edm.Int64' || type === 'Edm.String';
  return holds ? number.text : number.valueOf();
}
