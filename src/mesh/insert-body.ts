import { GatewayError } from '../contract/gateway-error.ts';
import type { EntityType, InsertOperation, Model } from '../model/edm.ts';
import type { StructuralProperty } from '../model/structured-type.ts';
import type { TypeName } from '../model/type-use.ts';

/**
 * What is sent to create an entity: the client's bytes, or the same entity under the upstream's names
 * and with its values of enumerations, at every depth. Numbers keep their digits.
 */
export function insertBody(
  model: Model,
  { structuralProperties }: EntityType,
  { verbatim }: InsertOperation,
  body: Uint8Array,
): Uint8Array {
  if (verbatim) return body;
  return Buffer.from(JSON.stringify(renamed(model, structuralProperties, parseEntity(body))));
}

type Properties = ReadonlyMap<string, StructuralProperty>;

function renamed(model: Model, properties: Properties, object: object): object {
  const members = Object.entries(object).map(([name, value]) => {
    const property = properties.get(name);
    if (property === undefined) return [name, value];
    return [property.upstreamName, upstreamValue(model, property.type, value)];
  });
  return Object.fromEntries(members);
}

function upstreamValue(model: Model, type: TypeName, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => upstreamValue(model, type, item));
  switch (type.kind) {
    case 'enumeration':
      return memberValue(model, type.name, value);
    case 'complex': {
      const complex = model.complexTypes.get(type.name);
      const isKnown = complex !== undefined && typeof value === 'object' && value !== null;
      return isKnown ? renamed(model, complex.structuralProperties, value) : value;
    }
    case 'primitive':
    case 'entity':
      return value;
  }
}

/** Names of several flags are separated by commas (JSON Format, 7.1). */
function memberValue(model: Model, typeName: string, value: unknown): unknown {
  const type = model.enumerationTypes.get(typeName);
  if (type === undefined || typeof value !== 'string') return value;
  const find = (name: string) => type.members.find((member) => member.name === name.trim());
  const member = find(value);
  if (member !== undefined || !type.flags) return member?.upstreamValue ?? value;
  const flags = value.split(',').map(find);
  const known = flags.filter((flag) => flag !== undefined);
  if (known.length < flags.length) return value;
  const isSum = known.every(({ upstreamValue: sent }) => typeof sent === 'number');
  return isSum
    ? known.reduce((sum, flag) => sum | Number(flag.upstreamValue), 0)
    : known.map(({ upstreamValue: sent }) => sent).join(',');
}

/** JSON.stringify writes what this gives as it stands; the name is not in TypeScript's library yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

function keepNumber(this: unknown, _: string, value: unknown, { source }: { source?: string } = {}): unknown {
  const isChanged = typeof value === 'number' && source !== undefined && String(value) !== source;
  return isChanged ? rawJSON(source) : value;
}

function parseEntity(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'), keepNumber);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Said below: whatever the mistake is, it is the same to the client.
  }
  throw new GatewayError('BadRequest', 'The body must be a JSON object.');
}
