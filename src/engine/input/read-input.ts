import type { Arguments } from '../../contract/entity-source.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import type {
  Callable,
  CallableParameter,
  ComplexType,
  EntityType,
  NavigationProperty,
  StructuralProperty,
  TypeUse,
} from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { SentType } from '../../model/operation.ts';
import { sentAs, sentWithin, takenProperties } from '../../model/sent-type.ts';
import { type ModelType, qualifiedName } from '../typing/expression-type.ts';
import type { EntityInput, MemberChange, NestedChange } from './entity-input.ts';
import { describe, type InputObject, isInputObject, Mistakes, pathTo, quote } from './mistakes.ts';
import {
  type ReadRelated,
  readControl,
  readHeld,
  readNavigation,
  referencingProperties,
  sentBehind,
} from './navigation-input.ts';
import { keepFacets, plainJson, readMember, readPrimitiveValue } from './primitive-input.ts';
import {
  checkRequired,
  discriminatorMember,
  type InputKind,
  type Placed,
  type Reading,
  type ReadMember,
  type ReadObject,
  typeOfObject,
} from './reading.ts';
import { checkTypeControls } from './type-control.ts';

/** The options for reading an object. */
export interface InputOptions {
  readonly kind: InputKind;
  /** The body schema of the operation; undefined if not documented. */
  readonly sent: SentType | undefined;
  /** The key of an insert that was to be a change, also by deltas (Part 1, 11.4.4). */
  readonly upsertKey?: Row;
  /** Values that are known already. */
  readonly given?: Row;
  readonly ofText?: Reading['ofText'];
}

/**
 * Validates an object for an entity. All mistakes, including earlier ones, are reported together: BadRequest
 * with a detail each, whose target is the path of the member.
 */
export function readEntityInput(
  model: Model,
  entityType: EntityType,
  object: InputObject,
  { kind, sent, upsertKey, given = {}, ofText }: InputOptions,
  mistakes: Mistakes = new Mistakes(),
): EntityInput {
  const isUpsert = upsertKey !== undefined;
  const reading = { model, kind, mistakes, ofText, sent, isUpsert, readEntity: readEntityObject };
  assertFacets(reading, entityType, upsertKey ?? {});
  const read = readEntityObject(reading, entityType, { json: object, path: '' }, Object.keys(given));
  const entity = withGiven(read, given, mistakes);
  mistakes.throwIfAny();
  return toEntityInput(entity);
}

/** Members of a change that turn out to be new, as entities to be created behind the navigation property. */
export function readNewMembers(
  model: Model,
  owner: EntityType,
  property: NavigationProperty,
  members: readonly NestedChange[],
  ofText: Reading['ofText'],
): readonly EntityInput[] {
  const mistakes = new Mistakes();
  const given = referencingProperties(property);
  const sent = sentBehind(undefined, owner, property);
  const reading = {
    model,
    kind: 'insert',
    mistakes,
    ofText,
    sent,
    isUpsert: true,
    readEntity: readEntityObject,
  } as const;
  const read = members.map((member) => readEntityObject(reading, property.entityType, member, given));
  mistakes.throwIfAny();
  return read.map((each) => toEntityInput(each));
}

/** The parameters of an action, by the model's names (Part 1, 11.5.5.1); those left out are absent. */
export function readParameters(
  model: Model,
  { parameters }: Pick<Callable, 'parameters'>,
  object: InputObject,
  ofText: Reading['ofText'] = undefined,
  mistakes: Mistakes = new Mistakes(),
): Arguments {
  checkKnown(parameters, object, mistakes);
  checkTypeControls(object, (name) => parameters.find((each) => each.name === name), '', mistakes);
  const given = parameters.filter((parameter) => isGiven(parameter, object, mistakes));
  const values = given.map((parameter) => [
    parameter.name,
    readUse(
      { model, kind: 'insert', mistakes, ofText, sent: parameter.sent },
      parameter,
      object[parameter.name],
      parameter.name,
    ),
  ]);
  mistakes.throwIfAny();
  return Object.fromEntries(values);
}

function checkKnown(parameters: readonly CallableParameter[], object: InputObject, mistakes: Mistakes): void {
  for (const name of Object.keys(object)) {
    const isKnown = name.includes('@') || parameters.some((parameter) => parameter.name === name);
    if (!isKnown) mistakes.add(name, 'the name of a parameter', 'none of them');
  }
}

/** A parameter that may be null, or is a collection, may be left out, too (Part 1, 11.5.5.1). */
function isGiven(
  { name, optional, nullable, collection }: CallableParameter,
  object: InputObject,
  mistakes: Mistakes,
): boolean {
  if (Object.hasOwn(object, name)) return true;
  if (!optional && !nullable && !collection) mistakes.add(name, 'a value', 'none');
  return false;
}

/** Checks facets of values from the URL of a new entity, like those from a body. */
function assertFacets(reading: Reading, { structuralProperties }: EntityType, given: Row): void {
  for (const [name, value] of Object.entries(given)) {
    const property = structuralProperties.get(name);
    if (property !== undefined) keepFacets(reading, property, value, name);
  }
}

/** An entity with what the URL says of it: a body may repeat that, and says nothing else in its place. */
function withGiven(entity: ReadObject<EntityType>, given: Row, mistakes: Mistakes): ReadObject<EntityType> {
  const { values, nested } = entity;
  for (const [name, value] of Object.entries(given)) {
    const given = values[name];
    const isOther = given !== undefined && String(given) !== String(value);
    if (isOther) mistakes.add(name, `${quote(String(value))}, as the URL says`, quote(String(given)));
  }
  for (const { property } of nested) {
    const isGiven = property.constraints.some((each) => Object.hasOwn(given, each.property));
    if (isGiven) mistakes.add(property.name, 'the entity that the URL leads to', 'a new one');
  }
  return { ...entity, values: { ...values, ...given } };
}

/** Converts validated input. */
function toEntityInput(entity: ReadObject<EntityType>): EntityInput {
  const { type, values, bindings, nested, changes } = entity;
  return {
    entityType: type,
    values,
    bindings,
    nested: nested.map(({ property, entities }) => ({
      property,
      entities: entities.map((each) => toEntityInput(each)),
    })),
    changes: changes.map(({ members, ...others }) => ({
      ...others,
      members: members.map((member) => toMemberChange(member)),
    })),
  };
}

function toMemberChange(member: ReadMember): MemberChange {
  if (member.kind !== 'entity' && member.kind !== 'created') return member;
  const { entity, ...others } = member;
  return { ...others, body: toEntityInput(entity) };
}

/** Reads an entity, whose declared type is given. */
function readEntityObject(
  reading: Reading,
  declared: EntityType,
  placed: Placed<InputObject>,
  given: readonly string[] = [],
): ReadObject<EntityType> {
  const type = typeOfObject(declared, placed, reading.mistakes);
  const { values, ...related } = readObject(reading, type, placed, { key: new Set(type.key), given });
  return { declared, type, values, ...related };
}

/** Reads a value or a collection of them. */
export function readUse(
  reading: Omit<Reading, 'readEntity'>,
  use: TypeUse,
  json: unknown,
  path: string,
): Value {
  return readAny({ ...reading, readEntity: readEntityObject }, use, json, path);
}

/** The items of a collection are always new (Part 1, 11.4.3). */
function readAny(reading: Reading, use: TypeUse, json: unknown, path: string): Value {
  if (!use.collection) return readSingle(reading, use, json, path);
  if (!Array.isArray(json)) {
    reading.mistakes.add(path, 'an array', describe(json));
    return [];
  }
  const items: Reading = { ...reading, kind: 'insert' };
  return json.map((item, index) => readSingle(items, use, item, pathTo(path, index)));
}

function readSingle(reading: Reading, use: TypeUse, json: unknown, path: string): Value {
  if (json === null) {
    if (!use.nullable) reading.mistakes.add(path, 'a value', 'null');
    return null;
  }
  const { type } = use;
  switch (type.kind) {
    case 'primitive':
      return readPrimitiveValue(reading, use, json, path);
    case 'enumeration':
      return readMember(reading, type, json, path);
    case 'complex':
      return readComplex(reading, type, json, path);
    case 'entity':
      return readEntityValue(reading, type, json, path);
  }
}

function readComplex(reading: Reading, declared: ComplexType, json: unknown, path: string): Value {
  const { mistakes } = reading;
  if (!isInputObject(json)) {
    mistakes.add(path, 'an object', describe(json));
    return null;
  }
  const placed = { json, path };
  const type = typeOfObject(declared, placed, mistakes);
  const { values } = readObject(reading, type, placed, NOTHING_APART);
  return type === declared ? values : { ...values, [TYPE]: type.name };
}

/** An entity as a parameter. */
function readEntityValue(reading: Reading, type: EntityType, json: unknown, path: string): Value {
  if (isInputObject(json)) return readHeld(reading, type, { json, path });
  reading.mistakes.add(path, 'an object', describe(json));
  return null;
}

/** Properties of which something else is expected than of others. */
interface Apart {
  readonly key: ReadonlySet<string>;
  /** The key properties that are given by the entity that this one is within. */
  readonly given: readonly string[];
}

const NOTHING_APART: Apart = { key: new Set(), given: [] };

function readObject(
  whole: Reading,
  type: ModelType,
  placed: Placed<InputObject>,
  { key, given }: Apart,
): Omit<ReadObject<ModelType>, 'declared' | 'type'> {
  const { json: object, path } = placed;
  const reading: Reading = { ...whole, sent: sentAs(whole.sent, type) };
  const values: [string, Value][] = [];
  const related: ReadRelated[] = [];
  const taken = takenProperties(type, reading.sent);
  checkTypeControls(object, (name) => declaredMember(type, name), path, whole.mistakes);
  for (const [name, json] of Object.entries(object)) {
    const member = { json, path: pathTo(path, name) };
    const named = taken.get(name);
    const property = named?.aliasOf === undefined ? named : undefined;
    const navigation = type.navigationProperties.get(name);
    if (name.includes('@')) related.push(readControl(reading, type, name, member));
    else if (property !== undefined) values.push(...readProperty(reading, property, member, key));
    else if (navigation !== undefined) related.push(readNavigation(reading, type, navigation, member));
    else if (!name.startsWith('#')) values.push(...readUndeclared(reading, type, name, member));
  }
  values.push(...related.flatMap((each) => each.values ?? []));
  values.push(...discriminatorMember(reading, type, placed, values));
  const bindings = related.flatMap((each) => each.bindings ?? []);
  const nested = related.flatMap((each) => each.nested ?? []);
  const changes = related.flatMap((each) => each.changes ?? []);
  const bound = [...bindings, ...nested, ...changes].flatMap(({ property }) => property.constraints);
  const foreign = bound.map(({ property }) => property);
  const givenNames = new Set([...values.map(([name]) => name), ...foreign, ...given, ...key]);
  if (reading.kind !== 'update') checkRequired(reading, type, placed, givenNames);
  return { values: Object.fromEntries(values), bindings, nested, changes };
}

function declaredMember(type: ModelType, name: string) {
  const navigation = type.navigationProperties.get(name);
  if (navigation === undefined) return type.structuralProperties.get(name);
  return { type: navigation.entityType, collection: navigation.collection };
}

/**
 * Computed properties are ignored, and in changes the key and what cannot be changed, too (Part 1, 11.4.2 and
 * 11.4.3).
 */
function readProperty(
  reading: Reading,
  property: StructuralProperty,
  { json, path }: Placed,
  key: ReadonlySet<string>,
): readonly [string, Value][] {
  const { name, computed, immutable } = property;
  if (computed || (reading.kind !== 'insert' && (immutable || key.has(name)))) return [];
  if (property.type.name === 'Edm.Stream') {
    reading.mistakes.add(path, 'a stream to be written at its own URL', describe(json));
    return [];
  }
  const sent = sentWithin(reading.sent, property);
  return [[name, readAny({ ...reading, sent }, property, json, path)]];
}

/** CSDL 4.01, 15.2: what may be the name of a dynamic property. */
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

function readUndeclared(
  { mistakes }: Reading,
  type: ModelType,
  name: string,
  { json, path }: Placed,
): readonly [string, Value][] {
  if (type.open && IDENTIFIER.test(name) && name !== '__proto__') return [[name, plainJson(json)]];
  const expected = type.open ? 'the name of a property' : `the name of a property of ${qualifiedName(type)}`;
  mistakes.add(path, expected, 'none of them');
  return [];
}
