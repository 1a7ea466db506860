import type { Derivation } from '../derivation.ts';
import type { DocumentOperation } from '../document/document-operation.ts';
import { requiredNames, type Schema, schemaProperties } from '../schemas/schema.ts';
import type { NamedProperty } from './structural-property.ts';

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

/** The properties of an entity without which the operation does not take it. */
export function requiredProperties(
  derivation: Derivation,
  operation: DocumentOperation,
  properties: readonly NamedProperty[],
  wrappedIn: string | undefined,
): readonly string[] {
  const body = sentSchema(derivation, operation, wrappedIn);
  const required = body === undefined ? new Set() : requiredNames(body);
  return properties.filter(({ upstreamName }) => required.has(upstreamName)).map(({ name }) => name);
}
