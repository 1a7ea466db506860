import { isObjectSchema, type Schema, schemaProperties } from '../../../openapi/schemas/schema.ts';

/** The members of a resource object (JSON:API 1.1, 5.2). */
const MEMBERS: ReadonlySet<string> = new Set([
  'id',
  'lid',
  'type',
  'attributes',
  'relationships',
  'links',
  'meta',
]);

/** The member that holds what the resource is. */
export const ATTRIBUTES = 'attributes';

/**
 * Whether the values of a schema are resource objects of JSON:API: what stands in their `attributes` is said of the
 * resource, as much as its `id` is.
 */
export function isResourceObject(schema: Schema): boolean {
  if (!isObjectSchema(schema) || schema.alternatives.length > 0) return false;
  const names = [...schemaProperties(schema).keys()];
  return names.includes('type') && names.includes(ATTRIBUTES) && names.every((name) => MEMBERS.has(name));
}
