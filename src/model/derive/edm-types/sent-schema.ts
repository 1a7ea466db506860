import { type Schema, schemaProperties } from '../../../openapi/schemas/schema.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';

/** The schema of the entity in an operation's body; undefined where the document does not say what the body has. */
export function sentSchema(
  { read }: Derivation,
  { requestBody, form }: DocumentOperation,
  wrappedIn: string | undefined,
): Schema | undefined {
  const written = requestBody ?? form;
  const whole = written && read(written);
  const inner = wrappedIn === undefined ? undefined : whole && schemaProperties(whole).get(wrappedIn);
  return inner === undefined ? whole : read(inner);
}
