const EXPONENTIAL = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;

/** The number without a plus sign, zeros in front, or an exponent. */
export function plainDigits(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] = EXPONENTIAL.exec(unsigned(number)) ?? [];
  return withoutLeadingZeros(
    exponent === undefined ? unsigned(number) : sign + movePoint(whole, fraction, Number(exponent)),
  );
}

/** JSON has neither a plus sign nor zeros in front (RFC 8259, section 6). */
export function jsonDigits(number: string): string {
  return withoutLeadingZeros(unsigned(number));
}

function unsigned(number: string): string {
  return number.startsWith('+') ? number.slice(1) : number;
}

function withoutLeadingZeros(number: string): string {
  return number.replace(/^(-?)0+(?=\d)/, '$1');
}

function movePoint(whole: string, fraction: string, exponent: number): string {
  const digits = whole + fraction;
  const point = whole.length + exponent;
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  return point >= digits.length
    ? digits.padEnd(point, '0')
    : `${digits.slice(0, point)}.${digits.slice(point)}`;
}
