import { type Row, TYPE, type Value } from '../../contract/entity-source.ts';
import type { Model } from '../../model/edm.ts';
import type { StructuredType } from '../../model/structured-type.ts';
import type { TypeUse } from '../../model/type-use.ts';
import { doubleValue, exactNumberWriter, untypedValue } from './number-writer.ts';

/** The JSON of an entity of the type, by the model's names and with all digits of its numbers. */
export function bodyBytes(model: Model, type: StructuredType, values: Row): Uint8Array {
  return Buffer.from(JSON.stringify(objectOf(model, type, values)));
}

function objectOf(model: Model, { structuralProperties }: StructuredType, values: Row): Row {
  const members = Object.entries(values).map(([name, value]) => {
    const property = structuralProperties.get(name);
    return [name, property === undefined ? untypedValue(value) : jsonOf(model, property, value)] as const;
  });
  return Object.fromEntries(members);
}

const exactNumber = exactNumberWriter({ ieee754Compatible: false, exponentialDecimals: false });

function jsonOf(model: Model, use: Pick<TypeUse, 'type'>, value: Value): Value {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map((item) => jsonOf(model, use, item));
  switch (use.type.name) {
    case 'Edm.Int64':
    case 'Edm.Decimal':
      return exactNumber(value);
    case 'Edm.Single':
    case 'Edm.Double':
      return doubleValue(value);
  }
  const type = use.type.kind === 'complex' ? complexType(model, use.type.name, value as Row) : undefined;
  return type === undefined ? untypedValue(value) : objectOf(model, type, value as Row);
}

function complexType({ complexTypes }: Model, declared: string, value: Row): StructuredType | undefined {
  return complexTypes.get(value[TYPE] ?? declared);
}
