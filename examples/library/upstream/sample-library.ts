import { createHash } from 'node:crypto';
import { type Pick, picker } from '../../../src/demo/picker.ts';
import { amount, exactNumber } from './exact-json.ts';
import {
  type Author,
  addDays,
  type Book,
  type Copy,
  copyKey,
  GENRES,
  type Holdings,
  type House,
  type Loan,
  type Member,
  type ReadingList,
  type Review,
} from './records.ts';
import * as words from './sample-words.ts';

const AUTHORS = 12;
const BOOKS = 60;
const MEMBERS = 40;
const LOANS = 120;
const OPEN_LOANS = 24;

/** A library that is the same at every start; changes are kept until the end of the process. */
export function sampleLibrary(now: () => Date): Holdings {
  const pick = picker(7);
  const authors = count(AUTHORS, (index) => sampleAuthor(pick, index));
  const books = count(BOOKS, (index) => sampleBook(pick, index));
  const copies = books.flatMap(({ ISBN }, index) => sampleCopies(pick, ISBN, index));
  const members = count(MEMBERS, (index) => sampleMember(pick, index));
  const loans = count(LOANS, (index) => sampleLoan(members, copies, index));
  return {
    house: HOUSE,
    authors: by(authors, ({ id }) => id),
    authorLog: [],
    books: by(books, ({ ISBN }) => ISBN),
    copies: by(copies, copyKey),
    reviews: new Map(books.map(({ ISBN }, index) => [ISBN, sampleReviews(pick, members, index)])),
    covers: new Map(),
    readingLists: new Map([[SUMMER.name, SUMMER]]),
    listedBooks: new Map([[SUMMER.name, new Set(books.slice(3, 6).map(({ ISBN }) => ISBN))]]),
    members: by(members, ({ id }) => id),
    loans: by(loans, ({ id }) => id),
    now,
  };
}

function count<T>(length: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length }, (_, index) => make(index));
}

function by<Key, T>(items: readonly T[], key: (item: T) => Key): Map<Key, T> {
  return new Map(items.map((item) => [key(item), item]));
}

/** The item at the index, from the start again after the end. */
function at<T>(items: readonly T[], index: number): T {
  const item = items[index % items.length];
  if (item === undefined) throw new RangeError('There is nothing to take from.');
  return item;
}

const HOUSE: House = {
  name: 'Library at the Old Ferry',
  founded: '1921-09-03',
  address: {
    street: 'Quay 4',
    'postal-code': '24101',
    city: 'Fennhaven',
    location: { latitude: 54.3512, longitude: 10.1398 },
  },
  'phone-numbers': ['+49 431 5550170', '+49 431 5550171'],
  'opening-hours': [
    { day: 'tuesday', opens: '10:00', closes: '19:00' },
    { day: 'thursday', opens: '10:00', closes: '19:00' },
    { day: 'saturday', opens: '09:30', closes: '14:00' },
  ],
};

const SUMMER: ReadingList = { name: 'summer', title: 'For warm evenings', note: null };

function sampleAuthor(pick: Pick, index: number): Author {
  const born = addDays('1931-02-11', index * 1709);
  return {
    id: index + 1,
    first_name: index === 8 ? null : at(words.FIRST_NAMES, index),
    last_name: at(words.AUTHOR_NAMES, index),
    born: index === 8 ? null : born,
    died: index < 3 ? addDays(born, 26_000 + index * 700) : null,
    languages: index % 4 === 1 ? ['de', pick(words.LANGUAGES)] : [pick(words.LANGUAGES)],
  };
}

function sampleBook(pick: Pick, index: number): Book {
  const genre = at(GENRES, index * 5 + Math.floor(index / 12));
  const book = {
    ISBN: isbnOf(index),
    title: at(words.TITLES, index)(pick),
    subtitle: genre === 'history' || genre === 'travel' ? pick(words.SUBTITLES) : null,
    author_id: (index % AUTHORS) + 1,
    genre,
    published: index === 41 ? null : addDays('1968-03-01', index * 353),
    price: amount(890 + ((index * 370) % 2600)),
    keywords: [...new Set([pick(words.KEYWORDS), pick(words.KEYWORDS)])],
    details:
      index % 5 === 4
        ? null
        : { publisher: pick(words.PUBLISHERS), ...(index % 3 === 0 && { edition: `${(index % 4) + 1}` }) },
    version: 1,
    changed_at: `${addDays('2026-01-02', index % 20)}T09:${10 + (index % 50)}:00Z`,
  };
  if (index % 6 !== 5) return { ...book, medium: 'print', pages: 96 + ((index * 47) % 420) };
  const running_time = `PT${4 + (index % 9)}H${(index * 7) % 60}M`;
  return {
    ...book,
    medium: 'audio',
    narrator: `${pick(words.FIRST_NAMES)} ${pick(words.MEMBER_NAMES)}`,
    running_time,
  };
}

/** ISO 2108: the last digit makes the sum of all, every second one three times, a multiple of ten. */
function isbnOf(index: number): string {
  const digits = `9783${String(40_000_000 + index * 137_911)}`;
  const sum = [...digits].reduce(
    (total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3),
    0,
  );
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

function sampleCopies(pick: Pick, ISBN: string, book: number): readonly Copy[] {
  return count((book % 3) + 1, (index) => ({
    ISBN,
    'copy-number': index + 1,
    // More digits than a double has.
    barcode: exactNumber(String(9_100_000_000_000_000_001n + BigInt(book * 1000 + index * 10))),
    condition: at(['good', 'new', 'good', 'worn', 'needs repair'], book + index * 3),
    acquired: addDays('2019-05-06', book * 31 + index * 200),
    shelf: book % 7 === 3 ? null : `${pick(words.SHELVES)}-${10 + book}`,
  }));
}

function sampleMember(pick: Pick, index: number): Member {
  const last_name = at(words.MEMBER_NAMES, index * 3 + 1);
  const first_name = at(words.FIRST_NAMES, index * 5 + Math.floor(index / 8));
  return {
    id: uuidOf(`member ${index}`),
    first_name,
    last_name,
    'e-mail': index % 9 === 5 ? null : `${first_name}.${last_name}@post.example`.toLowerCase(),
    pin: String(1000 + ((index * 733) % 9000)),
    active: index % 13 !== 12,
    channels: at([1, 3, 0, 5, 4, 1, 7], index),
    address: index % 8 === 6 ? null : sampleAddress(pick, index),
    joined: addDays('2021-01-11', index * 43),
  };
}

function sampleAddress(pick: Pick, index: number): Member['address'] {
  const location = { latitude: 54.3 + index / 1000, longitude: 10.1 + index / 500 };
  return {
    street: `${pick(words.STREETS)} ${((index * 3) % 70) + 1}`,
    'postal-code': String(24_101 + (index % 6) * 2),
    city: index % 5 === 4 ? 'Oberfenn' : 'Fennhaven',
    location: index % 3 === 0 ? location : null,
  };
}

function uuidOf(name: string): string {
  const hash = createHash('sha1').update(name).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `5${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}

/** Each copy was lent once; the last loans are still open. */
function sampleLoan(members: readonly Member[], copies: readonly Copy[], index: number): Loan {
  const copy = at(copies, index * 7);
  const day = addDays('2026-01-06', index);
  const kept = 9 + ((index * 11) % 26);
  const late = Math.max(0, kept - 28);
  const isOpen = index >= LOANS - OPEN_LOANS;
  return {
    id: index + 1,
    member_id: at(members, index * 3 + Math.floor(index / 40)).id,
    ISBN: copy.ISBN,
    'copy-number': copy['copy-number'],
    period: 'P28D',
    lent_at: `${day}T${10 + (index % 9)}:${10 + (index % 45)}:00Z`,
    'due-date': addDays(day, 28),
    returned_at: isOpen ? null : `${addDays(day, kept)}T${10 + (index % 8)}:05:30Z`,
    fine: amount(isOpen ? 0 : late * 20),
  };
}

function sampleReviews(pick: Pick, members: readonly Member[], book: number): Map<number, Review> {
  const reviews = count(book % 4, (index) => ({
    number: index + 1,
    member_id: at(members, book * 3 + index * 11).id,
    rating: 5 - ((book + index * 2) % 5),
    text: (book + index) % 5 === 0 ? null : pick(words.OPINIONS),
    written_at: `${addDays('2026-02-01', book + index)}T20:15:00Z`,
  }));
  return by(reviews, ({ number }) => number);
}
