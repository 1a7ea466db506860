import { get, matching, post, preferring, query, remove, type SampleCall, send } from './sample-call.ts';

const MEMBER = '2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9';

/** One call per feature of the model. */
export const LIBRARY_CALLS: readonly SampleCall[] = [
  get(
    'Decimals, compared exactly',
    '/odata/Book?$filter=Price lt 12.5&$select=Title,Price&$orderby=Price desc',
  ),
  get('Dates', '/odata/Author?$filter=year(Born) lt 1940&$select=LastName,Born'),
  get('Null', '/odata/Loan?$filter=ReturnedAt eq null and DueDate lt 2026-05-15&$select=Id,DueDate,Period'),
  get(
    'A property of a complex property',
    "/odata/Member?$filter=Address/City eq 'Oberfenn'&$select=LastName,Address",
  ),
  get('A search', '/odata/Author?$search=Brisk'),
  get('A composite key', "/odata/Copy(ISBN='9783400000009',CopyNumber=1)"),
  get('A key that is a UUID, and flags', `/odata/Member(${MEMBER})`),
  get('A number of all', '/odata/Book/$count'),
  post(
    'A create, with an enumeration and a number of 19 digits',
    '/odata/Copy',
    '{"ISBN":"9783400000009","CopyNumber":2,"Barcode":9100000000000000123,"Condition":"needs_repair","Acquired":"2026-06-01"}',
  ),
  query(
    'GraphQL: a page of a list',
    '{ booksConnection(where: { genre: { eq: crime } }, first: 2) { totalCount nodes { isbn title price } } }',
  ),
  query(
    'GraphQL: an operation that is an action',
    'mutation { returnLoan(id: 97, condition: worn) { id returnedAt fine } }',
  ),
  get('An enumeration', "/odata/Book?$filter=Genre eq Library.Genre'poetry'&$select=Title,Genre"),
  get('Flags', "/odata/Member?$filter=Channels has Library.Channels'Letter'&$select=LastName,Channels"),
  get('A collection', "/odata/Book?$filter=Keywords/any(k:k eq 'maps')&$select=Title,Keywords"),
  get('From an author to the books', '/odata/Author(1)/Books?$select=Title'),
  get('From a book to its author', "/odata/Book('9783400000009')/Author"),
  get(
    'Related entities in one answer',
    '/odata/Loan?$top=2&$expand=Member($select=LastName),Copy($expand=Book)',
  ),
  get('A list below an entity', `/odata/Member(${MEMBER})/Loans`),
  get('Entities that exist only below another one', "/odata/Book('9783401379111')/Reviews"),
  get('One of them', "/odata/Book('9783401379111')/Reviews(1)"),
  post('A new one of them', "/odata/Book('9783401379111')/Reviews", { MemberId: MEMBER, Rating: 5 }),
  get('Entities of a derived type', '/odata/Book/Library.AudioBook?$select=Title,Narrator,RunningTime'),
  post('A create of a derived type', '/odata/Book', {
    '@odata.type': '#Library.PrintedBook',
    ISBN: '9783499999990',
    Medium: 'print',
    Title: 'The Last Ferry',
    AuthorId: 3,
    Genre: 'novel',
    Price: 19.9,
    Pages: 212,
  }),
  get('A singleton', '/odata/House'),
  get('A property of it', '/odata/House/Address/City'),
  get('A function', "/odata/LendingStatistics(From=2026-01-01,Genre=Library.Genre'poetry')"),
  get('A function of an entity', "/odata/Book('9783400000009')/Library.GetAvailability()"),
  get('A function of a collection', '/odata/Loan/Library.DueBy(Date=2026-05-12)'),
  post('An action of an entity', '/odata/Loan(98)/Library.Return', { Condition: 'worn' }),
  post('An action', '/odata/SendReminders', { DueBy: '2026-06-01', Channels: 'Email,Text' }),
  post('A create whose upstream says its URL alone', '/odata/ReadingList', { Title: 'Ferries and Fog' }),
  post('A create with links to others', '/odata/ReadingList', {
    Title: 'Crime at Sea',
    'Books@odata.bind': ["Book('9783400000009')", "Book('9783401379111')"],
  }),
  send('PUT', 'A PUT that creates', "/odata/ReadingList('winter')", { Title: 'For long evenings' }),
  post('A link that is made', "/odata/ReadingList('summer')/Books/$ref", {
    '@odata.id': "Book('9783400000009')",
  }),
  remove('A link that is taken away', "/odata/ReadingList('summer')/Books('9783400000009')/$ref"),
  matching(
    '*',
    send('PATCH', 'A change that has to say of which state', "/odata/ReadingList('summer')", {
      Note: 'All of them are light.',
    }),
  ),
  send('PATCH', 'A change of related entities with it', '/odata/Author(3)', {
    'Books@delta': [{ ISBN: '9783400000009', Genre: 'travel' }],
  }),
  send('PATCH', 'A change', `/odata/Member(${MEMBER})`, { Channels: 'Text' }),
  remove('A removal', "/odata/Book('9783401379111')/Reviews(1)"),
  preferring(
    'track-changes',
    get('A link to what will have changed, at the end', '/odata/Author?$filter=Id le 2&$select=LastName'),
  ),
  preferring('respond-async', get('An answer for later, at Location', '/odata/Book?$top=1')),
  query('GraphQL: dates as arguments', '{ loansDueBy(date: "2026-05-12") { id memberId } }'),
  get('A stream', "/odata/Book('9783400000009')/Cover"),
  query('GraphQL: derived types', '{ books(take: 6) { __typename title ... on AudioBook { narrator } } }'),
  query(
    'GraphQL: related objects',
    '{ author(id: 1) { lastName books(take: 2) { title reviews { rating } } } }',
  ),
];
