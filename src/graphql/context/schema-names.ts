import type { ModelType } from '../../engine/typing/expression-type.ts';
import {
  type EntitySet,
  type EntityType,
  type EnumerationType,
  etagProperty,
  isA,
  isTransient,
  withDerivedTypes,
} from '../../model/edm.ts';
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

/** Members by field name, in the model's order. */
type FieldMembers = ReadonlyMap<string, Member>;

/** The names of the root fields of an entity set. */
interface SetNames {
  readonly one: string;
  readonly list: string;
  readonly connection: string;
  /** The part of field names after `create` and so on. */
  readonly changed: string;
  /** True for a set over owners, whose entities are contained in them. */
  readonly isOverOwners: boolean;
}

/**
 * The names of the model's elements in GraphQL: types as in the model, fields in camelCase. Derived from the
 * whole model, so that all schemas use the same names; conflicts are resolved by numbers, in the model's
 * order.
 */
export interface SchemaNames {
  typeOf(name: string): string;
  /** The object type of a type with derived types, whose own name belongs to the interface. */
  objectOf(name: string): string;
  /** The members of a type, of the whole or a filtered model, with the whole model's names. */
  membersOf(type: ModelType): FieldMembers;
  /** The members of the type's inputs, including write-only properties. */
  inputsOf(type: ModelType): ReadonlyMap<string, InputMember>;
  setOf(set: EntitySet): SetNames;
  /** The root field of a singleton or import. */
  rootOf(name: string): string;
  /** The interface of entities with a global identifier, and its only field. */
  readonly node: { readonly type: string; readonly field: string };
  /** The field with the entity tag; undefined if entities of the type have none. */
  etagOf(type: ModelType): string | undefined;
  /** A name for a generated type: `PostFilter` for `Post` and `Filter`. */
  generated(type: string, suffix: string): string;
  valuesOf(type: EnumerationType): ReadonlyMap<string, string>;
}

/** Reserved type names. */
const RESERVED = [
  ...['Query', 'Mutation', 'Subscription', 'Int', 'Float', 'String', 'Boolean', 'ID'],
  ...['Long', 'Decimal', 'Date', 'DateTime', 'TimeOfDay', 'Duration', 'UUID', 'Base64', 'JSON', 'GeoJSON'],
  ...['SortDirection', 'PageInfo', 'MediaStream'],
];

/** The names of Apollo Federation, which no name of a model has: those begin with a letter or `_` and a digit. */
export const FEDERATION = { any: '_Any', entity: '_Entity', service: '_Service' } as const;

/** Reserved names in the conditions of `where`. */
const OPERATORS = ['and', 'or', 'not', 'ofType'];

/** The meaning of the field `id`: the property of the API, or a global identifier. */
export type IdUse = 'upstream' | 'global';

export function schemaNames(model: Model, ids: IdUse = 'upstream'): SchemaNames {
  const isGlobal = ids === 'global';
  const taken = new Set([...RESERVED, ...(isGlobal ? [NODE] : [])]);
  const types = new Map(
    [...model.entityTypes.values(), ...model.complexTypes.values(), ...model.enumerationTypes.values()].map(
      ({ name }) => [name, claimName(typeName(name), taken)],
    ),
  );
  const objects = new Map<string, string>();
  const typeOf = (name: string): string => types.get(name) ?? typeName(name);
  for (const type of [...model.entityTypes.values(), ...model.complexTypes.values()]) {
    // For values that belong to none of an abstract type's derived types, which upstreams may return.
    objects.set(
      type.name,
      hasDerived(type) ? claimName(`Plain${typeOf(type.name)}`, taken) : typeOf(type.name),
    );
  }
  const node = {
    type: isGlobal ? NODE : claimName(NODE, taken),
    field: isGlobal ? 'id' : freeName('nodeId', wantedNames(model)),
  };
  const own: ReadonlySet<string> = new Set(taken);
  const roots = rootNames(model);
  const fields = new Map<string, FieldNames>();
  const members = new WeakMap<ModelType, FieldMembers>();
  const generated = new Map<string, string>();
  const fieldsOf = (type: ModelType): FieldNames => {
    const whole = model.entityTypes.get(type.name) ?? model.complexTypes.get(type.name) ?? type;
    return madeOnce(fields, type.name, () =>
      fieldNames(whole, whole.base && fieldsOf(whole.base), isGlobal && isNodeOrBase(model, whole)),
    );
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
      // The model may have a type of that name.
      return madeOnce(generated, separate, () =>
        claimName(taken.has(wanted) ? `${wanted}Type` : wanted, taken),
      );
    },
    valuesOf: enumValues,
    node,
    etagOf(type) {
      if (type.kind !== 'entity' || !isTagged(model, type)) return undefined;
      const kinds = withDerivedTypes(taggedBase(model, type));
      return freeName('etag', new Set(kinds.flatMap((kind) => [...fieldsOf(kind).values()])));
    },
  };
}

/** Whether entities of the type have tags: by a property, or because the API has conditions on their state. */
function isTagged(model: Model, type: EntityType): boolean {
  if (etagProperty(type) !== undefined) return true;
  return [...model.entitySets.values()].some(
    ({ entityType, update, delete: remove }) =>
      isA(type, entityType) && (update?.precondition ?? remove?.precondition) !== undefined,
  );
}

/** The base type that entity tags begin with, so that the field has one name in all types. */
function taggedBase(model: Model, type: EntityType): EntityType {
  return type.base !== undefined && isTagged(model, type.base) ? taggedBase(model, type.base) : type;
}

const NODE = 'Node';

/** The names that members of entities would have if they were alone. */
function wantedNames({ entityTypes }: Model): ReadonlySet<string> {
  return new Set([...entityTypes.values()].flatMap((type) => declaredMembers(type).map(wantedName)));
}

/** Whether the type, one derived from it, or one that it is derived from has global identifiers. */
function isNodeOrBase(model: Model, type: ModelType): boolean {
  return [...nodeSets(model).values()].some(
    ({ entityType }) => isA(type, entityType) || isA(entityType, type),
  );
}

/** The entity sets whose entities have global identifiers: an entity can be read by its key. */
export function nodeSets(model: Model): ReadonlyMap<string, EntitySet> {
  return madeOnce(nodeSetsOf, model, () => {
    const sets = [...model.entitySets.values()].filter(
      ({ entityType, list, page, read }) =>
        entityType.key.length > 0 &&
        !isTransient(entityType) &&
        list?.over === undefined &&
        (list !== undefined || page !== undefined || read !== undefined),
    );
    return new Map(sets.map((set) => [set.name, set]));
  });
}

const nodeSetsOf = new WeakMap<Model, Map<string, EntitySet>>();

/**
 * Whether the name could also be generated for a longer type name: `RoleGroupKey` may be the key of a
 * `RoleGroup`, or the `GroupKey` of a `Role`. The name must not depend on which is generated first.
 */
function isOfLongerName(name: string, type: string, types: ReadonlySet<string>): boolean {
  for (let end = type.length + 1; end < name.length; end += 1) {
    if (types.has(name.slice(0, end))) return true;
  }
  return false;
}

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

/** The names of a type's fields and inputs, by {@link elementOf}. */
type FieldNames = ReadonlyMap<string, string>;

/** The name of the API's `id` in a type whose `id` is global. */
const OWN_ID = 'rowId';

/** Names the members of a type. Inherited fields keep their names. */
function fieldNames(type: ModelType, inherited: FieldNames = new Map(), hasGlobalId = false): FieldNames {
  const names = new Map(inherited);
  const name = (members: readonly Member[], taken: Set<string>): void => {
    for (const member of members) {
      const element = elementOf(member);
      const wanted = wantedName(member);
      const own = hasGlobalId && wanted === 'id' ? OWN_ID : wanted;
      if (!names.has(element)) names.set(element, claimName(own, taken));
    }
  };
  name(declaredMembers(type), new Set([...names.values(), ...OPERATORS]));
  // Write-only members have no conditions.
  name(unseenMembers(type), new Set(names.values()));
  return names;
}

/** The members of a type: inherited ones, then its own. */
function namedMembers(type: ModelType, names: FieldNames, inherited: FieldMembers = new Map()): FieldMembers {
  const members = new Map(inherited);
  for (const member of declaredMembers(type)) {
    const name = names.get(elementOf(member)) ?? wantedName(member);
    if (!members.has(name)) members.set(name, member);
  }
  return members;
}

/** Inputs are named like the fields of the same properties. */
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

/** The members that are valid names in GraphQL. An empty list of flags is one in GraphQL, too. */
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

/** The model shown in a schema: all of it, or the visible part. */
export interface ShownModel {
  readonly model: Model;
  /** Of the whole model. */
  readonly names: SchemaNames;
  readonly form: SchemaForm;
}

/** The JSON type of exact numbers: a number where it is exact and else a string, or always the same. */
export type NumberForm = 'mixed' | 'strings' | 'numbers';

/** The parts of a schema that operators choose. */
export interface SchemaForm {
  readonly numbers: NumberForm;
  /** True for a subgraph of Apollo Federation. */
  readonly federation: boolean;
}

export const DEFAULT_FORM: SchemaForm = { numbers: 'mixed', federation: false };

/** The type and its derived types, without abstract ones. */
export function typesOfEntities(type: EntityType): readonly EntityType[] {
  return withDerivedTypes(type).filter((each) => isInstantiable(each));
}

/** Whether values may have the type itself, which a discriminator can rule out. */
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

export function isExactType({ base, discriminator }: ModelType): boolean {
  return base !== undefined && discriminator?.value !== undefined && discriminator.otherValues === undefined;
}

/** The create fields of a relation's input, with their types. */
export function nestedCreates(
  shown: ShownModel,
  type: EntityType,
): readonly (readonly [field: string, type: EntityType])[] {
  return typedFields(shown, 'create', type);
}

/** The set fields of a relation's input, with their types. */
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

/** The possible types of a value, by field name; undefined without derived types. */
export function kindsOf({ names }: ShownModel, type: ModelType): ReadonlyMap<string, ModelType> | undefined {
  if (!hasDerived(type)) return undefined;
  const kinds: readonly ModelType[] = withDerivedTypes(type);
  return new Map(kinds.filter(isInstantiable).map((each) => [kindField(names, each), each]));
}

/** The derived types, by field name. */
export function derivedKinds({ names }: ShownModel, { derived }: ModelType): ReadonlyMap<string, ModelType> {
  return new Map(derived.map((each) => [kindField(names, each), each]));
}

function kindField(names: SchemaNames, { name }: ModelType): string {
  const written = names.typeOf(name);
  return written.charAt(0).toLowerCase() + written.slice(1);
}
