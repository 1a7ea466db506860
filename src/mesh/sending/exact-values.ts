import { doubleValue, exactNumberWriter, untypedValue } from '../../contract/exact-number.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type { StructuredType, TypeUse } from '../../model/edm.ts';
import { withDerivedTypes } from '../../model/edm.ts';

/**
 * The values of an entity or a complex value, by the model's names, as JSON.stringify is to write them: with all digits
 * of their numbers.
 */
export function exactValues(declared: StructuredType, row: Row): Row {
  const type = typeOf(declared, row);
  const members = Object.entries(row).map(([name, value]) => {
    const property = type.structuralProperties.get(name);
    const exact = property === undefined ? relatedOf(type, name, value) : exactOf(property, value);
    return [name, exact] as const;
  });
  const { [TYPE]: stated } = row;
  return { ...Object.fromEntries(members), ...(stated !== undefined && { [TYPE]: stated }) };
}

function typeOf(declared: StructuredType, { [TYPE]: name }: Row): StructuredType {
  return withDerivedTypes(declared).find((type) => type.name === name) ?? declared;
}

/** Entities within the entity's own JSON, or else an undeclared property. */
function relatedOf(type: StructuredType, name: string, value: Value): Value {
  const declared = type.navigationProperties.get(name)?.entityType;
  if (declared === undefined || value === null) return untypedValue(value);
  if (!Array.isArray(value)) return exactValues(declared, value as Row);
  return value.map((item) => exactValues(declared, item as Row));
}

const exactNumber = exactNumberWriter({ ieee754Compatible: false, exponentialDecimals: false });

function exactOf(use: Pick<TypeUse, 'type'>, value: Value): Value {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => exactOf(use, item));
  switch (use.type.name) {
    case 'Edm.Int64':
    case 'Edm.Decimal':
      return exactNumber(value);
    case 'Edm.Single':
    case 'Edm.Double':
      return doubleValue(value);
  }
  return use.type.kind === 'complex' ? exactValues(use.type, value as Row) : untypedValue(value);
}
