import type { StructuralProperty, StructuredType, TypeUse, UpstreamPlace } from './edm.ts';
import type { SentProperty, SentType } from './operation.ts';

/** The body schema for a value whose type may be derived from the declared one. */
export function sentAs(sent: SentType | undefined, type: StructuredType): SentType | undefined {
  return sent?.derived.get(type.discriminator?.value ?? '') ?? sent;
}

/** The body schema for values nested in a property. */
export function sentWithin(sent: SentType | undefined, place: UpstreamPlace): SentType | undefined {
  return sentAt(sent, place)?.members;
}

function sentAt(
  sent: SentType | undefined,
  { upstreamName, within = [], aliasOf }: UpstreamPlace & Pick<Partial<StructuralProperty>, 'aliasOf'>,
): SentProperty | undefined {
  const [first, ...deeper] = within;
  if (first === undefined) return sent?.properties.get(upstreamName);
  const holder = sent?.properties.get(first);
  const found = sentAt(holder?.members, { upstreamName, within: deeper });
  if (found === undefined && aliasOf !== undefined && deeper.length === 0 && holder?.isScalar === true)
    return holder;
  // A required member of an optional object is not required.
  return found && { ...found, required: found.required && holder?.required === true };
}

/**
 * Whether a body has the key of a related entity under the name of the object that has it in answers: `vrf: 7` for
 * `vrf: {id: 7}`.
 */
export function isBareKey(sent: SentType | undefined, property: StructuralProperty): boolean {
  const { aliasOf, within: [holder, ...deeper] = [], upstreamName } = property;
  if (aliasOf === undefined || holder === undefined || deeper.length > 0) return false;
  const found = sent?.properties.get(holder);
  return found?.isScalar === true && found.members?.properties.has(upstreamName) !== true;
}

const UNKNOWN: SentType = { properties: new Map(), derived: new Map() };
const TAKEN = new WeakMap<SentType, WeakMap<StructuredType, ReadonlyMap<string, StructuralProperty>>>();

/**
 * The properties of a type with the nullability and requirements of a body's own schema, which may differ
 * from the schema for reading. Properties that the body's schema lacks are not required.
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

/** A value with the requirements of the body's schema, and its nested schema. */
export interface TakenValue {
  readonly use: TypeUse;
  readonly sent: SentType | undefined;
}

/** The value at a path of properties; `use` is the type of the last one. */
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
