import { TYPE, type Value } from '../../contract/row.ts';
import type { ComplexType, EntityType, StructuralProperty, TypeUse } from '../../model/edm.ts';
import { sentAs, sentWithin, takenProperties } from '../../model/sent-type.ts';
import { isReference } from './binding-input.ts';
import { describe, type InputObject, isObject } from './input-value.ts';
import { pathTo } from './mistakes.ts';
import { type ReadRelated, readControl, readNavigation } from './navigation-input.ts';
import { demandRequired, discriminatorMember } from './object-demands.ts';
import { plainJson } from './primitive-input.ts';
import type { Reading, ReadObject } from './reading.ts';
import { readMember, readPrimitiveValue } from './scalar-input.ts';
import { type InputType, qualifiedName, typeOfObject } from './type-of-object.ts';

/** Reads an entity, whose declared type is given. */
export function readEntityObject(
  reading: Reading,
  declared: EntityType,
  object: InputObject,
  path: string,
  given: readonly string[] = [],
): ReadObject<EntityType> {
  const { mistakes } = reading;
  const type = typeOfObject(declared, object, path, mistakes);
  return readObject(reading, declared, type, object, path, { key: new Set(type.key), given });
}

/** Reads a value or a collection of them; the items of a collection are always new (Part 1, 11.4.3). */
export function readUse(reading: Reading, use: TypeUse, json: unknown, path: string): Value {
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
  if (!isObject(json)) {
    mistakes.add(path, 'an object', describe(json));
    return null;
  }
  const type = typeOfObject(declared, json, path, mistakes);
  const { values } = readObject(reading, declared, type, json, path, NOTHING_APART);
  return type === declared ? values : { ...values, [TYPE]: type.name };
}

/** An entity as a parameter: a reference, or the entity itself. */
function readEntityValue(reading: Reading, type: EntityType, json: unknown, path: string): Value {
  if (!isObject(json)) {
    reading.mistakes.add(path, 'an object', describe(json));
    return null;
  }
  return isReference(json) ? plainJson(json) : readEntityObject(reading, type, json, path).values;
}

/** Properties of which something else is expected than of others. */
interface Apart {
  readonly key: ReadonlySet<string>;
  /** They are given by the entity that this one is within. */
  readonly given: readonly string[];
}

const NOTHING_APART: Apart = { key: new Set(), given: [] };

function readObject<Type extends InputType>(
  whole: Reading,
  declared: Type,
  type: Type,
  object: InputObject,
  path: string,
  { key, given }: Apart,
): ReadObject<Type> {
  const reading: Reading = { ...whole, sent: sentAs(whole.sent, type) };
  const values: [string, Value][] = [];
  const related: ReadRelated[] = [];
  const taken = takenProperties(type, reading.sent);
  for (const [name, json] of Object.entries(object)) {
    const place = pathTo(path, name);
    const named = taken.get(name);
    const property = named?.aliasOf === undefined ? named : undefined;
    const navigation = type.navigationProperties.get(name);
    if (name.includes('@')) related.push(readControl(reading, type, name, json, place, readEntityObject));
    else if (property !== undefined) values.push(...readProperty(reading, property, json, place, key));
    else if (navigation !== undefined)
      related.push(readNavigation(reading, type, navigation, json, place, readEntityObject));
    else if (!name.startsWith('#')) values.push(...readUndeclared(reading, type, name, json, place));
  }
  values.push(...related.flatMap((each) => each.values ?? []));
  values.push(...discriminatorMember(reading, type, object, path, values));
  const bindings = related.flatMap((each) => each.bindings ?? []);
  const nested = related.flatMap((each) => each.nested ?? []);
  const changes = related.flatMap((each) => each.changes ?? []);
  const bound = [...bindings, ...nested, ...changes].flatMap(({ property }) => property.constraints);
  const foreign = bound.map(({ property }) => property);
  const told = new Set([...values.map(([name]) => name), ...foreign, ...given]);
  if (reading.kind !== 'update') demandRequired(reading, type, object, path, told, key);
  return { declared, type, values: Object.fromEntries(values), bindings, nested, changes };
}

/**
 * Computed properties are ignored, and in changes the key and what cannot be changed, too (Part 1, 11.4.2 and
 * 11.4.3).
 */
function readProperty(
  reading: Reading,
  property: StructuralProperty,
  json: unknown,
  path: string,
  key: ReadonlySet<string>,
): readonly [string, Value][] {
  const { name, computed, immutable } = property;
  if (computed || (reading.kind !== 'insert' && (immutable || key.has(name)))) return [];
  if (property.type.name === 'Edm.Stream') {
    reading.mistakes.add(path, 'a stream to be written at its own URL', describe(json));
    return [];
  }
  const sent = sentWithin(reading.sent, property);
  return [[name, readUse({ ...reading, sent }, property, json, path)]];
}

/** CSDL 4.01, 15.2: what may be the name of a dynamic property. */
const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]{0,127}$/u;

function readUndeclared(
  { mistakes }: Reading,
  type: InputType,
  name: string,
  json: unknown,
  path: string,
): readonly [string, Value][] {
  if (type.open && IDENTIFIER.test(name) && name !== '__proto__') return [[name, plainJson(json)]];
  const expected = type.open ? 'the name of a property' : `the name of a property of ${qualifiedName(type)}`;
  mistakes.add(path, expected, 'none of them');
  return [];
}
