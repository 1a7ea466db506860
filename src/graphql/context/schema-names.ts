import type { ModelType } from '../../engine/typing/expression-type.ts';
import { type EntitySet, type EntityType, type EnumerationType, withDerivedTypes } from '../../model/edm.ts';
import { madeOnce } from '../../model/maps.ts';
import type { Model } from '../../model/model.ts';
import { claimName, freeName, singularOf } from '../../model/names.ts';
import {
  declaredMembers,
  elementOf,
  type InputMember,
  type Member,
  unseenMembers,
  wantedName,
} from './members.ts';
import { capitalized, fieldName, isName, pluralName, typeName } from './names.ts';

/** Names of fields to what they show, in the model's order. */
type FieldMembers = ReadonlyMap<string, Member>;

/** The names of the root fields of an entity set. */
interface SetNames {
  readonly one: string;
  readonly list: string;
  readonly connection: string;
  /** What stands behind `create` and its like. */
  readonly changed: string;
  /** Whether the set is one over owners: one by one, its entities are those that its owners contain. */
  readonly isOverOwners: boolean;
}

/**
 * What the model's elements are called in GraphQL: types as in the model, fields in camelCase. They are made of the
 * whole model, so that nobody's schema has another name for the same thing; names that clash are told apart by
 * numbers, in the model's order.
 */
export interface SchemaNames {
  typeOf(name: string): string;
  /** The object type of entities that are of a type others are derived from: its own name is the interface's. */
  objectOf(name: string): string;
  /** What a type has, be it of the whole model or of what somebody may know of: the names are the whole model's. */
  membersOf(type: ModelType): FieldMembers;
  /** What may be said of values of the type in a change, write-only properties included. */
  inputsOf(type: ModelType): ReadonlyMap<string, InputMember>;
  setOf(set: EntitySet): SetNames;
  /** Root fields that stand for one element of the container each: singletons and imports. */
  rootOf(name: string): string;
  /** A name for a type of which the model knows nothing: `PostFilter` for `Post` and `Filter`. */
  generated(type: string, suffix: string): string;
  valuesOf(type: EnumerationType): ReadonlyMap<string, string>;
}

/** The names of the types that every schema may have. */
const RESERVED = [
  ...['Query', 'Mutation', 'Subscription', 'Int', 'Float', 'String', 'Boolean', 'ID'],
  ...['Long', 'Decimal', 'Date', 'DateTime', 'TimeOfDay', 'Duration', 'UUID', 'Base64', 'JSON', 'GeoJSON'],
  ...['SortDirection', 'PageInfo', 'MediaStream'],
];

/** What means something else in the conditions of `where`. */
const OPERATORS = ['and', 'or', 'not', 'ofType'];

export function schemaNames(model: Model): SchemaNames {
  const taken = new Set(RESERVED);
  const types = new Map(
    [...model.entityTypes.values(), ...model.complexTypes.values(), ...model.enumerationTypes.values()].map(
      ({ name }) => [name, claimName(typeName(name), taken)],
    ),
  );
  const objects = new Map<string, string>();
  const typeOf = (name: string): string => types.get(name) ?? typeName(name);
  for (const type of [...model.entityTypes.values(), ...model.complexTypes.values()]) {
    // A value may be of none of the types that an abstract one is there for, too: the upstream says what it likes.
    objects.set(
      type.name,
      hasDerived(type) ? claimName(`Plain${typeOf(type.name)}`, taken) : typeOf(type.name),
    );
  }
  const own: ReadonlySet<string> = new Set(taken);
  const roots = rootNames(model);
  const fields = new Map<string, FieldNames>();
  const members = new WeakMap<ModelType, FieldMembers>();
  const generated = new Map<string, string>();
  const fieldsOf = (type: ModelType): FieldNames => {
    const whole = model.entityTypes.get(type.name) ?? model.complexTypes.get(type.name) ?? type;
    return madeOnce(fields, type.name, () => fieldNames(whole, whole.base && fieldsOf(whole.base)));
  };
  const membersOf = (type: ModelType): FieldMembers =>
    madeOnce(members, type, () => namedMembers(type, fieldsOf(type), type.base && membersOf(type.base)));
  return {
    typeOf,
    objectOf: (name) => objects.get(name) ?? typeOf(name),
    membersOf,
    inputsOf: (type) => namedInputs(type, membersOf(type), fieldsOf(type)),
    setOf: ({ name }) => roots.sets.get(name) ?? setNames(fieldName(name), new Set()),
    rootOf: (name) => roots.others.get(name) ?? fieldName(name),
    generated(type, suffix) {
      const plain = `${type}${suffix}`;
      const separate = `${type}_${suffix}`;
      const wanted = isOfLongerName(plain, type, own) ? separate : plain;
      // A type of the model may be named so.
      return madeOnce(generated, separate, () =>
        claimName(taken.has(wanted) ? `${wanted}Type` : wanted, taken),
      );
    },
    valuesOf: enumValues,
  };
}

/**
 * Whether a name may be made of a longer type's, too: `RoleGroupKey` is the key of a `RoleGroup`, and what groups of a
 * `Role` have in common. Which of the two was asked for first must not decide what it is.
 */
function isOfLongerName(name: string, type: string, types: ReadonlySet<string>): boolean {
  for (let end = type.length + 1; end < name.length; end += 1) {
    if (types.has(name.slice(0, end))) return true;
  }
  return false;
}

/** Whether other types are derived from the type. */
export function hasDerived({ derived }: ModelType): boolean {
  return derived.length > 0;
}

function rootNames({ entitySets, singletons, imports }: Model) {
  const taken = new Set<string>();
  const sets = new Map<string, SetNames>();
  for (const set of entitySets.values()) {
    const sharesType = [...entitySets.values()].some(
      (other) => other !== set && other.entityType.name === set.entityType.name,
    );
    const own = sharesType ? singularOf(set.name) : set.entityType.name;
    const isOverOwners = set.list?.over !== undefined;
    const wanted = fieldName(isOverOwners ? `All${own}` : own);
    sets.set(set.name, setNames(wanted, taken, isOverOwners));
  }
  const others = new Map(
    [...singletons.values(), ...imports.values()].map(({ name }) => [
      name,
      claimName(fieldName(name), taken),
    ]),
  );
  return { sets, others };
}

function setNames(wanted: string, taken: Set<string>, isOverOwners = false): SetNames {
  for (let count = 1; ; count += 1) {
    const one = count === 1 ? wanted : `${wanted}_${count}`;
    const list = pluralName(one);
    const names = [one, list, `${list}Connection`];
    if (names.some((name) => taken.has(name))) continue;
    for (const name of names) taken.add(name);
    return {
      one,
      list,
      connection: `${list}Connection`,
      changed: capitalized(one),
      isOverOwners,
    };
  }
}

/** The names of the fields and inputs of a type, by {@link elementOf} what they stand for. */
type FieldNames = ReadonlyMap<string, string>;

/** Names the members of a type of the whole model. Inherited fields have the names that they have where they come from. */
function fieldNames(type: ModelType, inherited: FieldNames = new Map()): FieldNames {
  const names = new Map(inherited);
  const name = (members: readonly Member[], taken: Set<string>): void => {
    for (const member of members) {
      const element = elementOf(member);
      if (!names.has(element)) names.set(element, claimName(wantedName(member), taken));
    }
  };
  name(declaredMembers(type), new Set([...names.values(), ...OPERATORS]));
  // There are no conditions on what is never shown.
  name(unseenMembers(type), new Set(names.values()));
  return names;
}

/** The members that a type has of its own behind those of its base. */
function namedMembers(type: ModelType, names: FieldNames, inherited: FieldMembers = new Map()): FieldMembers {
  const members = new Map(inherited);
  for (const member of declaredMembers(type)) {
    const name = names.get(elementOf(member)) ?? wantedName(member);
    if (!members.has(name)) members.set(name, member);
  }
  return members;
}

/** Names of inputs are those of the fields that show the same. */
function namedInputs(
  type: ModelType,
  members: FieldMembers,
  names: FieldNames,
): ReadonlyMap<string, InputMember> {
  const inputs = new Map<string, InputMember>();
  for (const [name, member] of members) {
    if (member.kind === 'stream' || member.kind === 'connection' || member.kind === 'function') continue;
    if (member.kind !== 'property' || !member.property.computed) inputs.set(name, member);
  }
  for (const member of unseenMembers(type)) {
    inputs.set(names.get(elementOf(member)) ?? wantedName(member), member);
  }
  return inputs;
}

/** Members as the document has them, where these are names. An empty list of flags is one in GraphQL, too. */
function enumValues({ members }: EnumerationType): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const { name, upstreamValue } of members) {
    if (upstreamValue === undefined) continue;
    const wanted = [String(upstreamValue), name].find(isValueName) ?? typeName(name);
    values.set(freeName(wanted, values), name);
  }
  return values;
}

function isValueName(name: string): boolean {
  return isName(name) && !NO_VALUES.has(name);
}

/** GraphQL, 2.9.6. */
const NO_VALUES: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** The model as GraphQL shows it: all of it, or what somebody may know of. */
export interface ShownModel {
  readonly model: Model;
  /** Made of the whole model. */
  readonly names: SchemaNames;
}

/** The types that entities of the type may be of: itself and those derived from it, without abstract ones. */
export function typesOfEntities(type: EntityType): readonly EntityType[] {
  return withDerivedTypes(type).filter((each) => isInstantiable(each));
}

/** Whether values may be of the type itself: a discriminator may have a derived type for each of its values. */
function isInstantiable({ abstract, discriminator, derived, structuralProperties }: ModelType): boolean {
  if (abstract) return false;
  if (discriminator === undefined || derived.length === 0) return true;
  const sign = [...structuralProperties.values()].find(
    ({ upstreamName }) => upstreamName === discriminator.upstreamName,
  );
  const values =
    sign?.type.kind === 'enumeration'
      ? sign.type.members.map(({ upstreamValue }) => upstreamValue)
      : sign?.facets.allowedValues;
  const taken = new Set(
    derived.flatMap(({ discriminator: own }) => [own?.value, ...(own?.otherValues ?? [])]),
  );
  return values?.some((value) => !taken.has(String(value))) ?? true;
}

/** Whether the type determines the value of its discriminator. */
export function isExactType({ base, discriminator }: ModelType): boolean {
  return base !== undefined && discriminator?.value !== undefined && discriminator.otherValues === undefined;
}

/** The fields of a relation's input by which entities are created, and their types. */
export function nestedCreates(
  shown: ShownModel,
  type: EntityType,
): readonly (readonly [field: string, type: EntityType])[] {
  return typedFields(shown, 'create', type);
}

/** The fields of a relation's input by which contained entities are replaced, and their types. */
export function nestedSets(
  shown: ShownModel,
  type: EntityType,
): readonly (readonly [field: string, type: EntityType])[] {
  return typedFields(shown, 'set', type);
}

function typedFields({ names }: ShownModel, word: string, type: EntityType) {
  return typesOfEntities(type).map(
    (each) => [each === type ? word : `${word}${names.typeOf(each.name)}`, each] as const,
  );
}

/** The types that a value of the type may be of, by the names of their fields; undefined for a type without derived ones. */
export function kindsOf({ names }: ShownModel, type: ModelType): ReadonlyMap<string, ModelType> | undefined {
  if (!hasDerived(type)) return undefined;
  const kinds: readonly ModelType[] = withDerivedTypes(type);
  return new Map(kinds.filter(isInstantiable).map((each) => [kindField(names, each), each]));
}

/** The types derived from the type, by the names of their fields. */
export function derivedKinds({ names }: ShownModel, { derived }: ModelType): ReadonlyMap<string, ModelType> {
  return new Map(derived.map((each) => [kindField(names, each), each]));
}

function kindField(names: SchemaNames, { name }: ModelType): string {
  const written = names.typeOf(name);
  return written.charAt(0).toLowerCase() + written.slice(1);
}
