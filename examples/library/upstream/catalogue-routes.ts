import { created, DONE, found, type LibraryRequest, type Route } from './exchange.ts';
import { notFound, Problem, readBody } from './readers.ts';
import {
  type Author,
  type Copy,
  copiesOf,
  copyKey,
  nextNumber,
  openLoan,
  type Review,
  readCopy,
  readNewAuthor,
  readNewReview,
  timestamp,
} from './records.ts';

/** Authors, copies and reviews. */
export const CATALOGUE_ROUTES: readonly Route[] = [
  ['GET /authors', ({ holdings }) => found([...holdings.authors.values()])],
  ['POST /authors', createAuthor],
  ['GET /authors/changes', listAuthorChanges],
  ['GET /authors/{id}', (request) => found(authorAt(request))],
  ['PUT /authors/{id}', replaceAuthor],
  ['DELETE /authors/{id}', deleteAuthor],
  ['GET /books/{isbn}/reviews', (request) => found([...reviewsAt(request).values()])],
  ['POST /books/{isbn}/reviews', createReview],
  ['GET /books/{isbn}/reviews/{number}', (request) => found(reviewAt(request))],
  ['DELETE /books/{isbn}/reviews/{number}', deleteReview],
  ['GET /copies', listCopies],
  ['POST /copies', createCopy],
  ['GET /copies/{isbn}/{copy-number}', (request) => found(copyAt(request))],
  ['PATCH /copies/{isbn}/{copy-number}', updateCopy],
  ['DELETE /copies/{isbn}/{copy-number}', deleteCopy],
];

function authorAt({ holdings, path: [id = ''] }: LibraryRequest): Author {
  const author = holdings.authors.get(Number(id));
  if (author === undefined || String(author.id) !== id) throw notFound(`author ${id}`);
  return author;
}

/** The token of a state is the number of changes that led to it. */
function listAuthorChanges({ holdings: { authors, authorLog }, query }: LibraryRequest) {
  const since = query.get('since');
  const next = authorLog.length;
  if (since === null) return found({ authors: [...authors.values()], removed: [], next });
  if (!/^\d{1,15}$/.test(since)) throw new Problem(422, 'since is the "next" of an earlier answer.');
  if (Number(since) > next) throw new Problem(410, 'The changes since then are forgotten.');
  const ids = [...new Set(authorLog.slice(Number(since)))];
  const changed = ids.flatMap((id) => authors.get(id) ?? []);
  return found({ authors: changed, removed: ids.filter((id) => !authors.has(id)), next });
}

function createAuthor({ holdings: { authors, authorLog }, json }: LibraryRequest) {
  const id = nextNumber(authors);
  const author = { ...readBody(readNewAuthor, json()), id };
  authors.set(id, author);
  authorLog.push(id);
  return created(author, `/authors/${id}`);
}

function replaceAuthor(request: LibraryRequest) {
  const { id } = authorAt(request);
  const author = { ...readBody(readNewAuthor, request.json()), id };
  request.holdings.authors.set(id, author);
  request.holdings.authorLog.push(id);
  return found(author);
}

function deleteAuthor(request: LibraryRequest) {
  const { id } = authorAt(request);
  const { authors, authorLog, books } = request.holdings;
  const hasBooks = [...books.values()].some(({ author_id }) => author_id === id);
  if (hasBooks) throw new Problem(409, `Author ${id} has books.`);
  authors.delete(id);
  authorLog.push(id);
  return DONE;
}

function reviewsAt({ holdings, path: [isbn = ''] }: LibraryRequest): Map<number, Review> {
  const reviews = holdings.reviews.get(isbn);
  if (reviews === undefined) throw notFound(`book ${isbn}`);
  return reviews;
}

function reviewAt(request: LibraryRequest): Review {
  const [isbn, number = ''] = request.path;
  const review = reviewsAt(request).get(Number(number));
  if (review === undefined || String(review.number) !== number) {
    throw notFound(`review ${number} of book ${isbn}`);
  }
  return review;
}

function createReview(request: LibraryRequest) {
  const { holdings, path, json } = request;
  const reviews = reviewsAt(request);
  const body = readBody(readNewReview, json());
  if (!holdings.members.has(body.member_id)) throw new Problem(422, `There is no member ${body.member_id}.`);
  const review = { ...body, number: nextNumber(reviews), written_at: timestamp(holdings.now()) };
  reviews.set(review.number, review);
  return created(review, `/books/${path[0]}/reviews/${review.number}`);
}

function deleteReview(request: LibraryRequest) {
  reviewsAt(request).delete(reviewAt(request).number);
  return DONE;
}

function listCopies({ holdings, query }: LibraryRequest) {
  const isbn = query.get('ISBN');
  return found(isbn === null ? [...holdings.copies.values()] : copiesOf(holdings, isbn));
}

function copyAt({ holdings, path }: LibraryRequest): Copy {
  const copy = holdings.copies.get(path.join('/'));
  if (copy === undefined) throw notFound(`copy ${path[1]} of book ${path[0]}`);
  return copy;
}

function createCopy({ holdings: { books, copies }, json }: LibraryRequest) {
  const copy = readBody(readCopy, json());
  const key = copyKey(copy);
  if (!books.has(copy.ISBN)) throw new Problem(422, `There is no book ${copy.ISBN}.`);
  if (copies.has(key)) throw new Problem(409, `Book ${copy.ISBN} has a copy ${copy['copy-number']} already.`);
  copies.set(key, copy);
  return created(copy, `/copies/${key}`);
}

/** Only its condition and its place change. */
function updateCopy(request: LibraryRequest) {
  const copy = copyAt(request);
  const changed = request.json();
  const { condition, shelf } = readBody(readCopy, { ...copy, ...(typeof changed === 'object' && changed) });
  const updated = { ...copy, condition, shelf };
  request.holdings.copies.set(copyKey(copy), updated);
  return found(updated);
}

function deleteCopy(request: LibraryRequest) {
  const copy = copyAt(request);
  if (openLoan(request.holdings, copy) !== undefined) throw new Problem(409, 'The copy is on loan.');
  request.holdings.copies.delete(copyKey(copy));
  return DONE;
}
