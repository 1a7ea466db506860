import { keyword, type Schema, schemaProperties } from '../../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { NamedProperty } from './structural-property.ts';

/** Whether objects of a schema have a property where an entity has it. */
export function hasProperty(
  derivation: Derivation,
  schema: Schema,
  { upstreamName, within: [holder, ...deeper] = [] }: Pick<NamedProperty, 'upstreamName' | 'within'>,
): boolean {
  const properties = schemaProperties(schema);
  if (holder === undefined) return properties.has(upstreamName);
  const node = properties.get(holder);
  const held = node && derivation.read(node);
  if (held === undefined) return false;
  return takesOthers(held) || hasProperty(derivation, held, { upstreamName, within: deeper });
}

/** Whether objects of a schema may have properties that it does not name. */
export function takesOthers(schema: Schema): boolean {
  const additional = keyword(schema, 'additionalProperties');
  return schema.alternatives.length > 0 || (additional !== undefined && additional.value !== false);
}
