/** The digits of a decimal number that match a pattern; undefined if the pattern sets no limit. */
export interface DecimalDigits {
  readonly precision: number | undefined;
  readonly scale: number | undefined;
}

/** Groups that look ahead, as Pydantic writes them: no digit alone, and how many characters there may be in all. */
const NOT_ONLY_SIGNS = /\(\?![^()]*\)/g;
const LENGTH = /\(\?=\[\\d\.\]\{1,(\d+)\}(?:0\*)?\$?\)/;

/** A quantifier of a digit: `\d+`, `\d{0,8}`. */
const DIGITS = String.raw`\\d(?<NAME>[+*?]|\{\d*(?:,\d*)?\})?`;

const named = (name: string): string => DIGITS.replace('NAME', name);

/**
 * A number in decimal notation, once its pattern is written in one way: a sign, digits, and digits behind a point. The
 * number of digits before the point varies: `\d{4}\.\d{2}` is a code.
 */
const NUMBER = new RegExp(
  [
    String.raw`^\^[S]?[?]?\(?`,
    String.raw`(?:${named('alone')}\|)?`,
    named('whole'),
    String.raw`(?:\(\\\.${named('grouped')}\)(?<optional>\?)?|\\\.(?<free>\?)?${named('fraction')})`,
    String.raw`\)?\$$`,
  ].join(''),
);

const TOO_LONG = 200;

/** The digits of the numbers that are all a pattern admits; undefined for a pattern that admits other texts, too. */
export function decimalPattern(pattern: string): DecimalDigits | undefined {
  if (pattern.length > TOO_LONG) return undefined;
  const characters = LENGTH.exec(pattern)?.[1];
  const plain = pattern
    .replace(NOT_ONLY_SIGNS, '')
    .replace(LENGTH, '')
    .replaceAll('(?:', '(')
    .replaceAll('[0-9]', String.raw`\d`)
    .replaceAll('[.]', String.raw`\.`)
    .replaceAll(/\[\\?[+-]\\?[+-]?\]|\\[+-]|(?<=^\^)-/g, 'S')
    .replaceAll('0*', '')
    .replaceAll(/\(?(?:0\|)?\[1-9\]\\d\*\)?/g, String.raw`\d+`)
    .replaceAll(/\((\\d(?:[+*?]|\{[\d,]*\})?)\)/g, '$1')
    .replace(/\$\)$/, ')$');
  const found = NUMBER.exec(plain)?.groups;
  if (found === undefined) return undefined;
  const whole = most(found.whole);
  if (found.whole !== undefined && /^\{\d+\}$/.test(found.whole)) return undefined;
  const scale = most(found.grouped ?? found.fraction);
  if (characters !== undefined) return { precision: Number(characters) - 1, scale };
  return { precision: whole === undefined || scale === undefined ? undefined : whole + scale, scale };
}

/** The greatest number of digits of a repetition; undefined for any number of them. */
function most(repetition: string | undefined): number | undefined {
  if (repetition === undefined || repetition === '?') return 1;
  const [, least, comma, greatest] = /^\{(\d*)(,?)(\d*)\}$/.exec(repetition) ?? [];
  if (least === undefined) return undefined;
  const written = comma === '' ? least : greatest;
  return written === '' || written === undefined ? undefined : Number(written);
}
