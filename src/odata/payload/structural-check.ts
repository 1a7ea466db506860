import type { Model } from '../../model/edm.ts';
import type { StructuralProperty } from '../../model/structured-type.ts';
import type { TypeName } from '../../model/type-use.ts';

/** A value that does not fit its property: the property's name, what was expected, and what is there. */
export interface StructuralMismatch {
  readonly name: string;
  readonly expected: string;
  readonly found: unknown;
}

type FitsPrimitive = (value: unknown, type: string) => boolean;

/** Finds the values, at every depth, that do not fit their properties. Null fits, as do unknown names. */
export function findMismatches(
  model: Model,
  properties: ReadonlyMap<string, StructuralProperty>,
  object: object,
  fits: FitsPrimitive,
): readonly StructuralMismatch[] {
  return Object.entries(object).flatMap(([name, value]) => {
    const property = properties.get(name);
    if (property === undefined || value === null) return [];
    if (!property.collection) return ofValue(model, name, property.type, value, fits);
    if (!Array.isArray(value)) return [{ name, expected: 'an array', found: value }];
    return value.flatMap((item) => (item === null ? [] : ofValue(model, name, property.type, item, fits)));
  });
}

function ofValue(
  model: Model,
  name: string,
  type: TypeName,
  value: unknown,
  fits: FitsPrimitive,
): readonly StructuralMismatch[] {
  switch (type.kind) {
    case 'primitive':
      return fits(value, type.name) ? [] : [{ name, expected: type.name, found: value }];
    case 'enumeration': {
      const isMember = typeof value === 'string' || typeof value === 'number';
      return isMember ? [] : [{ name, expected: `a member of ${type.name}`, found: value }];
    }
    case 'complex': {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        return [{ name, expected: 'an object', found: value }];
      }
      const properties = model.complexTypes.get(type.name)?.structuralProperties;
      return properties === undefined ? [] : findMismatches(model, properties, value, fits);
    }
    case 'entity':
      return [];
  }
}
