import type { Value } from '../../contract/row.ts';
import type { EnumerationType, ValueType } from '../../model/edm.ts';
import { isComparable, type PrimitiveTypeName } from '../../model/type-use.ts';
import { ExactNumber, exactValue } from '../exchange/exact-number.ts';
import { type Conversion, conversionTo } from './edm-values.ts';
import type { JsonPathTracker } from './json-path-tracker.ts';
import { readLeniently } from './lenient-values.ts';

/** Makes a value of what the upstream sent, which is shared: it is never changed. */
export type ValueReader = (value: unknown, trail: JsonPathTracker) => Value;

/** Takes note of a value of one property that is read as far as it can be; undefined where it is an error. */
export type Misfit = ((expected: string, found: unknown) => void) | undefined;

/** OData JSON Format 4.01, section 7: a collection is never null. */
export function items<Item>(
  read: (value: unknown, trail: JsonPathTracker) => Item,
): (value: unknown, trail: JsonPathTracker) => readonly Item[] {
  return (value, trail) => {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw trail.misfit('a collection', value);
    return itemsOf(value, read, trail);
  };
}

/** Reads a collection, for which a single value may stand, and an empty one where it cannot be read. */
export function lenientItems(read: ValueReader, note: NonNullable<Misfit>): ValueReader {
  return (value, trail) => {
    if (value === null || value === undefined) return [];
    if (Array.isArray(value)) return itemsOf(value, read, trail);
    note('a collection', value);
    const single = read(value, trail);
    return single === null ? [] : [single];
  };
}

function itemsOf<Item>(
  list: readonly unknown[],
  read: (value: unknown, trail: JsonPathTracker) => Item,
  trail: JsonPathTracker,
): readonly Item[] {
  trail.enter();
  const values = list.map((item, index) => {
    trail.at(index);
    return read(item, trail);
  });
  trail.leave();
  return values;
}

export function orNull(read: ValueReader): ValueReader {
  return (value, trail) => (value === null || value === undefined ? null : read(value, trail));
}

export function primitive(
  name: Extract<ValueType, { kind: 'primitive' }>['name'],
  note?: Misfit,
): ValueReader {
  if (!isComparable(name)) return untyped;
  // Nothing is taken for checked: the property may have no field of its own in the mesh.
  const convert = conversionTo(name, 'JSON') ?? untypedScalar;
  return note === undefined ? converting(name, convert) : lenient(name, convert, note);
}

/** What is not of the type is read as far as it can be. */
function lenient(name: PrimitiveTypeName, convert: Conversion, note: NonNullable<Misfit>): ValueReader {
  return (value) => {
    const result = convert(value instanceof ExactNumber ? exactValue(name, value) : value);
    if (result !== undefined) return result;
    note(`a value of ${name}`, value);
    return readLeniently(name, value) ?? null;
  };
}

function untypedScalar(value: unknown): Value | undefined {
  return typeof value === 'object' ? undefined : (value as Value);
}

function converting(type: string, convert: Conversion, note?: Misfit): ValueReader {
  return (value, trail) => {
    const result = convert(value instanceof ExactNumber ? exactValue(type, value) : value);
    if (result !== undefined) return result;
    if (note === undefined) throw trail.misfit(`a value of ${type}`, value);
    note(`a value of ${type}`, value);
    return null;
  };
}

/** The upstream's values by the names of the members; flags also in a list or as a sum. */
export function enumeration(name: string, type: EnumerationType | undefined, note?: Misfit): ValueReader {
  const members = type?.members ?? [];
  const names = new Map<unknown, string>(members.map((member) => [member.upstreamValue, member.name]));
  return converting(
    name,
    (value) => {
      const member = names.get(value);
      if (member !== undefined || type?.flags !== true) return member;
      const parts = typeof value === 'number' ? bitNames(members, value) : listedNames(names, value);
      return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(',');
    },
    note,
  );
}

function listedNames(names: ReadonlyMap<unknown, string>, value: unknown): readonly (string | undefined)[] {
  const parts: readonly unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return parts.map((part) => names.get(typeof part === 'string' ? part.trim() : part));
}

/** Undefined for bits that no member has. */
function bitNames(members: EnumerationType['members'], sum: number): readonly (string | undefined)[] {
  const set = members.filter(({ value: bit }) => bit !== 0 && (sum & bit) === bit);
  const covered = set.reduce((bits, { value: bit }) => bits | bit, 0);
  return covered === sum ? set.map(({ name }) => name) : [undefined];
}

/** A value of no type in particular: it is taken over, at every depth. */
export function untyped(value: unknown, trail: JsonPathTracker): Value {
  if (value instanceof ExactNumber) return integerOf(value) ?? value.valueOf();
  if (typeof value !== 'object' || value === null) return (value ?? null) as Value;
  trail.enter();
  const copy = Array.isArray(value) ? value.map((item) => untyped(item, trail)) : members(value, trail);
  trail.leave();
  return copy;
}

function integerOf({ text }: ExactNumber): bigint | undefined {
  return /^-?\d{1,40}$/.test(text) ? BigInt(text) : undefined;
}

function members(object: object, trail: JsonPathTracker): Value {
  const own = Object.entries(object).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(own.map(([name, member]) => [name, untyped(member, trail)]));
}
