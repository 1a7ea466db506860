import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { JsonPathTracker } from './json-path-tracker.ts';
import { StructuralReaders } from './structural-reader.ts';
import { valueAt } from './wrapped-value.ts';

/** Reads the key of an entity: an object that has its properties, or the value of the only one. */
export function keyReader({ key, structuralProperties, name }: EntityType) {
  const readers = new StructuralReaders('complete');
  const parts = key.flatMap((part) => {
    const property = structuralProperties.get(part);
    return property === undefined ? [] : [{ part, property, read: readers.use(property) }];
  });
  return (value: unknown, trail: JsonPathTracker): Row => {
    const isObject = typeof value === 'object' && value !== null && !(value instanceof Number);
    if (!isObject && parts.length !== 1) throw trail.misfit(`the key of ${name}`, value);
    const values = parts.map(({ part, property: { upstreamName, within = [] }, read }) => {
      const found = isObject ? valueAt(value, [...within, upstreamName]) : value;
      if (found === null || found === undefined) throw trail.misfit(`the key of ${name}`, value);
      return [part, read(found, trail)] as const;
    });
    return Object.fromEntries(values);
  };
}
