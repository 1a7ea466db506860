import type { Value } from '../../contract/row.ts';
import type { EnumerationType, TypeUse } from '../../model/edm.ts';
import type { OpaqueTypeName, PrimitiveTypeName } from '../../model/type-use.ts';
import { violatedFacet } from './facet-check.ts';
import { describe } from './input-value.ts';
import { quote } from './mistakes.ts';
import { readPrimitive } from './primitive-input.ts';
import type { Reading } from './reading.ts';

/** A primitive value within its facets (CSDL 4.01, 7.2). */
export function readPrimitiveValue(reading: Reading, use: TypeUse, json: unknown, path: string): Value {
  const { type } = use;
  const value = type.kind === 'primitive' ? readTyped(reading, type.name, json) : undefined;
  if (value === undefined) {
    reading.mistakes.add(path, type.name, describe(json));
    return null;
  }
  keepFacets(reading, use, value, path);
  return value;
}

function readTyped(
  { ofText }: Reading,
  type: PrimitiveTypeName | OpaqueTypeName,
  json: unknown,
): Value | undefined {
  const isText = ofText !== undefined && typeof json === 'string';
  return readPrimitive(type, isText ? ofText(type, json) : json);
}

/** Tells the facet that a value does not keep. */
export function keepFacets(
  { mistakes }: Pick<Reading, 'mistakes'>,
  { type, facets }: Pick<TypeUse, 'type' | 'facets'>,
  value: Value,
  path: string,
): void {
  const violation = violatedFacet(type, facets, value);
  if (violation !== undefined) mistakes.add(path, violation.expected, violation.found);
}

/** A member of an enumeration, or several where it is one of flags. */
export function readMember({ mistakes }: Reading, type: EnumerationType, json: unknown, path: string): Value {
  const member = readEnumeration(type, json);
  if (member !== undefined) return member;
  mistakes.add(path, `a member of ${type.name}`, typeof json === 'string' ? quote(json) : describe(json));
  return null;
}

/**
 * The names of an enumeration's members, separated by commas, that JSON stands for, or undefined where it does
 * not fit: names or numeric values, several of them or their sum for flags (JSON Format, 7.1; ABNF, enumValue).
 */
function readEnumeration(type: EnumerationType, json: unknown): string | undefined {
  if (typeof json === 'number') return namesOfValue(type, json);
  if (typeof json !== 'string') return undefined;
  const parts = json.split(',').map((part) => namesOfPart(type, part.trim()));
  const isPossible = !parts.includes(undefined) && (parts.length === 1 || type.flags);
  return isPossible ? parts.join(',') : undefined;
}

function namesOfPart(type: EnumerationType, part: string): string | undefined {
  if (type.members.some(({ name }) => name === part)) return part;
  return /^[+-]?\d{1,15}$/.test(part) ? namesOfValue(type, Number(part)) : undefined;
}

function namesOfValue({ flags, members }: EnumerationType, value: number): string | undefined {
  const member = members.find((candidate) => candidate.value === value);
  if (member !== undefined || !flags) return member?.name;
  const single = members.filter(({ value: bit }) => bit !== 0 && (value & bit) === bit);
  const sum = single.reduce((total, { value: bit }) => total | bit, 0);
  return Number.isInteger(value) && sum === value ? single.map(({ name }) => name).join(',') : undefined;
}
