import { writeValue } from '../../service/entity.ts';
import type { Property } from '../../service/metadata.ts';
import { writeGeography } from './geography-text.ts';
import { isGeographic } from './primitive-value.ts';

/** A property's value as text for people; items have a line each. */
export function describeValue(property: Property, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (property.isCollection && Array.isArray(value)) {
    return value.map((item) => describeOne(property, item)).join('\n');
  }
  return describeOne(property, value);
}

function describeOne({ type }: Property, value: unknown): string {
  if (type.kind !== 'primitive') return writeValue(value);
  if (type.name === 'Edm.Boolean' && typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (type.name === 'Edm.DateTimeOffset' && typeof value === 'string')
    return new Date(value).toLocaleString();
  return isGeographic(type.name) ? writeGeography(value) : writeValue(value);
}
