import { describe, expect, it, onTestFinished } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { graphql, odata, upstream } = useLibrary();

const BOOK = '9783400000009';

/** The values of OData's response to the same query, without control information. */
async function values(call: string): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse((await odata(`GET ${call}`))[1]).value;
}

/** Creates a book, which is gone at the end of the test. */
async function createBook(isbn: string): Promise<unknown> {
  onTestFinished(async () => {
    await graphql(`mutation { deleteBook(isbn: "${isbn}") }`);
  });
  return graphql(
    `mutation { createAudioBook(input: { isbn: "${isbn}", medium: audio, title: "T", authorId: 1, genre: novel,
       price: 1.5, narrator: "N", runningTime: "PT1H" }) { __typename narrator author { id } } }`,
  );
}

describe('GraphQL before the library', () => {
  it.each<[string, unknown]>([
    [
      '{ author(id: 1) { lastName books(take: 1) { title author { lastName } } } }',
      {
        author: {
          lastName: 'Varnholt',
          books: [{ title: 'The Crooked Ferry', author: { lastName: 'Varnholt' } }],
        },
      },
    ],
    [
      '{ loan(id: "1") { member { lastName loans { id } } copy { barcode book { __typename } } } }',
      {
        loan: {
          member: { lastName: 'Bolling', loans: [{ id: '1' }, { id: '54' }, { id: '107' }] },
          copy: { barcode: '9100000000000000001', book: { __typename: 'PrintedBook' } },
        },
      },
    ],
    [
      `{ book(isbn: "${BOOK}") { reviews { rating } ... on PrintedBook { pages } ...f } } fragment f on Book { copies { copyNumber } }`,
      { book: { reviews: [], pages: 96, copies: [{ copyNumber: '1' }] } },
    ],
    [
      '{ loansDueBy(date: "2026-05-11") { id dueDate } }',
      {
        loansDueBy: [
          { id: '97', dueDate: '2026-05-10' },
          { id: '98', dueDate: '2026-05-11' },
        ],
      },
    ],
    [
      '{ loansDueByConnection(date: "2026-05-11", where: { id: { gt: "1" } }, first: 1) { totalCount nodes { id } pageInfo { hasNextPage } } }',
      { loansDueByConnection: { totalCount: 2, nodes: [{ id: '97' }], pageInfo: { hasNextPage: true } } },
    ],
    ['{ house { name } }', { house: { name: 'Library at the Old Ferry' } }],
    [
      `{ book(isbn: "${BOOK}") { a: copies(where: { copyNumber: { gt: "0" } }) { barcode } b: copies(take: 0) { barcode } } }`,
      { book: { a: [{ barcode: '9100000000000000001' }], b: [] } },
    ],
    [
      'query { author(id: 1) { books(take: 1) { title @skip(if: true) isbn @include(if: true) } } }',
      { author: { books: [{ isbn: BOOK }] } },
    ],
  ])('%s', async (query, data) => {
    // Documents that come again are compiled.
    for (let times = 0; times < 8; times += 1) expect(await graphql(query)).toEqual({ data });
  });

  it('sends the properties of a derived type', async () => {
    expect(await createBook('9783400000023')).toEqual({
      data: { createAudioBook: { __typename: 'AudioBook', narrator: 'N', author: { id: '1' } } },
    });
    expect(JSON.parse(await upstream('/books/9783400000023'))).toMatchObject({
      medium: 'audio',
      narrator: 'N',
      running_time: 'PT1H',
    });
  });

  it('makes changes in their order, and reads related data anew after each', async () => {
    await createBook('9783400000023');
    const create = (name: string, rating: number) =>
      `${name}: createBookReview(isbn: "9783400000023", input: { memberId: "2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9", rating: ${rating} }) { number }`;
    const price = (name: string, to: number) =>
      `${name}: updateBook(isbn: "9783400000023", input: { price: ${to} }) { price reviews { rating } }`;
    expect(
      await graphql(`mutation { ${create('a', 1)} ${price('b', 2)} ${create('c', 3)} ${price('d', 4)} }`),
    ).toEqual({
      data: {
        a: { number: '1' },
        b: { price: 2, reviews: [{ rating: 1 }] },
        c: { number: '2' },
        d: { price: 4, reviews: [{ rating: 1 }, { rating: 3 }] },
      },
    });
  });

  it.each(['W/"%"', '"%"', '"x", W/"%"', '*'])('changes the state that ifMatch names: %s', async (tag) => {
    const isbn = '9783400000023';
    await createBook(isbn);
    const { Version } = JSON.parse((await odata(`GET Book('${isbn}')?$select=Version`))[1]);
    const ifMatch = JSON.stringify(tag.replace('%', Version));
    expect(
      await graphql(
        `mutation { updateBook(isbn: "${isbn}", ifMatch: ${ifMatch}, input: { price: 6 }) { price } }`,
      ),
    ).toEqual({
      data: { updateBook: { price: 6 } },
    });
  });

  it('refuses a change of what is not there, in any state', async () => {
    const { errors } = (await graphql(
      'mutation { updateBook(isbn: "9783400009999", ifMatch: "*", input: { price: 6 }) { price } }',
    )) as { errors: readonly unknown[] };
    expect(errors).toMatchObject([
      { path: ['updateBook'], extensions: { code: 'NotFound', http: { status: 404 } } },
    ]);
  });

  it('refuses a change of another state, and deletes', async () => {
    await createBook('9783400000023');
    const { data, errors } = (await graphql(
      'mutation { deleteBook(isbn: "9783400000023", ifMatch: "W/\\"99\\"") }',
    )) as { data: unknown; errors: readonly Record<string, unknown>[] };
    expect(data).toEqual({ deleteBook: null });
    expect(errors).toMatchObject([{ path: ['deleteBook'], extensions: { code: 'PreconditionFailed' } }]);
    expect(await graphql('mutation { deleteBook(isbn: "9783400000023") }')).toEqual({
      data: { deleteBook: true },
    });
  });

  it('says where the stream of a book is', async () => {
    const { data } = (await graphql(`{ book(isbn: "${BOOK}") { cover { url } } }`)) as {
      data: { book: { cover: { url: string } } };
    };
    expect(data.book.cover.url).toMatch(new RegExp(`/odata/Book\\('${BOOK}'\\)/Cover$`));
    expect(await (await fetch(data.book.cover.url)).arrayBuffer()).toEqual(
      await new Blob([await upstream(`/books/${BOOK}/cover`)]).arrayBuffer(),
    );
  });
});

/** A condition of `where`, and the same of `$filter`. */
const CONDITIONS: readonly (readonly [where: string, filter: string])[] = [
  ['title: { eq: "The Crooked Ferry" }', "Title eq 'The Crooked Ferry'"],
  ['title: { neq: "The Crooked Ferry" }', "Title ne 'The Crooked Ferry'"],
  ['subtitle: { eq: null }', 'Subtitle eq null'],
  ['subtitle: { neq: null }', 'Subtitle ne null'],
  ['genre: { eq: crime }', "Genre eq 'crime'"],
  ['genre: { in: [crime, novel] }', "Genre in ('crime','novel')"],
  ['genre: { nin: [crime, novel] }', "not (Genre in ('crime','novel'))"],
  ['price: { gt: 20 }', 'Price gt 20'],
  ['price: { ngt: 20 }', 'not (Price gt 20)'],
  ['price: { gte: "8.9", lte: 12.1 }', 'Price ge 8.9 and Price le 12.1'],
  ['price: { nlt: 20 }', 'not (Price lt 20)'],
  ['price: { nlte: 20 }', 'not (Price le 20)'],
  ['price: { ngte: 20 }', 'not (Price ge 20)'],
  ['published: { lt: "1970-01-01" }', 'Published lt 1970-01-01'],
  ['published: { nlt: "1970-01-01" }', 'not (Published lt 1970-01-01)'],
  ['changedAt: { gte: "2026-01-02T00:00:00Z" }', 'ChangedAt ge 2026-01-02T00:00:00Z'],
  ['isbn: { startsWith: "97834" }', "startswith(ISBN,'97834')"],
  ['title: { contains: "ferry", caseInsensitive: true }', "contains(tolower(Title),tolower('ferry'))"],
  ['title: { ncontains: "Ferry" }', "not contains(Title,'Ferry')"],
  ['title: { nstartsWith: "The" }', "not startswith(Title,'The')"],
  ['title: { endsWith: "r" }', "endswith(Title,'r')"],
  ['title: { nendsWith: "r" }', "not endswith(Title,'r')"],
  ['title: { matches: "^A .*e$" }', "matchesPattern(Title,'^A .*e$')"],
  ['author: { lastName: { eq: "Varnholt" } }', "Author/LastName eq 'Varnholt'"],
  ['keywords: { some: { eq: "clocks" } }', "Keywords/any(k:k eq 'clocks')"],
  ['keywords: { none: { eq: "clocks" } }', "not Keywords/any(k:k eq 'clocks')"],
  ['reviews: { any: true }', 'Reviews/any()'],
  ['reviews: { some: { rating: { gt: 3 } } }', 'Reviews/any(r:r/Rating gt 3)'],
  ['reviews: { all: { rating: { gt: 3 } } }', 'Reviews/all(r:r/Rating gt 3)'],
  ['reviews: { none: { rating: { gt: 3 } } }', 'not Reviews/any(r:r/Rating gt 3)'],
  ['details: { publisher: { eq: "Blauwe Brug" } }', "Details/Publisher eq 'Blauwe Brug'"],
  ['or: [{ genre: { eq: crime } }, { price: { gt: 30 } }]', "Genre eq 'crime' or Price gt 30"],
  ['not: { or: [{ genre: { eq: crime } }, { price: { gt: 30 } }] }', "not (Genre eq 'crime' or Price gt 30)"],
  [
    'and: [{ price: { gt: 10 } }, { price: { lt: 20 } }], genre: { neq: crime }',
    "Price gt 10 and Price lt 20 and Genre ne 'crime'",
  ],
];

describe('where', () => {
  it.each(CONDITIONS)('{ %s } finds what $filter=%s does', async (where, filter) => {
    const expected = (await values(`Book?$select=ISBN&$filter=${encodeURIComponent(filter)}`)).map(
      ({ ISBN }) => ({ isbn: ISBN }),
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(await graphql(`{ books(where: { ${where} }) { isbn } }`)).toEqual({ data: { books: expected } });
  });

  it.each([
    [
      '{ books(where: { price: { contains: "x" } }) { isbn } }',
      /"contains" is not defined by type "DecimalFilter"/,
    ],
    ['{ books(where: { genre: { eq: opera } }) { isbn } }', /Value "opera" does not exist in "Genre" enum/],
    [
      '{ books(where: { authorId: { eq: "one" } }) { isbn } }',
      /Int cannot represent non-integer value: "one"/,
    ],
    [
      '{ book(isbn: "x") { copies(where: { copyNumber: { eq: "one" } }) { isbn } } }',
      /^where: expected Int, found 'one'$/,
    ],
    ['{ books(order: [{ title: ASC, isbn: ASC }]) { isbn } }', /must specify exactly one key/],
    ['{ books(take: -1) { isbn } }', /^take: expected a number that is not negative, found -1\.$/],
    [`{ books(where: { or: [${'{ price: { gt: 1 } } '.repeat(60)}] }) { isbn } }`, /QUERY_NODES/],
  ])('refuses %s', async (query, message) => {
    const { errors } = (await graphql(query)) as { errors: readonly { message: string }[] };
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toMatch(message);
  });
});

describe('a condition', () => {
  const all = 60;
  it.each([
    ['{ reviews: { any: null } }', all],
    ['{ reviews: { some: null, all: null, none: null } }', all],
    ['{ reviews: null }', all],
    ['{ and: [] }', all],
    ['{ or: null }', all],
    ['{ not: null }', all],
    ['{ or: [] }', 0],
    ['{ not: { or: [] } }', all],
    ['{ subtitle: { contains: null } }', 0],
    ['{ genre: { in: null } }', 0],
  ])('that is null or has nothing in it: %s', async (where, count) => {
    expect(await graphql(`{ booksConnection(where: ${where}) { totalCount } }`)).toEqual({
      data: { booksConnection: { totalCount: count } },
    });
  });

  it.each([
    ['{ title: { matches: "(" } }', "where: 'matches' expects a regular expression, found a malformed one"],
    ['{ author: { id: { eq: "x" } } }', "where: expected Int, found 'x'"],
  ])('%s is refused in the words of GraphQL', async (where, message) => {
    expect(await graphql(`{ books(where: ${where}) { isbn } }`)).toMatchObject({ errors: [{ message }] });
  });
});

describe('flags', () => {
  it.each([
    ['has: Email', "Channels has 'Email'"],
    ['has: [Email, Letter]', "Channels has 'Email,Letter'"],
    ['nhas: Email', "not (Channels has 'Email')"],
    ['has: []', 'true'],
    ['eq: [Email, Text]', "Channels eq 'Email,Text'"],
    ['eq: [Text, Email]', "Channels eq 'Email,Text'"],
    ['eq: Email', "Channels eq 'Email'"],
    ['neq: [Email, Text]', "Channels ne 'Email,Text'"],
    ['neq: []', "Channels ne 'None'"],
    ['in: [[Email, Text], [Letter]]', "Channels in ('Email,Text','Letter')"],
    ['nin: [[Email, Text], Letter]', "not (Channels in ('Email,Text','Letter'))"],
  ])('{ channels: { %s } } finds what $filter=%s does', async (test, filter) => {
    const expected = await values(`Member?$select=Id&$orderby=Id&$filter=${encodeURIComponent(filter)}`);
    expect(expected.length).toBeGreaterThan(0);
    expect(
      await graphql(`{ members(where: { channels: { ${test} } }, order: [{ id: ASC }]) { id } }`),
    ).toEqual({
      data: { members: expected.map(({ Id }) => ({ id: Id })) },
    });
  });

  it('are the keys of groups as they are', async () => {
    const rows = await values('Member?$apply=groupby((Channels),aggregate($count as N))');
    const groups = rows.map(({ Channels, N }) => ({
      key: { channels: String(Channels).split(',') },
      count: N,
    }));
    const answer = await graphql(
      '{ membersConnection { groups(by: [channels]) { key { channels } count } } }',
    );
    expect(answer).toEqual({ data: { membersConnection: { groups: expect.arrayContaining(groups) } } });
    expect(groups.some(({ key }) => key.channels.length > 1)).toBe(true);
  });

  it.each(['has', 'nhas'])('%s: null is true of nothing', async (test) => {
    expect(await graphql(`{ members(where: { channels: { ${test}: null } }) { id } }`)).toEqual({
      data: { members: [] },
    });
  });
});

describe('order', () => {
  it.each([
    ['[{ price: DESC }, { title: ASC }]', 'Price desc,Title'],
    ['[{ author: { lastName: DESC } }, { isbn: ASC }]', 'Author/LastName desc,ISBN'],
    ['[{ subtitle: ASC }, { isbn: DESC }]', 'Subtitle,ISBN desc'],
    ['[{ genre: ASC }, { isbn: ASC }]', 'Genre,ISBN'],
  ])('%s is that of $orderby=%s', async (order, orderBy) => {
    const expected = (
      await values(`Book?$select=ISBN&$skip=3&$top=20&$orderby=${encodeURIComponent(orderBy)}`)
    ).map(({ ISBN }) => ({ isbn: ISBN }));
    expect(await graphql(`{ books(order: ${order}, skip: 3, take: 20) { isbn } }`)).toEqual({
      data: { books: expected },
    });
  });

  it('searches as $search does', async () => {
    const expected = (await values('Book?$select=ISBN&$search=ferry')).map(({ ISBN }) => ({ isbn: ISBN }));
    expect(expected.length).toBeGreaterThan(0);
    expect(await graphql('{ books(search: "ferry") { isbn } }')).toEqual({ data: { books: expected } });
  });
});

interface Page {
  readonly nodes: readonly { readonly isbn: string }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string;
    readonly endCursor: string;
  };
}

async function page(args: string): Promise<Page> {
  const query = `{ booksConnection(${args}) { nodes { isbn } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  const { data } = (await graphql(query)) as { data: { booksConnection: Page } };
  return data.booksConnection;
}

describe('a connection', () => {
  it.each([
    'order: [{ genre: DESC }]',
    'order: [{ subtitle: ASC }]',
    'order: [{ subtitle: DESC }, { author: { lastName: ASC } }]',
    'where: { price: { gt: 15 } }',
  ])('leads through all pages, forwards and backwards: %s', async (args) => {
    const all = (await page(args)).nodes;
    expect(all.length).toBeGreaterThan(20);
    const forwards: { isbn: string }[] = [];
    let next = await page(`${args} first: 7`);
    forwards.push(...next.nodes);
    while (next.pageInfo.hasNextPage) {
      next = await page(`${args} first: 7 after: "${next.pageInfo.endCursor}"`);
      forwards.push(...next.nodes);
    }
    expect(forwards).toEqual(all);
    const backwards: { isbn: string }[] = [];
    let before = await page(`${args} last: 11`);
    backwards.unshift(...before.nodes);
    while (before.pageInfo.hasPreviousPage) {
      before = await page(`${args} last: 11 before: "${before.pageInfo.startCursor}"`);
      backwards.unshift(...before.nodes);
    }
    expect(backwards).toEqual(all);
  });

  it('counts, groups and sums up as $apply does', async () => {
    const [groups, [total]] = await Promise.all([
      values('Book?$apply=filter(Price gt 10)/groupby((Genre),aggregate($count as N,Price with min as A))'),
      values(
        'Book?$apply=filter(Price gt 10)/aggregate($count as N,Price with max as Most,AuthorId with countdistinct as Authors)',
      ),
    ]);
    const { data } = (await graphql(`{ booksConnection(where: { price: { gt: 10 } }, first: 0) {
      totalCount groups(by: [genre]) { count min { price } } aggregate { count max { price } countDistinct { authorId } } } }`)) as {
      data: { booksConnection: unknown };
    };
    expect(data.booksConnection).toEqual({
      totalCount: total?.['N'],
      groups: groups.map(({ N, A }) => ({ count: N, min: { price: A } })),
      aggregate: {
        count: total?.['N'],
        max: { price: total?.['Most'] },
        countDistinct: { authorId: total?.['Authors'] },
      },
    });
  });

  it('stands within others', async () => {
    expect(
      await graphql(`{ author(id: 1) { lastName booksConnection(first: 2, order: [{ title: ASC }]) {
        totalCount edges { node { title } } pageInfo { hasNextPage } groups(by: [medium]) { key { medium } count } } } }`),
    ).toEqual({
      data: {
        author: {
          lastName: 'Varnholt',
          booksConnection: {
            totalCount: 5,
            edges: [{ node: { title: 'A Ferry in Fennhaven' } }, { node: { title: 'My Paper Winter' } }],
            pageInfo: { hasNextPage: true },
            groups: expect.any(Array),
          },
        },
      },
    });
  });

  it.each([
    ['first: 1 last: 1', /expected either first or last, found both/],
    ['first: -1', /^first: expected a number that is not negative, found -1\.$/],
    ['after: "x"', /^after: expected a cursor of this list in this order, found another text\.$/],
    ['after: "WyI5NzgzNDAwMDAwMDA5Il0.zfzq3bCy_Lntdg0clQO4ug"', /^after: expected a cursor of this list/],
  ])('refuses %s', async (args, message) => {
    const { errors } = (await graphql(`{ booksConnection(${args}) { nodes { isbn } } }`)) as {
      errors: readonly { message: string; extensions: unknown }[];
    };
    expect(errors[0]?.message).toMatch(message);
    expect(errors[0]?.extensions).toMatchObject({ code: 'BadRequest' });
  });

  it('refuses a cursor of the same list in another order', async () => {
    const { pageInfo } = await page('first: 1');
    const { errors } = (await graphql(
      `{ booksConnection(after: "${pageInfo.endCursor}", order: [{ title: ASC }]) { nodes { isbn } } }`,
    )) as { errors: readonly { message: string }[] };
    expect(errors[0]?.message).toMatch(/expected a cursor of this list in this order/);
  });
});
