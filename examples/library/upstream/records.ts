import {
  boolean,
  date,
  degrees,
  digits,
  integer,
  list,
  map,
  nullable,
  oneOf,
  type Read,
  type Reader,
  record,
  text,
  withDefault,
} from './readers.ts';

export const GENRES = ['novel', 'crime', 'science-fiction', 'poetry', 'history', 'travel'] as const;
const CONDITIONS = ['new', 'good', 'worn', 'needs repair'] as const;
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

const MOST = 2_147_483_647;
const isbn = text(13, /^\d{13}$/);
const uuid = text(36, /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
const time = text(5, /^([01]\d|2[0-3]):[0-5]\d$/);
/** Whole days: what a library lends by the hour is no book. */
const days = text(8, /^P\d{1,3}D$/);
export const readCondition = oneOf(CONDITIONS);
export const readGenre = oneOf(GENRES);
export const readChannels = integer(0, 7);
export const readDate = date;

const address = record({
  street: text(100),
  'postal-code': nullable(text(5, /^\d{5}$/)),
  city: text(50),
  location: nullable(record({ latitude: degrees(90), longitude: degrees(180) })),
});

export const readHouse = record({
  name: text(100),
  founded: nullable(date),
  address,
  'phone-numbers': withDefault(list(text(30)), []),
  'opening-hours': withDefault(list(record({ day: oneOf(WEEKDAYS), opens: time, closes: time })), []),
});
export type House = Read<typeof readHouse>;

export const readNewAuthor = record({
  first_name: nullable(text(50)),
  last_name: text(50),
  born: nullable(date),
  died: nullable(date),
  languages: list(text(2, /^[a-z]{2}$/)),
});
export type Author = Read<typeof readNewAuthor> & { readonly id: number };

const book = {
  ISBN: isbn,
  title: text(200),
  subtitle: nullable(text(200)),
  author_id: integer(1, MOST),
  genre: readGenre,
  published: nullable(date),
  price: digits(/^\d{1,5}(\.\d{1,2})?$/, 'an amount with at most two decimals'),
  keywords: withDefault(list(text(30)), []),
  details: withDefault(nullable(map(text(200))), null),
} as const;

const readPrinted = record({ ...book, medium: oneOf(['print']), pages: integer(1, MOST) });
const readAudio = record({
  ...book,
  medium: oneOf(['audio']),
  narrator: text(100),
  running_time: text(12, /^P(?=.)(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?$/),
});
type NewBook = Read<typeof readPrinted> | Read<typeof readAudio>;
export type Book = NewBook & { readonly version: number; readonly changed_at: string };

const readMedium = record({ medium: oneOf(['print', 'audio']) });

export const readNewBook: Reader<NewBook> = (value) =>
  readMedium(value).medium === 'audio' ? readAudio(value) : readPrinted(value);

export const readNewReview = record({
  member_id: uuid,
  rating: integer(1, 5),
  text: nullable(text(2000)),
});
export type Review = Read<typeof readNewReview> & { readonly number: number; readonly written_at: string };

export const readCopy = record({
  ISBN: isbn,
  'copy-number': integer(1, MOST),
  barcode: digits(/^\d{1,19}$/, 'an integer of at most 19 digits'),
  condition: readCondition,
  acquired: date,
  shelf: nullable(text(10)),
});
export type Copy = Read<typeof readCopy>;

export const readNewReadingList = record({ title: text(100), note: nullable(text(500)) });
export type ReadingList = Read<typeof readNewReadingList> & { readonly name: string };

export const readNewMember = record({
  first_name: text(50),
  last_name: text(50),
  'e-mail': nullable(text(100, /^[^@ ]+@[^@ ]+$/)),
  pin: nullable(text(4, /^\d{4}$/)),
  active: withDefault(boolean, true),
  channels: withDefault(readChannels, 0),
  address: nullable(address),
});
/** The PIN is kept, and never shown. */
export type Member = Read<typeof readNewMember> & { readonly id: string; readonly joined: string };

export const readNewLoan = record({
  member_id: uuid,
  ISBN: isbn,
  'copy-number': integer(1, MOST),
  period: withDefault(days, 'P28D'),
});
export type Loan = Read<typeof readNewLoan> & {
  readonly id: number;
  readonly lent_at: string;
  readonly 'due-date': string;
  readonly returned_at: string | null;
  readonly fine: number | { readonly rawJSON: string };
};

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

const DAY_MS = 86_400_000;

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The number of days from the first to the second date; may be negative. */
export function daysBetween(first: string, second: string): number {
  return Math.round((Date.parse(second) - Date.parse(first)) / DAY_MS);
}

/** The day of a moment. */
export function dayOf(moment: string): string {
  return moment.slice(0, 10);
}

/** The number of days that a period such as `P28D` is long. */
export function daysOf(period: string): number {
  return Number(period.slice(1, -1));
}
