import type { Row, Rows } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import type { AnswerPath } from '../../model/operation.ts';
import { JsonPathTracker, type LazyReading } from './response-decoder.ts';
import { memberInAnyCase, StructuralReaders } from './structural-reader.ts';
import type { Lenience } from './value-reader.ts';

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

/** What an answer holds at a place; undefined where there is none. */
export function valueAt(source: unknown, path: AnswerPath): unknown {
  return path.reduce(memberOf, source);
}

export function memberOf(source: unknown, name: string): unknown {
  const isObject = typeof source === 'object' && source !== null;
  return isObject ? memberInAnyCase(source as Readonly<Record<string, unknown>>, name) : undefined;
}

/** Finds the items of the list that an answer holds. */
type ListReader = (list: unknown, trail: JsonPathTracker) => readonly unknown[];

/**
 * What is no list is an error, but for nothing in the place of a list that stands in an object: of a document that is
 * read leniently, that is an empty one. `place` names it there.
 */
export function listReader(wrappedIn: AnswerPath = [], place: string, lenience?: Lenience): ListReader {
  const mayBeMissing = lenience !== undefined && wrappedIn.length > 0;
  return (list, trail) => {
    if (Array.isArray(list)) return list;
    if (!mayBeMissing || (list !== null && list !== undefined)) throw trail.misfit('a list', list);
    lenience(`${place}/${wrappedIn.join('/')}`, 'a list', list);
    return [];
  };
}

/** Makes a row of what the upstream sent, which is shared: it is never changed. */
type RowReader = (object: unknown, trail: JsonPathTracker) => Row;

/**
 * Rows that are made while somebody goes through them: those that nobody keeps take no memory. `wrappedIn` is the
 * place in an answer that has the list, which `demandList` finds there.
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

/** Once through the rows. */
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
