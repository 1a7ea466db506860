import type { Row } from '../../contract/row.ts';
import type { Rows } from '../../contract/rows.ts';
import type { AnswerPath } from '../../model/paging.ts';
import type { JsonPathTracker } from './json-path-tracker.ts';
import type { LazyReading } from './response-decoder.ts';
import { type ListReader, listDirectly, trailToItems } from './wrapped-value.ts';

/** Makes a row of what the upstream sent, which is shared: it is never changed. */
type RowReader = (object: unknown, trail: JsonPathTracker) => Row;

/**
 * Rows that are made while somebody goes through them: those that nobody keeps take no memory. `wrappedIn` is the
 * place in an answer that has the list, which `demandList` finds there.
 */
export function passingRows(
  read: RowReader,
  wrappedIn: AnswerPath | undefined,
  demandList: ListReader,
): (source: unknown, late: LazyReading) => Rows {
  const listIn = listDirectly(demandList, wrappedIn);
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
