import type { Limits } from '../../service/metadata.ts';
import { type InputValue, problem, writeInput } from './input-value.ts';

/** The value, or what is wrong with it; the service checks it all the same. */
export function checkLimits(value: InputValue, limits: Limits): InputValue {
  if (value.kind !== 'value') return value;
  const text = writeInput(value);
  const message = value.json.startsWith('"') ? textProblem(text, limits) : numberProblem(text, limits);
  return message === undefined ? value : problem(message);
}

/** MaxLength counts characters as Unicode does (CSDL 4.01, 7.2.2). */
function textProblem(text: string, { maxLength, pattern, allowedValues }: Limits): string | undefined {
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength)
    return `At most ${maxLength} characters; this is ${length}.`;
  if (allowedValues !== undefined && !allowedValues.includes(text)) return 'Choose one of the values.';
  if (pattern !== undefined && !matches(text, pattern)) return `Expected text that matches ${pattern}.`;
  return undefined;
}

/** A pattern that browsers do not know is left to the service. */
function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

function numberProblem(text: string, { minimum, maximum, scale }: Limits): string | undefined {
  const number = Number(text);
  if (
    minimum !== undefined &&
    (number < minimum.value || (minimum.isExclusive && number === minimum.value))
  ) {
    return minimum.isExclusive ? `More than ${minimum.value}.` : `At least ${minimum.value}.`;
  }
  if (
    maximum !== undefined &&
    (number > maximum.value || (maximum.isExclusive && number === maximum.value))
  ) {
    return maximum.isExclusive ? `Less than ${maximum.value}.` : `At most ${maximum.value}.`;
  }
  const decimals = /\.(\d*?)0*$/.exec(text)?.[1]?.length ?? 0;
  return scale !== undefined && decimals > scale ? `At most ${scale} decimal places.` : undefined;
}
