import type { Deviations } from '../../contract/deviations.ts';
import type { GatewayError } from '../../contract/gateway-error.ts';
import type { Value } from '../../contract/row.ts';
import { ExactNumber } from '../../core/exact-number.ts';
import type { JsonObject } from '../../core/json-object.ts';
import type { Work } from '../../core/work.ts';
import { type EnumerationType, isComparable, type ValueType } from '../../model/edm.ts';
import { hasLiteralForm, type PrimitiveTypeName } from '../../model/type-use.ts';
import { badResponse } from '../exchange/upstream-failure.ts';
import { type Conversion, conversionTo, type JsonLeaf, type JsonValues, jsonLeaf } from './json-leaf.ts';

/** Parsed data takes about this much for each byte of its text. */
export const DATA_WEIGHT = 2;

/**
 * Decodes the data of a response: to rows for a query, or to the data itself.
 *
 * The object also identifies the purpose, for caching its result.
 */
export interface ResponseDecoder<Decoded = unknown> {
  /** Whether the answer is one entity, which is not there where the upstream says 404. */
  readonly isOfOne?: boolean;
  /** Nothing is made of the data, which need not even be JSON. */
  readonly isIgnored?: boolean;
  /** Numbers that no double holds come with their digits, as {@link ExactNumber}. */
  readonly exact: boolean;
  /** Throws an UpstreamBadResponse for what is not as it should be. The data may be shared: it is never changed. */
  readonly read: (data: unknown) => Decoded;
  /** Reads data that is used once and not kept: its rows are made while they are gone through. */
  readonly readOnce?: ((data: unknown, late: LazyReading) => Decoded) | undefined;
  /** Reads what is long as `read` does, in steps between which others can go first. */
  readonly readInParts?: ((data: unknown) => Work<Decoded>) | undefined;
  /** Roughly what it takes, in bytes. */
  weigh(decoded: Decoded): number;
}

/** Callbacks of a lazy read: re-read exact integers, report a failure. */
export interface LazyReading {
  /** The data with integers that no number holds; undefined where it has none. */
  readonly again: () => unknown;
  /** Takes note of what is thrown. */
  readonly report: (error: unknown) => void;
}

const LEVELS = 200;

/**
 * The current path in the upstream's data, from the outermost name or index. Costs an assignment per value,
 * and becomes text only for errors.
 */
export class JsonPathTracker {
  readonly #steps: (string | number)[] = [];
  #depth = 0;

  /** Goes back to the beginning. */
  restart(): void {
    this.#depth = 0;
  }

  /** Goes one level deeper; the data's own depth is bounded here. */
  enter(): void {
    this.#depth += 1;
    if (this.#depth > LEVELS) throw this.misfit(`at most ${LEVELS} levels`, undefined);
  }

  leave(): void {
    this.#depth -= 1;
  }

  /** The member or the item that is read next, on this level. */
  at(step: string | number): void {
    this.#steps[this.#depth - 1] = step;
  }

  misfit(expected: string, found: unknown): GatewayError {
    const steps = this.#steps.slice(0, this.#depth);
    const place = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
    return badResponse(`${place || 'the body'}: expected ${expected}, found ${describe(found)}`);
  }
}

const DESCRIBED_LENGTH = 40;

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, DESCRIBED_LENGTH));
  return typeof value === 'object' ? 'an object' : String(value);
}

/** Makes a value of what the upstream sent, which is shared: it is never changed. */
export type ValueReader = (value: unknown, trail: JsonPathTracker) => Value;

/** Takes note of a value of one property that is read as far as it can be; undefined where it is an error. */
export type Mismatch = ((expected: string, found: unknown) => void) | undefined;

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
export function lenientItems(read: ValueReader, note: NonNullable<Mismatch>): ValueReader {
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

/** Reads values of a primitive type, or of none; with a `note`, as far as they can be read. */
export function primitive(
  name: Extract<ValueType, { kind: 'primitive' }>['name'],
  values: JsonValues,
  note: Mismatch,
): ValueReader {
  if (!isComparable(name)) return untyped;
  return leafReader(name, jsonLeaf(name, values, note === undefined), (expected, found, trail) => {
    if (note === undefined) throw trail.misfit(expected, found);
    note(expected, found);
    return readLeniently(name, found) ?? null;
  });
}

/**
 * Reads values other than null and undefined. `otherwise` returns a replacement for an invalid value, or
 * throws.
 */
export function leafReader(
  type: PrimitiveTypeName,
  { check, convert }: JsonLeaf,
  otherwise: (expected: string, found: unknown, trail: JsonPathTracker) => Value,
): ValueReader {
  return (value, trail) => {
    if (!check.accepts(value)) return otherwise(check.expected, value, trail);
    const exact = value instanceof ExactNumber ? exactValue(type, value) : value;
    if (convert === undefined) return exact as Value;
    return convert(exact) ?? otherwise(`a value of ${type}`, value, trail);
  };
}

/** The digits where the type can hold them, else the nearest double. */
function exactValue(type: PrimitiveTypeName, number: ExactNumber): string | number {
  const holds = type === 'Edm.Decimal' || type === 'Edm.Int64' || type === 'Edm.String';
  return holds ? number.text : number.valueOf();
}

/** The upstream's values by the names of the members; flags also in a list or as a sum. */
export function enumeration(type: EnumerationType, note: Mismatch): ValueReader {
  const { name, members, flags } = type;
  const names = new Map<unknown, string>(members.map((member) => [member.upstreamValue, member.name]));
  const namesOf = (value: unknown): string | undefined => {
    const member = names.get(value);
    if (member !== undefined || !flags) return member;
    if (type.listed === true && Array.isArray(value)) {
      const listed = new Set(listedNames(names, value));
      const set = members.filter((each) => listed.has(each.name) || (listed.size === 0 && each.value === 0));
      return listed.has(undefined) ? undefined : set.map((each) => each.name).join(',');
    }
    const parts = typeof value === 'number' ? bitNames(members, value) : listedNames(names, value);
    return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(',');
  };
  return (value, trail) => {
    const found = namesOf(value instanceof ExactNumber ? value.valueOf() : value);
    if (found !== undefined) return found;
    if (note === undefined) throw trail.misfit(`a value of ${name}`, value);
    note(`a value of ${name}`, value);
    return null;
  };
}

function listedNames(names: ReadonlyMap<unknown, string>, value: unknown): readonly (string | undefined)[] {
  const parts: readonly unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return parts.map((part) => names.get(typeof part === 'string' ? part.trim() : part));
}

/** The names of the bits of a sum; undefined for bits that no member has. */
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

/**
 * Converts a value of the wrong type: a number given as text, a text given as number, a date given with a
 * time. Undefined if impossible.
 */
export function readLeniently(type: PrimitiveTypeName, value: unknown): Value | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : READERS[type](text);
}

/** The text of a scalar; neither objects nor lists are texts. */
function textOf(value: unknown): string | undefined {
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'object' || value === undefined ? undefined : String(value);
}

type TextReader = (text: string) => Value | undefined;

/** An integer with a sign, and with decimals that say nothing. */
const INTEGER = /^\s*\+?(-?\d{1,40})(?:\.0*)?\s*$/;

const READERS: Readonly<Record<PrimitiveTypeName, TextReader>> = {
  'Edm.String': (text) => text,
  'Edm.Boolean': booleanOfText,
  'Edm.SByte': toInteger('Edm.SByte'),
  'Edm.Byte': toInteger('Edm.Byte'),
  'Edm.Int16': toInteger('Edm.Int16'),
  'Edm.Int32': toInteger('Edm.Int32'),
  'Edm.Int64': int64OfText,
  'Edm.Single': numberOfText,
  'Edm.Double': numberOfText,
  'Edm.Decimal': decimalOfText,
  'Edm.Binary': formed('Edm.Binary'),
  'Edm.Date': toDate,
  'Edm.DateTimeOffset': toDateTimeOffset,
  'Edm.TimeOfDay': formed('Edm.TimeOfDay'),
  'Edm.Duration': formed('Edm.Duration'),
  'Edm.Guid': toGuid,
};

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function booleanOfText(text: string): boolean | undefined {
  return BOOLEANS.get(text.trim().toLowerCase());
}

function toInteger(type: PrimitiveTypeName): TextReader {
  const convert = conversionTo(type, 'JSON');
  return (text) => {
    const digits = INTEGER.exec(text)?.[1];
    return digits === undefined ? undefined : convert?.(Number(digits));
  };
}

const fromDigits: Conversion | undefined = conversionTo('Edm.Int64', 'JSON');

function int64OfText(text: string): Value | undefined {
  const digits = INTEGER.exec(text)?.[1];
  return digits === undefined ? undefined : fromDigits?.(digits);
}

const NUMBER = /^\s*[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,3})?\s*$/;

function numberOfText(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

const fromDecimal: Conversion | undefined = conversionTo('Edm.Decimal', 'JSON');

function decimalOfText(text: string): Value | undefined {
  return NUMBER.test(text) ? fromDecimal?.(text.trim()) : undefined;
}

function formed(type: PrimitiveTypeName): TextReader {
  const convert = conversionTo(type, 'JSON');
  return (text) => convert?.(text.trim());
}

/** A day, with a time behind it or without. */
const DAY = /^\s*(\d{4}-\d\d-\d\d)(?:[Tt ].*)?$/;

function toDate(text: string): string | undefined {
  const day = DAY.exec(text)?.[1];
  return day !== undefined && hasLiteralForm('Edm.Date', day) ? day : undefined;
}

/** A day, perhaps a time of it, perhaps an offset, as RFC 3339 has them or nearly so. */
const POINT_IN_TIME =
  /^\s*(\d{4}-\d\d-\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?) ?(?:([Zz]|UTC|GMT)|([+-]\d\d)(?::?(\d\d))?)?)?\s*$/;

const MOST_DECIMALS = 12;

/** Values without an offset are in UTC. */
function toDateTimeOffset(text: string): string | undefined {
  const [, day, time = '00:00:00', , hours, minutes = '00'] = POINT_IN_TIME.exec(text) ?? [];
  if (day === undefined) return undefined;
  const offset = hours === undefined ? 'Z' : `${hours}:${minutes}`;
  const [whole = '', decimals] = time.split(/[.,]/);
  const fraction = decimals === undefined ? '' : `.${decimals.slice(0, MOST_DECIMALS)}`;
  const written = `${day}T${whole}${fraction}${offset}`;
  return hasLiteralForm('Edm.DateTimeOffset', written) ? written : undefined;
}

const GUID = /^\s*\{?([\da-f]{8})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{4})-?([\da-f]{12})\}?\s*$/i;

function toGuid(text: string): string | undefined {
  return GUID.exec(text)?.slice(1).join('-');
}

/**
 * Takes note of a value of a source that is not what its document says, and is read as far as it can be. Values of
 * a source whose document is strict are an error instead.
 */
export type Lenience = (property: string, expected: string, found: unknown) => void;

export function lenienceOf(source: string, deviations: Deviations): Lenience {
  return (property, expected, found) => deviations.note(source, property, expected, kindOf(found));
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof ExactNumber)
    return 'a number';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : 'true or false';
}

/**
 * Whether it is a number that may have lost digits: the answer is to be read once more, exactly, before anything
 * is made of it.
 */
export function mayHaveLostDigits(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

/**
 * A member by its exact name, or by one that differs in case, if any; ignores members of Object.prototype.
 */
export function memberInAnyCase(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : foldedMember(object, foldNames(object), name);
}

/** The names that an object has, by themselves in lower case. */
export type FoldedNames = ReadonlyMap<string, string>;

export function foldNames(object: JsonObject): FoldedNames {
  return new Map(Object.keys(object).map((name) => [name.toLowerCase(), name]));
}

export function foldedMember(object: JsonObject, names: FoldedNames, name: string): unknown {
  const own = names.get(name.toLowerCase());
  return own === undefined ? undefined : object[own];
}
