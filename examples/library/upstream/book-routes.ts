import { digitsOf } from './exact-json.ts';
import { created, DONE, found, type LibraryAnswer, type LibraryRequest, type Route } from './exchange.ts';
import { integer, notFound, Problem, type Reader, readBody } from './readers.ts';
import { type Book, copiesOf, openLoan, readGenre, readNewBook, timestamp } from './records.ts';

export const BOOK_ROUTES: readonly Route[] = [
  ['GET /books', listBooks],
  ['POST /books', createBook],
  ['GET /books/{isbn}', (request) => tagged(200, bookAt(request))],
  ['PUT /books/{isbn}', replaceBook],
  ['DELETE /books/{isbn}', deleteBook],
  ['GET /books/{isbn}/availability', availability],
  ['GET /books/{isbn}/cover', readCover],
  ['PUT /books/{isbn}/cover', (request) => setCover(request, request.bytes)],
  ['DELETE /books/{isbn}/cover', (request) => setCover(request, null)],
];

const MOST = 2_147_483_647;

function listBooks({ holdings, query }: LibraryRequest): LibraryAnswer {
  const author = parameter(query, 'author_id', (value) => integer(1, MOST)(Number(value)));
  const genre = parameter(query, 'genre', readGenre);
  const offset = parameter(query, 'offset', (value) => integer(0, MOST)(Number(value))) ?? 0;
  const limit = parameter(query, 'limit', (value) => integer(1, MOST)(Number(value))) ?? MOST;
  const books = [...holdings.books.values()]
    .filter((book) => author === undefined || book.author_id === author)
    .filter((book) => genre === undefined || book.genre === genre)
    .toSorted(orderOf(query.get('sort') ?? 'ISBN'));
  return found({ items: books.slice(offset, offset + limit), total: books.length });
}

function parameter<T>(query: URLSearchParams, name: string, reader: Reader<T>): T | undefined {
  const value = query.get(name);
  return value === null ? undefined : readBody(reader, value);
}

const SORTABLE = [
  'ISBN',
  'medium',
  'title',
  'subtitle',
  'author_id',
  'genre',
  'published',
  'price',
  'version',
  'changed_at',
] as const;

/** Compares by the first of the named properties that differ; null comes first. */
function orderOf(sort: string): (a: Book, b: Book) => number {
  const terms = sort.split(',').map((term) => {
    const [name, direction = 'asc', ...more] = term.trim().split(/ +/);
    const property = SORTABLE.find((each) => each === name);
    if (property === undefined || !/^(asc|desc)$/.test(direction) || more.length > 0) {
      throw new Problem(422, `Books cannot be sorted by ${JSON.stringify(term)}.`);
    }
    return { property, sign: direction === 'desc' ? -1 : 1 };
  });
  return (a, b) => {
    for (const { property, sign } of terms) {
      const order = compare(a[property], b[property]);
      if (order !== 0) return sign * order;
    }
    return 0;
  };
}

function compare(a: Book[(typeof SORTABLE)[number]], b: typeof a): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  const [x, y] = [sortValue(a), sortValue(b)];
  return x < y ? -1 : Number(x > y);
}

function sortValue(value: unknown): string | number {
  const digits = digitsOf(value);
  return digits === undefined ? String(value) : Number(digits);
}

function bookAt({ holdings, path: [isbn = ''] }: LibraryRequest): Book {
  const book = holdings.books.get(isbn);
  if (book === undefined) throw notFound(`book ${isbn}`);
  return book;
}

function tagged(status: 200 | 201, book: Book): LibraryAnswer {
  return { status, json: book, etag: etagOf(book) };
}

function etagOf({ version }: Book): string {
  return `"${version}"`;
}

function createBook({ holdings, json }: LibraryRequest): LibraryAnswer {
  const { books, reviews } = holdings;
  const input = readBody(readNewBook, json());
  if (books.has(input.ISBN)) throw new Problem(409, `There is a book ${input.ISBN} already.`);
  assertAuthor(holdings, input.author_id);
  const book = { ...input, version: 1, changed_at: timestamp(holdings.now()) };
  books.set(book.ISBN, book);
  reviews.set(book.ISBN, new Map());
  const { status, json: body } = created(book, '');
  return { status, json: body, location: `/books/${book.ISBN}`, etag: etagOf(book) };
}

function replaceBook(request: LibraryRequest): LibraryAnswer {
  const { holdings, json } = request;
  const current = bookAt(request);
  assertMatch(request, current);
  const input = readBody(readNewBook, json());
  if (input.ISBN !== current.ISBN || input.medium !== current.medium) {
    throw new Problem(422, 'The ISBN and the medium of a book do not change.');
  }
  assertAuthor(holdings, input.author_id);
  const book = { ...input, version: current.version + 1, changed_at: timestamp(holdings.now()) };
  holdings.books.set(book.ISBN, book);
  return tagged(200, book);
}

function assertAuthor({ authors }: LibraryRequest['holdings'], id: number): void {
  if (!authors.has(id)) throw new Problem(422, `There is no author ${id}.`);
}

/** RFC 9110, 13.1.1. */
function assertMatch({ ifMatch }: LibraryRequest, book: Book): void {
  if (ifMatch === undefined || ifMatch === '*') return;
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes(etagOf(book))) throw new Problem(412, `The book is at version ${book.version}.`);
}

function deleteBook(request: LibraryRequest): LibraryAnswer {
  const { holdings } = request;
  const book = bookAt(request);
  assertMatch(request, book);
  if (copiesOf(holdings, book.ISBN).length > 0) throw new Problem(409, `Book ${book.ISBN} has copies.`);
  for (const held of [holdings.books, holdings.reviews, holdings.covers]) held.delete(book.ISBN);
  return DONE;
}

function availability(request: LibraryRequest): LibraryAnswer {
  const copies = copiesOf(request.holdings, bookAt(request).ISBN);
  const loans = copies.flatMap((copy) => openLoan(request.holdings, copy) ?? []);
  const [nextDue = null] = loans.map((loan) => loan['due-date']).toSorted();
  return found({ copies: copies.length, available: copies.length - loans.length, 'next-due': nextDue });
}

function readCover(request: LibraryRequest): LibraryAnswer {
  const book = bookAt(request);
  const kept = request.holdings.covers.get(book.ISBN);
  if (kept === null) throw notFound(`cover of book ${book.ISBN}`);
  return { status: 200, media: { type: 'image/svg+xml', bytes: kept ?? drawCover(book) } };
}

function setCover(request: LibraryRequest, bytes: Buffer | null): LibraryAnswer {
  request.holdings.covers.set(bookAt(request).ISBN, bytes);
  return DONE;
}

const COLOURS = ['#234e70', '#8a3033', '#3f6b3a', '#6b4a80', '#8a6a1f', '#2f6a6a'];

/** The picture that a book has unless another one is put in its place. */
function drawCover({ ISBN, title }: Book): Buffer {
  const colour = COLOURS[Number(ISBN) % COLOURS.length];
  return Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 180"><rect width="120" height="180" fill="${colour}"/>` +
      `<text x="60" y="80" fill="#fff" font-family="serif" font-size="9" text-anchor="middle">${escapeXml(title)}</text></svg>`,
  );
}

function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.codePointAt(0)};`);
}
