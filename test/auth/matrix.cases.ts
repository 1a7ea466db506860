/** Who may do it: everybody with the role User and librarians, librarians alone, or those with the role User. */
export type Allowed = 'users' | 'librarians' | 'only users';

/** A request of OData, with a body where it has one, and who may make it. */
export type ODataCase = readonly [request: string, allowed: Allowed, body?: object];

const MEMBER = '2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9';
const REVIEW = { MemberId: MEMBER, Rating: 5, Text: 'Good' };
const AUTHOR = { LastName: 'X', Languages: ['de'] };

export const LIBRARY_ODATA: readonly ODataCase[] = [
  ['GET /Author', 'users'],
  ['GET /Author(1)', 'users'],
  ['GET /Author(1)/LastName', 'users'],
  ['GET /Author(1)/LastName/$value', 'users'],
  ['GET /Author/$count', 'users'],
  ['GET /Author(1)/Books', 'users'],
  ['GET /Author?$expand=Books', 'users'],
  ['GET /Author?$filter=Books/any(b:b/Price gt 1)', 'users'],
  ['POST /Author', 'librarians', AUTHOR],
  ['PUT /Author(1)', 'librarians', AUTHOR],
  ['DELETE /Author(99999)', 'librarians'],
  ['GET /Book', 'users'],
  ["GET /Book('9783400000009')", 'users'],
  ["GET /Book('9783400000009')/Author", 'users'],
  ["GET /Book('9783400000009')/Author/$ref", 'users'],
  ["GET /Book('9783400000009')/Reviews", 'users'],
  ["GET /Book('9783400000009')/Copies/$count", 'users'],
  ["POST /Book('9783400000009')/Reviews", 'librarians', REVIEW],
  ["GET /Book('9783400000009')/Library.GetAvailability()", 'users'],
  ["DELETE /Book('0000000000000')", 'librarians'],
  ['GET /Copy?$top=1', 'users'],
  ['GET /Copy?$apply=aggregate($count as N)', 'users'],
  ["PATCH /Copy(ISBN='9783400000009',CopyNumber=1)", 'librarians', { Condition: 'worn' }],
  ['GET /Member', 'librarians'],
  ['GET /Member/$count', 'librarians'],
  [`GET /Member(${MEMBER})`, 'librarians'],
  [`GET /Member(${MEMBER})/LastName`, 'librarians'],
  [`GET /Member(${MEMBER})/Loans`, 'librarians'],
  ['GET /Member?$apply=groupby((LastName))', 'librarians'],
  [`PATCH /Member(${MEMBER})`, 'librarians', { LastName: 'X' }],
  ['POST /Member', 'librarians', { FirstName: 'X', LastName: 'X' }],
  ['GET /Loan', 'librarians'],
  ['GET /Loan(97)', 'librarians'],
  ['GET /Loan(97)/Member', 'librarians'],
  ['GET /Loan?$expand=Member', 'librarians'],
  ['GET /Loan?$expand=*', 'librarians'],
  ["GET /Loan?$filter=Member/LastName eq 'X'", 'librarians'],
  ['GET /Loan?$orderby=Member/LastName', 'librarians'],
  ['GET /Loan/Library.DueBy(Date=2026-01-01)', 'librarians'],
  ['POST /Loan(97)/Library.Return', 'librarians', { Condition: 'worn' }],
  ['GET /Library', 'users'],
  ['GET /LendingStatistics(From=2026-01-01)', 'librarians'],
  ['POST /SendReminders', 'librarians', { DueBy: '2026-01-01' }],
];

export const POSTS_ODATA: readonly ODataCase[] = [
  ['GET /Post', 'only users'],
  ["GET /Post('1')", 'only users'],
  ["GET /Post('1')/Title", 'only users'],
  ['GET /Post/$count', 'only users'],
  ['GET /Post?$apply=aggregate($count as N)', 'only users'],
  ['POST /Post', 'only users', { title: 'x' }],
];

/** Root field to who may ask for it. */
export const LIBRARY_FIELDS: Readonly<Record<string, Allowed>> = {
  library: 'users',
  authors: 'users',
  author: 'users',
  books: 'users',
  book: 'users',
  bookAvailability: 'users',
  bookCover: 'users',
  reviews: 'users',
  review: 'users',
  copies: 'users',
  copy: 'users',
  members: 'librarians',
  member: 'librarians',
  memberLoans: 'librarians',
  loans: 'librarians',
  loan: 'librarians',
  loansDue: 'librarians',
  lendingStatistics: 'librarians',
  replaceLibrary: 'librarians',
  createAuthor: 'librarians',
  replaceAuthor: 'librarians',
  deleteAuthor: 'librarians',
  createBook: 'librarians',
  replaceBook: 'librarians',
  deleteBook: 'librarians',
  deleteBookCover: 'librarians',
  createReview: 'librarians',
  deleteReview: 'librarians',
  createCopy: 'librarians',
  updateCopy: 'librarians',
  deleteCopy: 'librarians',
  createMember: 'librarians',
  updateMember: 'librarians',
  createLoan: 'librarians',
  returnLoan: 'librarians',
  sendReminders: 'librarians',
};

export const POSTS_FIELDS: Readonly<Record<string, Allowed>> = {
  posts: 'only users',
  post: 'only users',
  createPost: 'only users',
};
