import type { Row, Rows, Value } from '../../contract/row.ts';
import { isObject, type JsonObject } from '../../core/json-object.ts';
import type { EntityType, PrimitiveTypeName } from '../../model/edm.ts';
import type { AnswerPath, ListOperation } from '../../model/operation.ts';
import { otherShape } from '../exchange/upstream-failure.ts';
import { type JsonLeaf, plainTypeOf } from './json-leaf.ts';
import { holderWithin, StructuralReaders } from './structural-reader.ts';
import {
  JsonPathTracker,
  type LazyReading,
  type Lenience,
  leafReader,
  mayHaveLostDigits,
  memberInAnyCase,
  readLeniently,
  untyped,
} from './value-reader.ts';

/** A property of a row and where it comes from. */
export interface RowColumn {
  /** The OData name. */
  readonly name: string;
  /** The name in the upstream's JSON. */
  readonly upstreamName: string;
  /** The objects in the upstream's JSON that hold it; none where it stands in that itself. */
  readonly within: readonly string[];
  readonly type: PrimitiveTypeName | 'Edm.Untyped';
  /** Undefined for values of no type in particular. */
  readonly leaf: JsonLeaf | undefined;
  readonly isRequired: boolean;
  /** Handles values that do not match; undefined if they are errors. */
  readonly lenient: LenientColumn | undefined;
}

/** A property whose values are read as far as they can be. */
interface LenientColumn {
  /** The property, as {@link Lenience} names it. */
  readonly place: string;
  readonly note: Lenience;
}

/** Makes a row of what the upstream sent, which is shared: it is never changed. */
export type RowReader = (object: unknown, trail: JsonPathTracker) => Row;

interface Column extends RowColumn {
  readonly type: PrimitiveTypeName;
}

/**
 * Compiles the reading of objects whose values are single and of primitive types, or of none: each property is looked at
 * once, and what is not wanted is not looked at.
 *
 * The reader is a function of its own, from source text: V8 learns which shapes a function meets, and closures
 * that are made at one place would share what was learned of the rows of all entity types. That costs four
 * times as much a row.
 */
export function compileRowReader(columns: readonly RowColumn[]): RowReader {
  const readers = columns.map(columnReader);
  const places = distinctPlaces(columns);
  const holders = places.map((within) => (object: JsonObject) => holderWithin(object, within) ?? NO_MEMBERS);
  const generate = new Function('isObject', 'readers', 'holders', sourceText(columns, places)) as (
    isObject: (value: unknown) => boolean,
    readers: readonly ColumnReader[],
    holders: readonly ((object: JsonObject) => JsonObject)[],
  ) => RowReader;
  return generate(isObject, readers, holders);
}

/** Represents a missing object. */
const NO_MEMBERS: JsonObject = Object.freeze({});

/** The places beside the object itself that columns are read from. */
function distinctPlaces(columns: readonly RowColumn[]): readonly (readonly string[])[] {
  const places = columns.filter(({ within }) => within.length > 0).map(({ within }) => within);
  return [...new Map(places.map((within) => [JSON.stringify(within), within])).values()];
}

/** In strings of JSON, which are strings of JavaScript: names are never code. */
function sourceText(columns: readonly RowColumn[], places: readonly (readonly string[])[]): string {
  const keys = places.map((within) => JSON.stringify(within));
  const holderOf = ({ within }: RowColumn): string =>
    within.length === 0 ? 'object' : `holder${keys.indexOf(JSON.stringify(within))}`;
  const held = places.map((_, index) => `const holder${index} = holders[${index}](object);`);
  const found = columns.map(
    (column, index) => `const found${index} = ${holderOf(column)}[${JSON.stringify(column.upstreamName)}];`,
  );
  const members = columns.map((column, index) => {
    const otherwise = `read${index}(${holderOf(column)}, found${index}, trail)`;
    return `${keyText(column.name)}: ${valueText(column, `found${index}`, otherwise)},`;
  });
  return `
    const [${columns.map((_, index) => `read${index}`)}] = readers;
    return (object, trail) => {
      if (!isObject(object)) throw trail.misfit('an object', object);
      ${[...held, ...found].join('\n')}
      return {
        ${members.join('\n')}
      };
    };`;
}

/**
 * A key of an object's literal. As a computed one each would be set by itself, which costs the more the more there are:
 * of 400, fifty times as much. `__proto__` alone would set the prototype otherwise.
 */
function keyText(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name);
}

/** The commonest types are decided by one look at the value. Most integers have 32 bits, whichever they may have. */
function valueText({ type, leaf }: RowColumn, found: string, otherwise: string): string {
  if (leaf === undefined) return otherwise;
  const { scalar, convert } = leaf;
  const isInteger = `typeof ${found} === 'number' && ${found} === (${found} | 0)`;
  if (scalar === 'BigInt' && type === 'Edm.String') return `${isInteger} ? String(${found}) : ${otherwise}`;
  if (scalar === 'BigInt' && type === 'Edm.Int64') return `${isInteger} ? ${found} : ${otherwise}`;
  if (convert !== undefined) return otherwise;
  if (scalar === 'Int') return `${isInteger} ? ${found} : ${otherwise}`;
  const jsType = plainTypeOf(scalar);
  return jsType === undefined ? otherwise : `typeof ${found} === '${jsType}' ? ${found} : ${otherwise}`;
}

/** Reads one value of an object, whatever it is. */
type ColumnReader = (object: JsonObject, found: unknown, trail: JsonPathTracker) => Value;

function columnReader(plain: RowColumn): ColumnReader {
  const { type, leaf } = plain;
  if (type === 'Edm.Untyped' || leaf === undefined)
    return (object, found, trail) => readUntyped(object, found, plain, trail);
  const column: Column = { ...plain, type };
  const read = leafReader(type, leaf, (expected, misfit, trail) =>
    mismatchError(expected, misfit, column, trail),
  );
  return (object, found, trail) => {
    const value = ownValue(object, found, column.upstreamName);
    if (value !== null && value !== undefined) return read(value, trail);
    if (column.isRequired) throw mismatch('a value', value, column, trail);
    return null;
  };
}

/** Objects are levels of the data's depth. */
function readUntyped(
  object: JsonObject,
  found: unknown,
  { upstreamName }: RowColumn,
  trail: JsonPathTracker,
): Value {
  trail.enter();
  trail.at(upstreamName);
  const value = untyped(ownValue(object, found, upstreamName), trail);
  trail.leave();
  return value;
}

/** Members of Object.prototype are objects or functions, so numbers and strings are own members. */
function ownValue(object: JsonObject, found: unknown, upstreamName: string): unknown {
  const isOwn = typeof found === 'number' || typeof found === 'string';
  return isOwn ? found : memberInAnyCase(object, upstreamName);
}

function mismatchError(expected: string, found: unknown, column: Column, trail: JsonPathTracker): Value {
  const { lenient, type } = column;
  if (lenient === undefined || mayHaveLostDigits(found)) throw mismatch(expected, found, column, trail);
  lenient.note(lenient.place, expected, found);
  return readLeniently(type, found) ?? null;
}

function mismatch(
  expected: string,
  found: unknown,
  { upstreamName }: RowColumn,
  trail: JsonPathTracker,
): Error {
  trail.enter();
  trail.at(upstreamName);
  return trail.misfit(expected, found);
}

/** Reads an answer, or the value at a place in it. */
export function directly<Data>(
  read: (source: unknown, trail: JsonPathTracker) => Data,
  wrappedIn: AnswerPath = [],
): (source: unknown) => Data {
  const trail = new JsonPathTracker();
  return (source) => {
    trail.restart();
    for (const name of wrappedIn) step(trail, name);
    return read(valueAt(source, wrappedIn), trail);
  };
}

/** Reads the list that an answer is, or that stands in the object that it is. */
export function listDirectly<Data>(
  read: (list: unknown, trail: JsonPathTracker) => Data,
  wrappedIn: AnswerPath = [],
): (source: unknown) => Data {
  const readList = directly(read, wrappedIn);
  if (wrappedIn.length === 0) return readList;
  return (source) => {
    const isObject = typeof source === 'object' && source !== null && !Array.isArray(source);
    if (!isObject) throw new JsonPathTracker().misfit('an object', source);
    return readList(source);
  };
}

/** A new trail to the items of a list. */
function trailToItems(wrappedIn: AnswerPath = []): JsonPathTracker {
  const trail = new JsonPathTracker();
  for (const name of wrappedIn) step(trail, name);
  trail.enter();
  return trail;
}

function step(trail: JsonPathTracker, name: string): void {
  trail.enter();
  trail.at(name);
}

/** The value at a path of a response, if any. */
export function valueAt(source: unknown, path: AnswerPath): unknown {
  return path.reduce(memberOf, source);
}

function memberOf(source: unknown, name: string): unknown {
  const isObject = typeof source === 'object' && source !== null;
  return isObject ? memberInAnyCase(source as Readonly<Record<string, unknown>>, name) : undefined;
}

/** Finds the items of the list that an answer holds. */
type ListReader = (list: unknown, trail: JsonPathTracker) => readonly unknown[];

/** The place of a list in an answer, and of the key in its entities. */
interface ListPlace extends Pick<ListOperation, 'id' | 'wrappedIn' | 'paging'> {
  /** The places of the key in each entity. */
  readonly key: readonly AnswerPath[];
}

/**
 * Returns the items of a list. Anything else is an error, except in a document that is read leniently: there, one object
 * with a key is a whole list of that, and nothing in the place of a list within an object is an empty list.
 */
export function listReader({ id, wrappedIn = [], paging, key }: ListPlace, lenience?: Lenience): ListReader {
  const place = [id, ...wrappedIn].join('/');
  const isBare = wrappedIn.length === 0;
  const mayBeOne = isBare && paging === undefined && key.length > 0;
  return (list, trail) => {
    if (Array.isArray(list)) return list;
    const isOne = mayBeOne && key.every((path) => isScalar(valueAt(list, path)));
    const isMissing = !isBare && (list === null || list === undefined);
    if (lenience === undefined || !(isOne || isMissing)) {
      const error = trail.misfit('a list', list);
      throw isObject(list) ? otherShape('a list', error) : error;
    }
    lenience(place, 'a list', list);
    return isOne ? [list] : [];
  };
}

function isScalar(value: unknown): boolean {
  return value !== null && value !== undefined && (typeof value !== 'object' || value instanceof Number);
}

/** Reads one object, for which a document that is read leniently may have a list of one. */
export function singleReader<Data>(
  read: (source: unknown, trail: JsonPathTracker) => Data,
  place: string,
  lenience?: Lenience,
): (source: unknown, trail: JsonPathTracker) => Data {
  return (found, trail) => {
    if (!Array.isArray(found)) return read(found, trail);
    if (lenience === undefined || found.length !== 1) {
      throw otherShape('one object', trail.misfit('an object', found));
    }
    lenience(place, 'one object', found);
    return read(found[0], trail);
  };
}

/** Reads a list where one entity is asked for: of a document that is read leniently, it may come without a list around it. */
export function listOfOneReader(read: ListReader, lenience?: Lenience): ListReader {
  return (found, trail) => (lenience !== undefined && isObject(found) ? [found] : read(found, trail));
}

/**
 * Rows that are decoded on iteration, so that rows which are not kept take no memory. `wrappedIn` is the path
 * of the list in a response, which `requireList` finds.
 */
export function passingRows(
  read: RowReader,
  wrappedIn: AnswerPath | undefined,
  requireList: ListReader,
): (source: unknown, late: LazyReading) => Rows {
  const listIn = listDirectly(requireList, wrappedIn);
  return (source, { again, report }) => {
    const items = listIn(source);
    const list: RowList = {
      items,
      read,
      trail: () => trailToItems(wrappedIn),
      again() {
        const found = again();
        return found === undefined ? undefined : listIn(found);
      },
      report,
    };
    return { length: items.length, [Symbol.iterator]: () => new RowCursor(list) };
  };
}

interface RowList extends LazyReading {
  readonly items: readonly unknown[];
  readonly read: RowReader;
  /** A new trail to the items. */
  readonly trail: () => JsonPathTracker;
  readonly again: () => readonly unknown[] | undefined;
}

/** An iterator that goes through the rows once. */
class RowCursor implements Iterator<Row> {
  readonly #list: RowList;
  #items: readonly unknown[];
  #trail: JsonPathTracker;
  #index = 0;

  constructor(list: RowList) {
    this.#list = list;
    this.#items = list.items;
    this.#trail = list.trail();
  }

  next(): IteratorResult<Row> {
    const index = this.#index;
    if (index >= this.#items.length) return { done: true, value: undefined };
    this.#index = index + 1;
    this.#trail.at(index);
    return { done: false, value: this.#read(index) };
  }

  #read(index: number): Row {
    try {
      return this.#list.read(this.#items[index], this.#trail);
    } catch (error) {
      // Only an integer that no number holds is worth a second, slower look.
      const items = this.#items === this.#list.items ? this.#list.again() : undefined;
      if (items === undefined) {
        this.#list.report(error);
        throw error;
      }
      this.#items = items;
      this.#trail = this.#list.trail();
      this.#trail.at(index);
      return this.#read(index);
    }
  }
}

/** Reads the key of an entity: an object that has its properties, or the value of the only one. */
export function keyReader({ key, structuralProperties, name }: EntityType) {
  const readers = new StructuralReaders('complete');
  const parts = key.flatMap((part) => {
    const property = structuralProperties.get(part);
    return property === undefined ? [] : [{ part, property, read: readers.use(property) }];
  });
  return (value: unknown, trail: JsonPathTracker): Row => {
    const isObject = typeof value === 'object' && value !== null && !(value instanceof Number);
    if (!isObject && parts.length !== 1) throw trail.misfit(`the key of ${name}`, value);
    const values = parts.map(({ part, property: { upstreamName, within = [] }, read }) => {
      const found = isObject ? valueAt(value, [...within, upstreamName]) : value;
      if (found === null || found === undefined) throw trail.misfit(`the key of ${name}`, value);
      return [part, read(found, trail)] as const;
    });
    return Object.fromEntries(values);
  };
}
