import type { Property } from '../../service/metadata.ts';
import { checkLimits } from './check-limits.ts';
import { type InputValue, problem, readJson, value } from './input-value.ts';
import { readPrimitive } from './primitive-value.ts';

/** Reads the text for a property, or for an item of it, by its type, Nullable and the limits of its values. */
export function readInput({ type, nullable, limits }: Property, text: string): InputValue {
  if (text.trim() === '') return nullable ? { kind: 'none' } : problem('Fill this in.');
  switch (type.kind) {
    case 'enum':
      return value(text);
    case 'complex':
      return readJson(text, () => true, 'JSON');
    case 'primitive':
      return checkLimits(readPrimitive(type.name, text), limits);
  }
}
