import type { Deviations } from '../../contract/deviations.ts';
import { ExactNumber } from '../exchange/exact-number.ts';

/**
 * Takes note of a value of a source that is not what its document says, and is read as far as it can be. Values of
 * a source whose document is strict are an error instead.
 */
export type Lenience = (property: string, expected: string, found: unknown) => void;

export function lenienceOf(source: string, deviations: Deviations): Lenience {
  return (property, expected, found) => deviations.note(source, property, expected, kindOf(found));
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber)
    return 'a number';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : 'true or false';
}

/**
 * Whether it is a number that may have lost digits: the answer is to be read once more, exactly, before anything
 * is made of it.
 */
export function mayHaveLostDigits(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}
