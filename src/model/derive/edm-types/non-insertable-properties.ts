import { isTrue } from '../../../openapi/document/document-node.ts';
import { isObjectSchema, keyword, schemaProperties } from '../../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import { hasProperty, takesOthers } from './has-property.ts';
import { sentSchema } from './sent-schema.ts';
import type { NamedProperty } from './structural-property.ts';

/**
 * The properties of an entity that the body of an operation does not have, beside those that are the
 * upstream's to give. None where the document does not say what the body has.
 */
export function nonInsertableProperties(
  derivation: Derivation,
  operation: DocumentOperation,
  properties: readonly NamedProperty[],
  wrappedIn: string | undefined,
): readonly string[] {
  const body = sentSchema(derivation, operation, wrappedIn);
  if (body === undefined || !isObjectSchema(body) || takesOthers(body)) return [];
  const taken = schemaProperties(body);
  if (taken.size === 0) return [];
  return properties
    .filter((property) => !hasProperty(derivation, body, property))
    .filter(({ schema }) => !isTrue(keyword(schema, 'readOnly')))
    .map(({ name }) => name);
}
