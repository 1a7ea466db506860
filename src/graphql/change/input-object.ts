import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import type { WrittenLink } from '../../engine/input/entity-input.ts';
import { type InputObject, pathTo } from '../../engine/input/mistakes.ts';
import type { Placed } from '../../engine/input/reading.ts';
import { RelationInput } from '../../engine/input/relation-input.ts';
import { collectionOf, entityByKey } from '../../engine/resource/navigation-source.ts';
import type { EntityResource } from '../../engine/resource/resource.ts';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import type { Callable, EntityType, EnumerationType, NavigationProperty, TypeUse } from '../../model/edm.ts';
import { isNumeric } from '../../model/type-use.ts';
import { givenUnder, type Input, isGiven } from '../context/graphql-context.ts';
import type { InputMember } from '../context/members.ts';
import { fieldName } from '../context/names.ts';
import { kindsOf, nestedCreates, nestedSets, type ShownModel } from '../context/schema-names.ts';
import { keyOf } from '../query/key.ts';

/** An input in the form that the engine reads. */
export interface NamedInput {
  /** By the names of the model, or of the API if it is forwarded unchanged. */
  readonly object: InputObject;
  /** The argument with the input; empty if each of its members is an argument. */
  readonly root: string;
  /** The positions in the client's input, by path in the object. */
  readonly places: ReadonlyMap<string, string>;
  /** Resolves links in the input. */
  readonly entityOf: (link: WrittenLink) => EntityResource;
}

interface Naming {
  readonly shown: ShownModel;
  readonly verbatim: boolean;
  readonly places: Map<string, string>;
  readonly linked: Map<string, EntityResource>;
}

/** A path in the object and the position in the client's input. */
interface InputPath {
  readonly path: string;
  readonly input: string;
}

/**
 * The argument `input` of a field that changes entities; `derived` is set if its type differs from the
 * declared one.
 */
export function namedEntity(
  shown: ShownModel,
  type: EntityType,
  input: Input,
  {
    verbatim = false,
    derived = false,
    place = 'input',
  }: { readonly verbatim?: boolean; readonly derived?: boolean; readonly place?: string | undefined } = {},
): NamedInput {
  const naming: Naming = { shown, verbatim, places: new Map(), linked: new Map() };
  return named(naming, typedObject(naming, type, input, { path: '', input: place }, derived), place);
}

/** Adds the type if it differs from the declared one (JSON Format 4.01, 4.6.3). */
function typedObject(
  naming: Naming,
  type: ModelType,
  input: Input,
  place: InputPath,
  derived: boolean,
): InputObject {
  const control = derived && !naming.verbatim ? { '@odata.type': `#${type.namespace}.${type.name}` } : {};
  return { ...control, ...objectOf(naming, type, input, place) };
}

export function namedParameters(shown: ShownModel, { parameters }: Callable, args: Input): NamedInput {
  const naming: Naming = { shown, verbatim: false, places: new Map(), linked: new Map() };
  const members = parameters.flatMap((parameter) => {
    const place = { path: parameter.name, input: fieldName(parameter.name) };
    naming.places.set(place.path, place.input);
    const value = givenUnder(args, place.input);
    return value === undefined ? [] : [[parameter.name, useOf(naming, parameter, value, place)]];
  });
  return named(naming, Object.fromEntries(members));
}

function named({ places, linked }: Naming, object: InputObject, root = ''): NamedInput {
  return {
    object,
    root,
    places,
    entityOf({ url, target }) {
      const entity = linked.get(url);
      if (entity === undefined) throw inputMistake(target, 'an entity of this service', 'another one');
      return entity;
    },
  };
}

function objectOf(naming: Naming, type: ModelType, input: Input, place: InputPath): InputObject {
  const members = naming.shown.names.inputsOf(type);
  const entries = [...members].flatMap(([name, member]): readonly (readonly [string, unknown])[] => {
    const value = givenUnder(input, name);
    const own = (step: string): InputPath => ({
      path: pathTo(place.path, step),
      input: `${place.input}.${name}`,
    });
    if (member.kind === 'property') {
      const { property } = member;
      const at = own(property.name);
      naming.places.set(at.path, at.input);
      if (value === undefined) return [];
      const key = naming.verbatim ? property.upstreamName : property.name;
      return [[key, useOf(naming, property, value, at)]];
    }
    if (value === undefined) return [];
    if (member.kind === 'dynamic') return undeclaredMembers(type, value, `${place.input}.${name}`);
    const { navigation } = member;
    const at = own(navigation.name);
    naming.places.set(at.path, at.input);
    const foreignKeys = [...members].flatMap(([field, each]) =>
      isForeignKey(each, navigation) && isGiven(givenUnder(input, field)) ? [`${place.input}.${field}`] : [],
    );
    return relatedMember(naming, navigation, { value, foreignKeys }, at);
  });
  return Object.fromEntries(entries);
}

interface GivenRelation {
  readonly value: unknown;
  /** The positions of foreign keys, which also determine related entities. */
  readonly foreignKeys: readonly string[];
}

/** Embedded entities are values; others are nested changes. */
function relatedMember(
  naming: Naming,
  navigation: NavigationProperty,
  { value, foreignKeys }: GivenRelation,
  at: InputPath,
): readonly (readonly [string, unknown])[] {
  const { name, origin, entityType, collection } = navigation;
  if (origin.kind === 'embedded') {
    const key = naming.verbatim ? origin.upstreamName : name;
    return [[key, useOf(naming, { type: entityType, collection }, value, at)]];
  }
  if (value === null) return [];
  if (naming.verbatim) throw inputMistake(at.input, 'no related entities in what is sent as it is', 'some');
  const related = relationOf(naming, navigation, value as Input, at);
  const [foreignKey] = foreignKeys;
  if (foreignKey !== undefined && related instanceof RelationInput && related.created.length > 0) {
    throw inputMistake(foreignKey, `no value beside a new entity in ${at.input}`, 'one');
  }
  return related === undefined ? [] : [[name, related]];
}

/** Undeclared properties. Declared ones and control information are rejected. */
function undeclaredMembers(
  { structuralProperties, navigationProperties }: ModelType,
  value: unknown,
  place: string,
) {
  const properties = [...structuralProperties.values()].flatMap(({ name, upstreamName }) => [
    name,
    upstreamName,
  ]);
  const declared = new Set([...properties, ...navigationProperties.keys()]);
  return Object.entries((value ?? {}) as Input).map((entry) => {
    const [name] = entry;
    if (!declared.has(name) && !/[@#]/.test(name)) return anyMember(entry);
    throw inputMistake(`${place}.${name}`, 'a property that no type declares', 'another one');
  });
}

function isForeignKey(member: InputMember, { constraints }: NavigationProperty): boolean {
  return member.kind === 'property' && constraints.some(({ property }) => property === member.property.name);
}

/** The changes of related entities, if any. An array replaces contained entities completely. */
function relationOf(
  naming: Naming,
  navigation: NavigationProperty,
  given: Input,
  place: InputPath,
): RelationInput | readonly InputObject[] | undefined {
  const { shown } = naming;
  const { entityType } = navigation;
  const entities = (isWhole: boolean) => {
    const fields = isWhole ? nestedSets(shown, entityType) : nestedCreates(shown, entityType);
    return entitiesOf(naming, { declared: entityType, fields, isWhole }, given, place);
  };
  const replacing = navigation.containsTarget ? entities(true) : undefined;
  const created = entities(false);
  const links = (word: string) => linksOf(naming, navigation, given, place, word);
  const linked = links('link');
  const unlinked = navigation.collection ? links('unlink') : undefined;
  const set = navigation.containsTarget ? undefined : links('set');
  const others = [created, linked, unlinked].filter((each) => each !== undefined);
  if ((replacing ?? set) !== undefined && others.length > 0) {
    throw inputMistake(place.input, '"set" alone, or "create", "link" and "unlink"', 'both');
  }
  if (replacing !== undefined) return replacing.map(({ json }) => json);
  if (set !== undefined) return new RelationInput({ linked: set, isWhole: true });
  if (others.length === 0 && given['unlink'] !== true) return undefined;
  return new RelationInput({ created, linked, unlinked });
}

/** The fields of a relation's input that contain entities. */
interface NestedFields {
  readonly declared: EntityType;
  readonly fields: readonly (readonly [field: string, type: EntityType])[];
  /** True if they replace all related entities. */
  readonly isWhole: boolean;
}

/** The entities by type; undefined if no field is given. */
function entitiesOf(
  naming: Naming,
  { declared, fields, isWhole }: NestedFields,
  given: Input,
  place: InputPath,
): readonly Placed<InputObject>[] | undefined {
  const named = fields.filter(([field]) => isGiven(given[field]));
  if (named.length === 0) return undefined;
  const items = named.flatMap(([field, type]) =>
    itemsOf(given[field], place, field).map((item) => ({ ...item, type })),
  );
  return items.map(({ value, at, type }, index) => {
    const path = isWhole ? pathTo(place.path, index) : at.path;
    naming.places.set(path, at.input);
    const derived = type.name !== declared.name;
    return { json: typedObject(naming, type, value as Input, { path, input: at.input }, derived), path };
  });
}

function linksOf(
  naming: Naming,
  navigation: NavigationProperty,
  given: Input,
  place: InputPath,
  word: string,
): readonly WrittenLink[] | undefined {
  if (!isGiven(given[word])) return undefined;
  return itemsOf(given[word], place, word).map(({ value, at }) => {
    naming.places.set(at.path, at.input);
    return { url: urlOf(naming, navigation, value as Input, at), target: at.path };
  });
}

/** The values of a field with their positions. */
function itemsOf(value: unknown, place: InputPath, word: string) {
  const at = { path: pathTo(place.path, word), input: `${place.input}.${word}` };
  return [severally(value, at, (item, own) => ({ value: item, at: own }))].flat();
}

/** The URL of a linked entity, which must be in an entity set. */
function urlOf(
  { shown, linked }: Naming,
  { entityType, target }: NavigationProperty,
  key: Input,
  { input }: InputPath,
): string {
  if (target === undefined) throw inputMistake(input, 'a relation to entities of a set', 'another one');
  const entity = entityByKey(collectionOf(target), keyOf(shown, entityType, key));
  linked.set(entity.url, entity);
  return entity.url;
}

function severally<Item>(
  value: unknown,
  place: InputPath,
  one: (item: unknown, place: InputPath) => Item,
): Item | readonly Item[] {
  if (!Array.isArray(value)) return one(value, place);
  return value.map((item, index) =>
    one(item, { path: pathTo(place.path, index), input: `${place.input}.${index}` }),
  );
}

function useOf(
  naming: Naming,
  { type, collection }: Pick<TypeUse, 'type' | 'collection'>,
  value: unknown,
  place: InputPath,
): unknown {
  const one = (each: unknown, at: InputPath): unknown => {
    naming.places.set(at.path, at.input);
    if (each === null) return null;
    if (type.kind === 'complex' || type.kind === 'entity') return typedValue(naming, type, each as Input, at);
    if (type.kind === 'enumeration') return memberNamed(naming, type, each);
    return isNumeric(type.name) && typeof each !== 'number' ? new ExactNumber(String(each)) : anyValue(each);
  };
  return collection && value !== null ? severally(value, place, one) : one(value, place);
}

/** A value of a derived type is given in the field named after its type. */
function typedValue(naming: Naming, declared: ModelType, value: Input, place: InputPath): InputObject {
  const [kind] = [...(kindsOf(naming.shown, declared) ?? [])].filter(([name]) => isGiven(value[name]));
  if (kind === undefined) return objectOf(naming, declared, value, place);
  const [name, type] = kind;
  const at = { path: place.path, input: `${place.input}.${name}` };
  naming.places.set(at.path, at.input);
  return typedObject(naming, type, value[name] as Input, at, type.name !== declared.name);
}

/** Flags are one text with commas (JSON Format 4.01, 7.1). */
function memberNamed({ verbatim }: Naming, { members }: EnumerationType, value: unknown): unknown {
  if (!verbatim) {
    const none = members.find((each) => each.value === 0)?.name;
    return Array.isArray(value) ? value.join(',') || (none ?? '') : value;
  }
  const upstream = (member: unknown) => members.find((each) => each.name === member)?.upstreamValue ?? member;
  return Array.isArray(value) ? value.map(upstream) : upstream(value);
}

function anyMember([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  return [name, anyValue(value)];
}

function anyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(anyValue);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  return Object.fromEntries(Object.entries(value).map(anyMember));
}

function inputMistake(target: string, expected: string, found: string): GatewayError {
  const message = `${target}: expected ${expected}, found ${found}.`;
  return new GatewayError('BadRequest', message, { target });
}

/** Translates all mistakes from the model's names to positions in the client's input. */
export function byInput(
  error: GatewayError,
  places: ReadonlyMap<string, string>,
  root: string,
): GatewayError {
  const { code, message, target, details, headers, cause, limit } = error;
  const first: readonly ErrorDetail[] = target === undefined ? [] : [{ code, message, target }];
  const translated = [...first, ...details].map((detail) => byPlace(detail, places, root));
  return new GatewayError(code, first.length === 0 ? message : (translated[0]?.message ?? message), {
    details: translated,
    headers,
    cause,
    ...(limit !== undefined && { limit }),
  });
}

function byPlace(detail: ErrorDetail, places: ReadonlyMap<string, string>, root: string): ErrorDetail {
  const { code, target, message } = detail;
  // Errors of another entity are not mistakes in the input.
  if (target === undefined || code === 'FailedDependency') return detail;
  const place = places.get(target) ?? inputPosition(target, places, root);
  const isNamed = message.startsWith(`${target}: `);
  return { ...detail, target: place, message: isNamed ? place + message.slice(target.length) : message };
}

/** The position of something missing: the nearest position in the input. */
function inputPosition(target: string, places: ReadonlyMap<string, string>, root: string): string {
  const names = target.split('/');
  const known = names.findLastIndex((_, index) => places.has(names.slice(0, index).join('/')));
  const place = known < 0 ? root : places.get(names.slice(0, known).join('/'));
  const rest = names.slice(Math.max(known, 0)).map((name) => (/^\d+$/.test(name) ? name : fieldName(name)));
  return [place, ...rest].filter((part) => part !== '').join('.');
}
