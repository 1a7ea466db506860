import type { Value } from '../../contract/row.ts';
import type { OpaqueTypeName, PrimitiveTypeName, TypeUse } from '../../model/type-use.ts';
import { readEnumeration } from './enumeration-input.ts';
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
export function readMember({ model, mistakes }: Reading, name: string, json: unknown, path: string): Value {
  const type = model.enumerationTypes.get(name);
  const member = type === undefined ? undefined : readEnumeration(type, json);
  if (member !== undefined) return member;
  mistakes.add(path, `a member of ${name}`, typeof json === 'string' ? quote(json) : describe(json));
  return null;
}
