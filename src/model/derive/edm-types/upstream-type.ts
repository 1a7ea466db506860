import { isArraySchema, itemNode, jsonTypes, type Schema } from '../../../openapi/schemas/schema.ts';
import type { JsonType } from '../../type-use.ts';
import type { Derivation } from '../operations/derivation.ts';

const JSON_TYPES: readonly JsonType[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** The JSON types that a schema allows its values beside null, or the items of its arrays. */
export function upstreamTypes({ read }: Derivation, schema: Schema): readonly JsonType[] {
  const items = isArraySchema(schema) ? itemNode(schema) : undefined;
  const value = items === undefined ? schema : read(items);
  if (value === undefined) return [];
  const branches = value.alternatives.flatMap((branch) => read(branch) ?? []);
  const allowed = new Set([value, ...branches].flatMap(jsonTypes));
  return JSON_TYPES.filter((type) => allowed.has(type) && !(type === 'integer' && allowed.has('number')));
}
