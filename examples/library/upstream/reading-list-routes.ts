import { DONE, found, type LibraryAnswer, type LibraryRequest, type Route } from './exchange.ts';
import { notFound, Problem, readBody } from './readers.ts';
import { type ReadingList, readNewReadingList } from './records.ts';

/** A list of recommended books. */
export const READING_LIST_ROUTES: readonly Route[] = [
  ['GET /reading-lists', listReadingLists],
  ['POST /reading-lists', createReadingList],
  ['GET /reading-lists/{name}', (request) => tagged(200, readingListAt(request))],
  ['PUT /reading-lists/{name}', putReadingList],
  ['DELETE /reading-lists/{name}', deleteReadingList],
  ['GET /reading-lists/{name}/books', listBooks],
  ['PUT /reading-lists/{name}/books/{isbn}', listBook],
  ['DELETE /reading-lists/{name}/books/{isbn}', unlistBook],
];

function listReadingLists({ holdings: { readingLists } }: LibraryRequest): LibraryAnswer {
  return found([...readingLists.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)));
}

/** Responds with the URL of the new list, without content. */
function createReadingList({ holdings, json }: LibraryRequest): LibraryAnswer {
  const body = readBody(readNewReadingList, json());
  const name = nameOf(body.title);
  if (holdings.readingLists.has(name)) throw new Problem(409, `There is a reading list ${name} already.`);
  keep(holdings, { ...body, name });
  return { status: 201, location: `/reading-lists/${name}` };
}

function nameOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['list'];
  return words.join('-').slice(0, 40);
}

function keep({ readingLists, listedBooks }: LibraryRequest['holdings'], list: ReadingList): void {
  readingLists.set(list.name, list);
  if (!listedBooks.has(list.name)) listedBooks.set(list.name, new Set());
}

/** An existing list can only be replaced with a condition on its state (RFC 6585, 3). */
function putReadingList({ holdings, path: [name = ''], json, ifMatch }: LibraryRequest): LibraryAnswer {
  const current = holdings.readingLists.get(name);
  if (!/^[a-z0-9-]{1,40}$/.test(name))
    throw new Problem(422, 'A name has small letters, digits and hyphens.');
  if (current !== undefined) assertState(current, ifMatch);
  else if (ifMatch !== undefined) throw new Problem(412, `There is no reading list ${name}.`);
  const list = { ...readBody(readNewReadingList, json()), name };
  keep(holdings, list);
  return { ...tagged(current === undefined ? 201 : 200, list), location: `/reading-lists/${name}` };
}

function assertState(list: ReadingList, ifMatch: string | undefined): void {
  if (ifMatch === undefined) throw new Problem(428, 'If-Match says which state of the list is replaced.');
  const tags = ifMatch.split(',').map((tag) => tag.trim());
  if (!tags.includes('*') && !tags.includes(etagOf(list))) throw new Problem(412, 'The list has changed.');
}

function tagged(status: 200 | 201, list: ReadingList): LibraryAnswer {
  return { status, json: list, etag: etagOf(list) };
}

function etagOf({ title, note }: ReadingList): string {
  return `"${Buffer.from(JSON.stringify([title, note])).toString('base64url')}"`;
}

function deleteReadingList(request: LibraryRequest): LibraryAnswer {
  const { name } = readingListAt(request);
  for (const held of [request.holdings.readingLists, request.holdings.listedBooks]) held.delete(name);
  return DONE;
}

function readingListAt({ holdings, path: [name = ''] }: LibraryRequest): ReadingList {
  const list = holdings.readingLists.get(name);
  if (list === undefined) throw notFound(`reading list ${name}`);
  return list;
}

function booksOn(request: LibraryRequest): Set<string> {
  return request.holdings.listedBooks.get(readingListAt(request).name) ?? new Set();
}

/** Books that are gone are on no list. */
function listBooks(request: LibraryRequest): LibraryAnswer {
  const { books } = request.holdings;
  return found([...booksOn(request)].flatMap((isbn) => books.get(isbn) ?? []));
}

function listBook(request: LibraryRequest): LibraryAnswer {
  const [, isbn = ''] = request.path;
  if (!request.holdings.books.has(isbn)) throw new Problem(422, `There is no book ${isbn}.`);
  booksOn(request).add(isbn);
  return DONE;
}

function unlistBook(request: LibraryRequest): LibraryAnswer {
  const [, isbn = ''] = request.path;
  if (!booksOn(request).delete(isbn)) throw notFound(`book ${isbn} on the list`);
  return DONE;
}
