import { type Row, TYPE, type Value } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { TypeUse } from '../../../model/type-use.ts';
import { doubleValue, exactNumberWriter, untypedValue } from '../json/number-writer.ts';
import type { ReadObject } from './body-reading.ts';
import { type BodyType, qualifiedName } from './body-types.ts';

/**
 * The JSON of an entity, by the model's names and with all digits of its numbers. Where a type is not the
 * declared one, control information says it; related entities are within it where they are in the upstream's.
 */
export function bodyBytes(model: Model, entity: ReadObject<EntityType>): Uint8Array {
  return Buffer.from(JSON.stringify(entityOf(model, entity)));
}

function entityOf(model: Model, { declared, type, values, nested }: ReadObject<EntityType>): Row {
  const embedded = nested.filter(({ property }) => property.origin.kind === 'embedded');
  const related = embedded.map(({ property, entities }): [string, Value] => {
    const items = entities.map((entity) => entityOf(model, entity));
    return [property.name, property.collection ? items : (items[0] ?? null)];
  });
  return { ...objectOf(model, declared, type, values), ...Object.fromEntries(related) };
}

function objectOf(model: Model, declared: BodyType, type: BodyType, values: Row): Row {
  const members = Object.entries(values).map(([name, value]) => {
    const property = type.structuralProperties.get(name);
    return [
      name,
      property === undefined ? relatedOf(model, type, name, value) : jsonOf(model, property, value),
    ];
  });
  const stated = type === declared ? {} : { '@odata.type': `#${qualifiedName(type)}` };
  return { ...stated, ...Object.fromEntries(members) };
}

/** Entities within the entity's own JSON, or else an undeclared property. */
function relatedOf(model: Model, type: BodyType, name: string, value: Value): Value {
  const related = model.entityTypes.get(type.navigationProperties.get(name)?.entityType ?? '');
  if (related === undefined || value === null) return untypedValue(value);
  if (!Array.isArray(value)) return objectOf(model, related, related, value as Row);
  return value.map((item) => objectOf(model, related, related, item));
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
  const declared = use.type.kind === 'complex' ? model.complexTypes.get(use.type.name) : undefined;
  if (declared === undefined) return untypedValue(value);
  const type = model.complexTypes.get((value as Row)[TYPE] ?? declared.name) ?? declared;
  return objectOf(model, declared, type, value as Row);
}
