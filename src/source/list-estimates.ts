import type { CollectionSnapshot, ListEstimate, ListPart } from '../contract/entity-source.ts';
import type { ListOperation } from '../model/operation.ts';

/** Remembers how long lists are and how many rows a page has; no values of rows. */
export class ListEstimates {
  readonly #known = new Map<string, ListEstimate>();
  readonly #pages = new Map<string, number>();

  of(operation: ListOperation): ListEstimate | undefined {
    return this.#known.get(keyOf(operation));
  }

  /** The number of pages of the whole list, if a first page has shown it. */
  pagesOf(operation: ListOperation): number | undefined {
    return this.#pages.get(keyOf(operation));
  }

  notePages(operation: ListOperation, pages: number): void {
    this.#pages.set(keyOf(operation), pages);
  }

  notePage(operation: ListOperation, rows: number): void {
    const { pageSize = 0, total } = this.of(operation) ?? {};
    if (rows > pageSize) this.#known.set(keyOf(operation), { pageSize: rows, total });
  }

  /** Notes a read of the list without arguments: its own, or all that its answers say. */
  noteList(operation: ListOperation, part: ListPart | undefined, snapshot: CollectionSnapshot): void {
    const { data, total } = snapshot;
    const counted = isWhole(part, snapshot) ? data.length : total;
    if (counted === undefined) return;
    const { pageSize = counted } = this.of(operation) ?? {};
    this.#known.set(keyOf(operation), { pageSize, total: counted });
  }
}

/** Whether all of the list has come. */
function isWhole(part: ListPart | undefined, { next }: CollectionSnapshot): boolean {
  if (part === undefined) return true;
  const isFromStart = part.from === undefined && part.skip === 0 && part.sieve === undefined;
  return isFromStart && part.top === undefined && next === undefined;
}

function keyOf({ source, id }: ListOperation): string {
  return `${source} ${id}`;
}
