import { GatewayError } from '../contract/gateway-error.ts';
import type { EntityType, InsertOperation } from '../model/edm.ts';

/** What is sent to create an entity: the client's bytes, or the same entity under the upstream's names. */
export function insertBody(
  { properties }: EntityType,
  { verbatim }: InsertOperation,
  body: Uint8Array,
): Uint8Array {
  if (verbatim) return body;
  const names = new Map(Array.from(properties.values(), ({ name, upstreamName }) => [name, upstreamName]));
  const renamed = Object.entries(parseEntity(body)).map(([name, value]) => [names.get(name) ?? name, value]);
  return Buffer.from(JSON.stringify(Object.fromEntries(renamed)));
}

function parseEntity(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below: whatever the mistake is, it is the same to the client.
  }
  throw new GatewayError('BadRequest', 'The body must be a JSON object.');
}
