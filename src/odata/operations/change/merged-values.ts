import { type Row, TYPE, type Value } from '../../../contract/entity-source.ts';
import type { Model } from '../../../model/edm.ts';
import type { StructuredType } from '../../../model/structured-type.ts';
import { filledValue } from './omitted-values.ts';

/**
 * What is there with what a client changes of it. Of a complex value, too, the client gives a part; the items of a
 * collection are new, as a value is where there was none (Part 1, 11.4.3). `type` is that of the whole, where it is
 * known.
 */
export function mergedValues(model: Model, type: StructuredType | undefined, present: Row, change: Row): Row {
  const members = Object.entries(change).map(([name, value]) => {
    const property = type?.structuralProperties.get(name);
    const before = present[name];
    if (!isRow(value) || !isRow(before)) {
      return [name, property === undefined ? value : filledValue(model, property, value)] as const;
    }
    const complex = model.complexTypes.get(value[TYPE] ?? property?.type.name ?? '');
    return [name, mergedValues(model, complex, before, value)] as const;
  });
  return { ...present, ...Object.fromEntries(members) };
}

export function isRow(value: Value | undefined): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
