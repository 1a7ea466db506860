import { type Row, scalarText, TYPE, type Value } from '../../contract/row.ts';
import { isObject, type JsonObject } from '../../core/json-object.ts';
import {
  type EntityType,
  isReadable,
  type NavigationProperty,
  type ReferenceForm,
  type StructuralProperty,
  type StructuredType,
  type TypeUse,
  type UpstreamPlace,
  upstreamPath,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { JsonValues } from './json-leaf.ts';
import {
  enumeration,
  type FoldedNames,
  foldedMember,
  foldNames,
  items,
  type JsonPathTracker,
  type Lenience,
  lenientItems,
  type Mismatch,
  memberInAnyCase,
  orNull,
  primitive,
  untyped,
  type ValueReader,
} from './value-reader.ts';

/** The requested properties: names of the type or derived types. */
export interface WantedProperties {
  readonly properties: readonly string[];
  /** True to include undeclared properties. */
  readonly dynamic: boolean;
}

/** `partial`: what is missing or null is taken for null, also where a strict document promises a value. */
export type Completeness = 'complete' | 'partial';

/** A use of a type, and what a document says of the values' JSON. */
export type ValueUse = Pick<TypeUse, 'type' | 'collection' | 'nullable'> & JsonValues;

/** Reads one entity into a row. */
export type ObjectReader = (object: unknown, trail: JsonPathTracker) => Row;

/**
 * Compiles readers of what the upstream sent: values of any type at every depth, each converted by its
 * type into a new one.
 *
 * An object is of the type that its discriminator names. A type may refer to itself; the data's own depth
 * is the bound. With a `lenience`, what is not as the model has it is read as far as it can be, and null otherwise;
 * but for keys of the entities asked for.
 */
export class StructuralReaders {
  readonly #completeness: Completeness;
  readonly #lenience: Lenience | undefined;
  readonly #known = new Map<string, ObjectReader>();

  constructor(completeness: Completeness, lenience?: Lenience) {
    this.#completeness = completeness;
    this.#lenience = lenience;
  }

  /** Rows with just what is wanted, in that order, as far as the row's type has it. */
  entity(declared: StructuredType, { properties, dynamic }: WantedProperties): ObjectReader {
    return this.#ofFamily(declared, (type) => {
      const wanted = properties.flatMap((name) => this.#memberNamed(type, name, keyOf(declared)) ?? []);
      return objectReader(wanted, dynamic ? undeclaredIn(type) : undefined);
    });
  }

  /**
   * `place` names the values where they are not as they should be; without it that is an error. Entities that stand
   * in those of an entity type are read by their navigation properties, where these are named.
   */
  use(use: ValueUse, place?: string, embedded: readonly string[] = []): ValueReader {
    const { type, collection, nullable } = use;
    const note = this.#misfitAt(place);
    const some = this.#single(use, note, embedded);
    if (!collection) return orNull(some);
    if (type.kind === 'entity') return entities(type.name, some, note);
    if (note !== undefined) return lenientItems(orNull(some), note);
    return items(type.kind === 'complex' && !nullable ? some : orNull(some));
  }

  #misfitAt(place: string | undefined): Mismatch {
    const lenience = this.#lenience;
    if (lenience === undefined || place === undefined) return undefined;
    return (expected, found) => lenience(place, expected, found);
  }

  #single({ type, ...values }: ValueUse, note: Mismatch, embedded: readonly string[]): ValueReader {
    switch (type.kind) {
      case 'primitive':
        return primitive(type.name, values, note);
      case 'enumeration':
        return enumeration(type, note);
      case 'complex':
        return objectOrNull(type.name, this.#whole(type), note);
      case 'entity':
        return objectOrNull(type.name, this.#entityWith(type, embedded), note);
    }
  }

  #entityWith(declared: EntityType, embedded: readonly string[]): ValueReader {
    if (embedded.length === 0) return this.#whole(declared);
    const readable = withDerivedTypes(declared).flatMap(({ structuralProperties }) =>
      [...structuralProperties.values()].filter(isReadable).map((property) => property.name),
    );
    const properties = [...new Set([...readable, ...embedded])];
    return this.entity(declared, { properties, dynamic: true });
  }

  /**
   * With all structural properties, and the entities that stand in the value. Types may refer to themselves, so it is
   * compiled when it is first used.
   */
  #whole(declared: StructuredType): ValueReader {
    return (value, trail) => {
      let read = this.#known.get(declared.name);
      if (read === undefined) {
        read = this.#ofFamily(declared, (type) => {
          const readable = [...type.structuralProperties.values()].filter(isReadable);
          const structural = readable.map((property) => this.#member(type, property, NO_KEY));
          const embedded = [...type.navigationProperties.keys()].flatMap(
            (name) => this.#memberNamed(type, name, NO_KEY) ?? [],
          );
          return objectReader([...structural, ...embedded], undeclaredIn(type));
        });
        this.#known.set(declared.name, read);
      }
      return read(value, trail);
    };
  }

  #ofFamily(declared: StructuredType, compile: (type: StructuredType) => MemberReader): ObjectReader {
    const family = withDerivedTypes(declared);
    const readers = new Map(family.map((type) => [type, compile(type)]));
    const typeOf = actualType(declared, family, this.#lenience);
    return (object, trail) => {
      if (!isObject(object)) throw trail.misfit(`a value of ${declared.name}`, object);
      trail.enter();
      const type = typeOf(object, trail);
      const row: Record<string | symbol, Value> = {};
      readers.get(type)?.(object, row, trail);
      if (type !== declared) row[TYPE] = type.name;
      trail.leave();
      return row;
    };
  }

  #memberNamed(type: StructuredType, name: string, key: readonly string[]): Member | undefined {
    const structural = type.structuralProperties.get(name);
    if (structural !== undefined) return this.#member(type, structural, key);
    const navigation = type.navigationProperties.get(name);
    return navigation?.origin.kind === 'embedded'
      ? this.#embedded(type, navigation, navigation.origin)
      : undefined;
  }

  #member(type: StructuredType, property: StructuralProperty, key: readonly string[]): Member {
    const { name, upstreamName, within, reference } = property;
    const read = this.use(property, key.includes(name) ? undefined : propertyLabel(type, property));
    const member = { name, upstreamName, within, isRequired: this.#isRequired(property) };
    if (reference === undefined) return { ...member, read };
    const [holder = upstreamName, ...outer] = within?.toReversed() ?? [];
    const readKey: ValueReader = (value, trail) => read(referencedKey(value, upstreamName, reference), trail);
    return { ...member, upstreamName: holder, within: outer.toReversed(), read: readKey };
  }

  #isRequired({ promised }: Pick<StructuralProperty, 'promised'>): boolean {
    return this.#completeness === 'complete' && promised === true;
  }

  #embedded(
    owner: StructuredType,
    { name, entityType, collection }: NavigationProperty,
    origin: EmbeddedOrigin,
  ): Member {
    const use = { type: entityType, collection, nullable: true, facets: {} };
    const { upstreamName, within } = origin;
    const read = this.use(use, propertyLabel(owner, origin));
    return { name, upstreamName, within, read, isRequired: this.#isRequired(origin) };
  }
}

type EmbeddedOrigin = Extract<NavigationProperty['origin'], { kind: 'embedded' }>;

/** The names of an entity type's key, whose values are as they should be or an error; a complex type has none. */
function keyOf(type: StructuredType): readonly string[] {
  return 'key' in type && Array.isArray(type.key) ? type.key : NO_KEY;
}

const NO_KEY: readonly string[] = [];

/**
 * OData JSON Format 4.01, section 8.3: a collection of entities has no nulls. Where that is no error, they are left
 * out.
 */
function entities(name: string, read: ValueReader, note: Mismatch): ValueReader {
  if (note === undefined) return items(read);
  const noted: ValueReader = (value, trail) => {
    if (value !== null && value !== undefined) return read(value, trail);
    note(`a value of ${name}`, value);
    return null;
  };
  const readItems = lenientItems(noted, note);
  return (value, trail) => (readItems(value, trail) as readonly Value[]).filter((item) => item !== null);
}

/** Null for what is no object. */
function objectOrNull(name: string, read: ValueReader, note: Mismatch): ValueReader {
  if (note === undefined) return read;
  return (value, trail) => {
    if (isObject(value)) return read(value, trail);
    note(`a value of ${name}`, value);
    return null;
  };
}

/** The name of a property in messages: `Order/total`, `Order/attributes/total`. */
export function propertyLabel({ name }: StructuredType, place: UpstreamPlace): string {
  return [name, ...upstreamPath(place)].join('/');
}

interface Member extends UpstreamPlace {
  readonly name: string;
  readonly read: ValueReader;
  readonly isRequired: boolean;
}
type MemberReader = (object: JsonObject, row: Record<string, Value>, trail: JsonPathTracker) => void;

function objectReader(members: readonly Member[], readUndeclared: MemberReader | undefined): MemberReader {
  return (object, row, trail) => {
    let folded: FoldedNames | undefined;
    for (const { name, upstreamName, within, read, isRequired } of members) {
      trail.at(upstreamName);
      let value: unknown;
      if (within !== undefined) value = memberWithin(object, within, upstreamName);
      else if (Object.hasOwn(object, upstreamName)) value = object[upstreamName];
      else {
        folded ??= foldNames(object);
        value = foldedMember(object, folded, upstreamName);
      }
      if (isRequired && (value === null || value === undefined)) throw trail.misfit('a value', value);
      row[name] = read(value, trail);
    }
    readUndeclared?.(object, row, trail);
  };
}

/** The key, or the keys, of related entities in the value that refers to them; null without a key. */
function referencedKey(value: unknown, member: string, { behind }: ReferenceForm): unknown {
  if (Array.isArray(value)) return value.map((item) => referencedKey(item, member, { behind }));
  const found = isObject(value) ? memberInAnyCase(value, member) : value;
  return behind !== undefined && typeof found === 'string' ? keyInUrl(found, behind) : found;
}

/** The segment of a URL's path behind those, which may be followed by nothing but a slash. */
function keyInUrl(url: string, behind: readonly string[]): string | null {
  const [path = ''] = url.split(/[?#]/, 1);
  const segments = path.split('/').filter((segment) => segment !== '');
  const key = segments.pop();
  const isThere = behind.every((segment, index) => segments.at(index - behind.length) === segment);
  return key === undefined || !isThere ? null : decodedSegment(key);
}

function decodedSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** The nested object at a path, if any. */
export function holderWithin(object: JsonObject, within: readonly string[]): JsonObject | undefined {
  let holder: JsonObject = object;
  for (const name of within) {
    const next = memberInAnyCase(holder, name);
    if (!isObject(next)) return undefined;
    holder = next;
  }
  return holder;
}

function memberWithin(object: JsonObject, within: readonly string[], name: string): unknown {
  const holder = holderWithin(object, within);
  return holder && memberInAnyCase(holder, name);
}

/** The object's own type; the declared one where its discriminator says nothing that is known. */
function actualType(
  declared: StructuredType,
  family: readonly StructuredType[],
  lenience: Lenience | undefined,
): (object: JsonObject, trail: JsonPathTracker) => StructuredType {
  const { discriminator, abstract } = declared;
  if (discriminator === undefined) return () => declared;
  const types = byDiscriminator(family);
  const { upstreamName } = discriminator;
  const isPromised = propertyOf(declared, upstreamName)?.promised === true;
  return (object, trail) => {
    const value = memberInAnyCase(object, upstreamName);
    const type = types.get(scalarText(value) ?? value) ?? declared;
    const isMissing = isPromised && (value ?? undefined) === undefined;
    if (!isMissing && (type !== declared || !abstract)) return type;
    if (lenience !== undefined) {
      lenience(
        `${declared.name}/${upstreamName}`,
        `the discriminator of a type derived from ${declared.name}`,
        value,
      );
      return declared;
    }
    trail.at(upstreamName);
    throw trail.misfit(`the discriminator of a type derived from ${declared.name}`, value);
  };
}

function propertyOf({ structuralProperties }: StructuredType, name: string): StructuralProperty | undefined {
  return [...structuralProperties.values()].find(({ upstreamName }) => upstreamName === name);
}

/** The types of a family by the values that the discriminator has for each. */
export function byDiscriminator(family: readonly StructuredType[]): ReadonlyMap<unknown, StructuredType> {
  return new Map(
    family.flatMap((type) => {
      const { value, otherValues = [] } = type.discriminator ?? {};
      const values = value === undefined ? otherValues : [value, ...otherValues];
      return values.map((each) => [each, type] as const);
    }),
  );
}

/** CSDL 4.01, 15.2: what may be the name of a dynamic property. */
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

/** Values of an open type show what the upstream has beside the declared properties (CSDL 4.01, 6.3 and 9.3). */
function undeclaredIn(type: StructuredType): MemberReader | undefined {
  if (!type.open) return undefined;
  const declared = declaredNames(type);
  return (object, row, trail) => {
    for (const [name, value] of Object.entries(object)) {
      const isUndeclared = !declared.has(name.toLowerCase()) && !Object.hasOwn(row, name);
      if (!isUndeclared || name === '__proto__' || !IDENTIFIER.test(name)) continue;
      trail.at(name);
      row[name] = untyped(value, trail);
    }
  };
}

/** The declared names in lower case: names that differ in case only are the same. */
function declaredNames(type: StructuredType): ReadonlySet<string> {
  const { structuralProperties, navigationProperties, discriminator } = type;
  const embedded = [...navigationProperties.values()].flatMap(({ origin }) =>
    origin.kind === 'embedded' ? [firstStep(origin)] : [],
  );
  const structural = [...structuralProperties.values()].map(firstStep);
  const ofType = discriminator === undefined ? [] : [discriminator.upstreamName];
  // A property of the model's that is not wanted is not one of those that no type declares.
  const names = [...structural, ...embedded, ...ofType, ...structuralProperties.keys()];
  return new Set(names.map((name) => name.toLowerCase()));
}

/** The member of the object itself that holds a value. */
function firstStep({ upstreamName, within = [] }: UpstreamPlace): string {
  return within[0] ?? upstreamName;
}
