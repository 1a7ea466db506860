import type { Value } from '../../contract/entity-source.ts';
import type { EnumerationType } from '../../model/structured-type.ts';
import { isComparable, type TypeName } from '../../model/type-use.ts';
import type { Trail } from '../trail.ts';
import { type Conversion, conversionTo } from './edm-values.ts';
import { ExactNumber, exactValue } from './exact-number.ts';

/** Makes a value of what the upstream sent, which is shared: it is never changed. */
export type ValueReader = (value: unknown, trail: Trail) => Value;

/** OData JSON Format 4.01, section 7: a collection is never null. */
export function items<Item>(
  read: (value: unknown, trail: Trail) => Item,
): (value: unknown, trail: Trail) => readonly Item[] {
  return (value, trail) => {
    if (value === null || value === undefined) return [];
    if (!Array.isArray(value)) throw trail.misfit('a collection', value);
    trail.enter();
    const values = value.map((item, index) => {
      trail.at(index);
      return read(item, trail);
    });
    trail.leave();
    return values;
  };
}

export function orNull(read: ValueReader): ValueReader {
  return (value, trail) => (value === null || value === undefined ? null : read(value, trail));
}

export function primitive(name: Extract<TypeName, { kind: 'primitive' }>['name']): ValueReader {
  if (!isComparable(name)) return untyped;
  // Nothing is taken for checked: the property may have no field of its own in the mesh.
  return converting(name, conversionTo(name, 'JSON') ?? untypedScalar);
}

function untypedScalar(value: unknown): Value | undefined {
  return typeof value === 'object' ? undefined : (value as Value);
}

function converting(type: string, convert: Conversion): ValueReader {
  return (value, trail) => {
    const result = convert(value instanceof ExactNumber ? exactValue(type, value) : value);
    if (result === undefined) throw trail.misfit(`a value of ${type}`, value);
    return result;
  };
}

/** The upstream's values by the names of the members; flags also in a list or as a sum. */
export function enumeration(name: string, type: EnumerationType | undefined): ValueReader {
  const members = type?.members ?? [];
  const names = new Map<unknown, string>(members.map((member) => [member.upstreamValue, member.name]));
  return converting(name, (value) => {
    const member = names.get(value);
    if (member !== undefined || type?.flags !== true) return member;
    const parts = typeof value === 'number' ? bitNames(members, value) : listedNames(names, value);
    return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(',');
  });
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
export function untyped(value: unknown, trail: Trail): Value {
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

function members(object: object, trail: Trail): Value {
  const own = Object.entries(object).filter(([name]) => name !== '__proto__');
  return Object.fromEntries(own.map(([name, member]) => [name, untyped(member, trail)]));
}
