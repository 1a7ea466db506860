import type { Property } from '../../service/metadata.ts';
import { type InputValue, problem, readJson, value } from './input-value.ts';
import { readPrimitive } from './primitive-value.ts';

/** Reads the text for a property by its type, Nullable and MaxLength. Complex values have no text. */
export function readInput(property: Property, text: string): InputValue {
  if (text.trim() === '') return property.nullable ? { kind: 'none' } : problem('Fill this in.');
  if (property.isCollection) return readJson(text, Array.isArray, 'a JSON array, such as ["a", "b"]');
  if (property.type.kind === 'enum') return value(text);
  if (property.type.kind === 'complex') return readJson(text, () => true, 'JSON');
  return readPrimitive(property.type.name, text, property.maxLength);
}
