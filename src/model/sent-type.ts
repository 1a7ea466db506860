import type { StructuralProperty, StructuredType, TypeUse, UpstreamPlace } from './edm.ts';
import type { SentProperty, SentType } from './operation.ts';

/** What is sent for values of a type that may be derived from the one that the body's schema is about. */
export function sentAs(sent: SentType | undefined, type: StructuredType): SentType | undefined {
  return sent?.derived.get(type.discriminator?.value ?? '') ?? sent;
}

/** What is sent within the values of a property. */
export function sentWithin(sent: SentType | undefined, place: UpstreamPlace): SentType | undefined {
  return sentAt(sent, place)?.members;
}

function sentAt(
  sent: SentType | undefined,
  { upstreamName, within = [] }: UpstreamPlace,
): SentProperty | undefined {
  const [first, ...deeper] = within;
  if (first === undefined) return sent?.properties.get(upstreamName);
  const holder = sent?.properties.get(first);
  const found = sentAt(holder?.members, { upstreamName, within: deeper });
  // What its holder may be without is not demanded.
  return found && { ...found, required: found.required && holder?.required === true };
}

const UNKNOWN: SentType = { properties: new Map(), derived: new Map() };
const TAKEN = new WeakMap<SentType, WeakMap<StructuredType, ReadonlyMap<string, StructuralProperty>>>();

/**
 * The properties of a type as a body is held against them. What it must have, may leave out or be null is the
 * body's own schema to say, and not that of what is read: of what it does not mention nothing is demanded.
 */
export function takenProperties(
  type: StructuredType,
  sent: SentType | undefined,
): ReadonlyMap<string, StructuralProperty> {
  const key = sentAs(sent, type) ?? UNKNOWN;
  const types = TAKEN.get(key) ?? new WeakMap<StructuredType, ReadonlyMap<string, StructuralProperty>>();
  TAKEN.set(key, types);
  const known = types.get(type);
  if (known !== undefined) return known;
  const { structuralProperties } = type;
  const taken = new Map(
    [...structuralProperties].map(([name, property]) => [
      name,
      takenProperty(property, sentAt(key, property)),
    ]),
  );
  types.set(type, taken);
  return taken;
}

/** A value as a body is held against it, and what is sent within it. */
export interface TakenValue {
  readonly use: TypeUse;
  readonly sent: SentType | undefined;
}

/** The value at a path of properties of a type, the last of which has that use. */
export function takenValue(
  type: StructuredType,
  sent: SentType | undefined,
  [name = '', ...deeper]: readonly string[],
  use: TypeUse,
): TakenValue {
  const property = takenProperties(type, sent).get(name);
  if (property === undefined) return { use, sent: undefined };
  const within = sentWithin(sentAs(sent, type), property);
  const { type: inner, nullable, facets } = property;
  if (deeper.length > 0 && inner.kind === 'complex') return takenValue(inner, within, deeper, use);
  return { use: { ...use, nullable, facets }, sent: within };
}

function takenProperty(property: StructuralProperty, sent: SentProperty | undefined): StructuralProperty {
  if (sent === undefined) return { ...property, nullable: true, required: false, defaultValue: undefined };
  const { required, nullable, computed, defaultValue, primitiveType, facets } = sent;
  const isSame = primitiveType === property.type.name;
  return {
    ...property,
    required: required && !computed,
    nullable,
    computed,
    defaultValue,
    ...(isSame && { facets }),
  };
}
