import type { Author, Book, Copy, House, Loan, Member, ReadingList, Review } from './records.ts';

/** All that the library has; changed in place by what is asked of it. */
export interface Holdings {
  house: House;
  readonly authors: Map<number, Author>;
  /** The ids of authors, once for each change of one, in their order. */
  readonly authorLog: number[];
  /** By ISBN. */
  readonly books: Map<string, Book>;
  /** By {@link copyKey}. */
  readonly copies: Map<string, Copy>;
  /** By ISBN, each book's by their numbers. */
  readonly reviews: Map<string, Map<number, Review>>;
  /** The pictures that were put in place of a book's own, by ISBN; null where it was taken away. */
  readonly covers: Map<string, Buffer | null>;
  /** By their names. */
  readonly readingLists: Map<string, ReadingList>;
  /** The ISBNs of what is on a reading list, by its name. */
  readonly listedBooks: Map<string, Set<string>>;
  readonly members: Map<string, Member>;
  readonly loans: Map<number, Loan>;
  /** The time of the clock on the wall. */
  readonly now: () => Date;
}

type CopyKey = Pick<Copy, 'ISBN' | 'copy-number'>;

export function copyKey({ ISBN, 'copy-number': number }: CopyKey): string {
  return `${ISBN}/${number}`;
}

/** The loan of a copy that has not come back. */
export function openLoan({ loans }: Holdings, copy: CopyKey): Loan | undefined {
  const key = copyKey(copy);
  return [...loans.values()].find((loan) => loan.returned_at === null && copyKey(loan) === key);
}

export function copiesOf({ copies }: Holdings, isbn: string): readonly Copy[] {
  return [...copies.values()].filter(({ ISBN }) => ISBN === isbn);
}

/** The first number that none of them has. */
export function nextNumber(taken: ReadonlyMap<number, unknown>): number {
  return Math.max(0, ...taken.keys()) + 1;
}

/** The moment as the API writes it: seconds are enough for a library. */
export function timestamp(now: Date): string {
  return now.toISOString().replace(/\.\d+Z$/, 'Z');
}
