import { doubleValue, exactNumberWriter, untypedValue } from '../../contract/exact-number.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type { TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { familyOf, type NamedType } from '../fields/type-hierarchy.ts';

/**
 * The values of an entity or a complex value, by the model's names, as JSON.stringify is to write them: with all digits
 * of their numbers.
 */
export function exactValues(model: Model, declared: NamedType, row: Row): Row {
  const type = typeOf(model, declared, row);
  const members = Object.entries(row).map(([name, value]) => {
    const property = type.structuralProperties.get(name);
    const exact =
      property === undefined ? relatedOf(model, type, name, value) : exactOf(model, property, value);
    return [name, exact] as const;
  });
  const { [TYPE]: stated } = row;
  return { ...Object.fromEntries(members), ...(stated !== undefined && { [TYPE]: stated }) };
}

function typeOf(model: Model, declared: NamedType, { [TYPE]: name }: Row): NamedType {
  return familyOf(model, declared).find((type) => type.name === name) ?? declared;
}

/** Entities within the entity's own JSON, or else an undeclared property. */
function relatedOf(model: Model, type: NamedType, name: string, value: Value): Value {
  const declared = model.entityTypes.get(type.navigationProperties.get(name)?.entityType ?? '');
  if (declared === undefined || value === null) return untypedValue(value);
  if (!Array.isArray(value)) return exactValues(model, declared, value as Row);
  return value.map((item) => exactValues(model, declared, item as Row));
}

const exactNumber = exactNumberWriter({ ieee754Compatible: false, exponentialDecimals: false });

function exactOf(model: Model, use: Pick<TypeUse, 'type'>, value: Value): Value {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => exactOf(model, use, item));
  switch (use.type.name) {
    case 'Edm.Int64':
    case 'Edm.Decimal':
      return exactNumber(value);
    case 'Edm.Single':
    case 'Edm.Double':
      return doubleValue(value);
  }
  const declared = use.type.kind === 'complex' ? model.complexTypes.get(use.type.name) : undefined;
  if (declared === undefined) return untypedValue(value);
  return exactValues(model, declared, value as Row);
}
