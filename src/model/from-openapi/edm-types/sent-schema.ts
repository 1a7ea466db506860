import type { Derivation } from '../derivation.ts';
import type { DocumentOperation } from '../document/document-operation.ts';
import { type Schema, schemaProperties } from '../schemas/schema.ts';

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
