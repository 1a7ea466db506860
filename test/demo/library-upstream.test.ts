import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLibraryUpstream } from '../../examples/library/upstream/library-upstream.ts';
import { sampleLibrary } from '../../examples/library/upstream/sample-library.ts';
import type { SampleUpstream } from '../../src/demo/sample-server.ts';

const NOW = '2026-06-01T12:00:00Z';
const now = () => new Date(NOW);
const BOOK = '9783400000009';
const MEMBER = '2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9';

let upstream: SampleUpstream;

beforeEach(async () => {
  upstream = await startLibraryUpstream(now);
});
afterEach(() => upstream.close());

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function ask(call: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const [method = '', path = ''] = call.split(' ');
  const response = await fetch(upstream.url + path, {
    method,
    headers,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function read(path: string): Promise<unknown> {
  return JSON.parse((await ask(`GET ${path}`)).text);
}

const AUTHOR = { first_name: 'Nele', last_name: 'Arndt', born: '1990-02-28', died: null, languages: ['de'] };
const PRINTED = {
  ISBN: '9783499999990',
  title: 'The Last Ferry',
  subtitle: null,
  author_id: 3,
  genre: 'novel',
  published: null,
  price: 19.9,
  keywords: ['ferry'],
  details: { publisher: 'Kompass', binding: 'cloth' },
  medium: 'print',
  pages: 212,
};
const STORED = { version: 1, changed_at: NOW };
const COPY = {
  ISBN: BOOK,
  'copy-number': 7,
  barcode: 7,
  condition: 'new',
  acquired: '2026-06-01',
  shelf: null,
};
const LOAN = { member_id: MEMBER, ISBN: BOOK, 'copy-number': 1 };

describe('the sample library', () => {
  it('is the same at every start', () => {
    expect(sampleLibrary(now)).toStrictEqual({ ...sampleLibrary(now), now });
  });

  it('has what a small library has', () => {
    const { authors, books, copies, members, loans, reviews } = sampleLibrary(now);
    expect([authors, books, copies, members, loans].map(({ size }) => size)).toStrictEqual([
      12, 60, 120, 40, 120,
    ]);
    expect([...reviews.values()].reduce((sum, { size }) => sum + size, 0)).toBe(90);
  });

  it('refers only to what there is, and lends no copy twice', () => {
    const { authors, books, copies, members, loans, reviews } = sampleLibrary(now);
    for (const book of books.values()) expect(authors.has(book.author_id)).toBe(true);
    for (const copy of copies.values()) expect(books.has(copy.ISBN)).toBe(true);
    for (const loan of loans.values()) {
      expect(members.has(loan.member_id)).toBe(true);
      expect(copies.has(`${loan.ISBN}/${loan['copy-number']}`)).toBe(true);
    }
    for (const review of [...reviews.values()].flatMap((all) => [...all.values()])) {
      expect(members.has(review.member_id)).toBe(true);
    }
    const open = [...loans.values()].filter(({ returned_at }) => returned_at === null);
    expect(new Set(open.map((loan) => `${loan.ISBN}/${loan['copy-number']}`)).size).toBe(24);
  });

  it('has ISBNs whose last digit is right (ISO 2108)', () => {
    for (const isbn of sampleLibrary(now).books.keys()) {
      const sum = [...isbn].reduce((total, digit, place) => total + Number(digit) * (place % 2 ? 3 : 1), 0);
      expect([isbn.length, sum % 10]).toStrictEqual([13, 0]);
    }
  });
});

describe('reads', () => {
  it.each([
    [`/books/${BOOK}`, { ISBN: BOOK, title: 'The Crooked Ferry', medium: 'print', pages: 96, price: 8.9 }],
    ['/authors/9', { id: 9, first_name: null, last_name: 'Anonymous', born: null, died: null }],
    [`/copies/${BOOK}/1`, { ISBN: BOOK, 'copy-number': 1, condition: 'good', shelf: 'A-10' }],
    [`/books/${BOOK}/availability`, { copies: 1, available: 1, 'next-due': null }],
    ['/loans/97', { id: 97, period: 'P28D', 'due-date': '2026-05-10', returned_at: null }],
    ['/books/9783401379111/reviews/1', { number: 1, rating: 4 }],
    ['/library', { name: 'Library at the Old Ferry', founded: '1921-09-03' }],
  ])('%s', async (path, expected) => {
    expect(await read(path)).toMatchObject(expected);
  });

  it('write amounts with two decimals, and numbers with all their digits', async () => {
    expect((await ask(`GET /books/${BOOK}`)).text).toContain('"price":8.90');
    expect((await ask(`GET /copies/${BOOK}/1`)).text).toContain('"barcode":9100000000000000001');
  });

  it('show no PIN', async () => {
    expect(await read(`/members/${MEMBER}`)).toStrictEqual({
      id: MEMBER,
      first_name: 'Ilse',
      last_name: 'Bolling',
      'e-mail': 'ilse.bolling@post.example',
      active: true,
      channels: 1,
      address: {
        street: 'Mill Street 1',
        'postal-code': '24101',
        city: 'Fennhaven',
        location: { latitude: 54.3, longitude: 10.1 },
      },
      joined: '2021-01-11',
    });
  });

  it.each([
    '/',
    '/authors/13',
    '/authors/01',
    '/books/1',
    '/books/1/reviews',
    '/books/1/cover',
    '/books/1/availability',
    `/books/${BOOK}/reviews/9`,
    `/copies/${BOOK}/9`,
    '/members/x',
    '/members/x/loans',
    '/loans/121',
    '/loans/1/',
  ])('%s is not there', async (path) => {
    const { status, headers, text } = await ask(`GET ${path}`);
    expect([status, headers.get('content-type')]).toStrictEqual([404, 'application/problem+json']);
    expect(JSON.parse(text)).toMatchObject({ title: 'Not Found', status: 404 });
  });

  it('answer 304 to the ETag, which is the version of a book', async () => {
    expect((await ask(`GET /books/${BOOK}`)).headers.get('etag')).toBe('"1"');
    for (const path of [`/books/${BOOK}`, '/authors', '/loans/1', `/books/${BOOK}/cover`]) {
      const etag = (await ask(`GET ${path}`)).headers.get('etag') ?? '';
      const again = await ask(`GET ${path}`, undefined, { 'if-none-match': etag });
      expect([again.status, again.headers.get('etag'), again.text]).toStrictEqual([304, etag, '']);
    }
  });
});

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
}

describe('pages of books', () => {
  const page = async (query: string) => (await read(`/books?${query}`)) as Page;

  it('are all of them without a limit', async () => {
    const { items, total } = await page('');
    expect([items.length, total]).toStrictEqual([60, 60]);
  });

  it('follow each other without gaps', async () => {
    const all = (await page('')).items;
    const pages = await Promise.all([0, 25, 50, 75].map((offset) => page(`limit=25&offset=${offset}`)));
    expect(pages.map(({ items, total }) => [items.length, total])).toStrictEqual([
      [25, 60],
      [25, 60],
      [10, 60],
      [0, 60],
    ]);
    expect(pages.flatMap(({ items }) => items)).toStrictEqual(all);
  });

  it('are filtered and sorted', async () => {
    const { items, total } = await page('author_id=1&sort=genre,price%20desc');
    expect(total).toBe(5);
    expect(items.map(({ author_id }) => author_id)).toStrictEqual([1, 1, 1, 1, 1]);
    const keys = items.map(({ genre, price }) => [String(genre), -Number(price)] as const);
    const sorted = keys.toSorted(([a, x], [b, y]) => (a === b ? x - y : a < b ? -1 : 1));
    expect(keys).toStrictEqual(sorted);
    expect((await page('genre=poetry')).items.map(({ genre }) => genre)).toStrictEqual(
      Array(10).fill('poetry'),
    );
    expect((await page('sort=published&limit=1')).items).toMatchObject([{ published: null }]);
  });

  it.each([
    'limit=0',
    'limit=x',
    'offset=-1',
    'genre=x',
    'sort=keywords',
    'sort=title%20up',
    'author_id=1.5',
  ])('are refused by %s', async (query) => {
    expect((await ask(`GET /books?${query}`)).status).toBe(422);
  });
});

describe('creates', () => {
  it.each([
    ['/authors', AUTHOR, { ...AUTHOR, id: 13 }, '/authors/13'],
    ['/books', PRINTED, { ...PRINTED, ...STORED }, '/books/9783499999990'],
    ['/copies', COPY, COPY, `/copies/${BOOK}/7`],
    [
      '/loans',
      LOAN,
      {
        ...LOAN,
        period: 'P28D',
        id: 121,
        lent_at: NOW,
        'due-date': '2026-06-29',
        returned_at: null,
        fine: 0,
      },
      '/loans/121',
    ],
    [
      `/books/${BOOK}/reviews`,
      { member_id: MEMBER, rating: 5 },
      { member_id: MEMBER, rating: 5, text: null, number: 1, written_at: NOW },
      `/books/${BOOK}/reviews/1`,
    ],
  ])('%s keeps what it is sent', async (path, body, expected, location) => {
    const { status, headers, text } = await ask(`POST ${path}`, body);
    expect([status, headers.get('location')]).toStrictEqual([201, location]);
    expect(JSON.parse(text)).toStrictEqual(expected);
    expect(await read(location)).toStrictEqual(expected);
  });

  it('numbers members by UUIDs, and shows no PIN', async () => {
    const { status, text } = await ask('POST /members', { first_name: 'A', last_name: 'B', pin: '1234' });
    const { id, ...member } = JSON.parse(text);
    expect(status).toBe(201);
    expect(member).toStrictEqual({
      first_name: 'A',
      last_name: 'B',
      'e-mail': null,
      active: true,
      channels: 0,
      address: null,
      joined: '2026-06-01',
    });
    expect(await read(`/members/${id}`)).toStrictEqual({ id, ...member });
  });

  it('keeps the digits of numbers', async () => {
    const body = JSON.stringify(COPY).replace('"barcode":7', '"barcode":9223372036854775807');
    expect((await ask('POST /copies', body)).text).toBe(body);
    const book = JSON.stringify(PRINTED).replace('19.9', '19.90');
    expect((await ask('POST /books', book)).text).toContain('"price":19.90,');
  });

  it.each<[string, unknown, number, string]>([
    ['/authors', '{', 400, 'The body is not JSON.'],
    ['/authors', [], 422, 'must be an object'],
    ['/authors', {}, 422, 'last_name must be a string of at most 50 characters; languages must be a list'],
    ['/authors', { ...AUTHOR, born: '1990-02-30' }, 422, 'born must be a date such as 2026-02-28'],
    ['/books', { ...PRINTED, ISBN: BOOK }, 409, `There is a book ${BOOK} already.`],
    ['/books', { ...PRINTED, author_id: 99 }, 422, 'There is no author 99.'],
    ['/books', { ...PRINTED, price: 1.005 }, 422, 'price must be an amount with at most two decimals'],
    ['/books', { ...PRINTED, pages: 0 }, 422, 'pages must be an integer from 1 to 2147483647'],
    ['/books', { ...PRINTED, medium: 'film' }, 422, 'medium must be one of print, audio'],
    ['/copies', { ...COPY, ISBN: '9999999999999' }, 422, 'There is no book 9999999999999.'],
    ['/copies', { ...COPY, 'copy-number': 1 }, 409, `Book ${BOOK} has a copy 1 already.`],
    ['/loans', { ...LOAN, 'copy-number': 9 }, 422, `There is no copy ${BOOK}/9.`],
    ['/loans', { ...LOAN, ISBN: '9783449647968' }, 409, 'The copy is on loan.'],
    [
      `/books/${BOOK}/reviews`,
      { member_id: MEMBER, rating: 6 },
      422,
      'rating must be an integer from 1 to 5',
    ],
  ])('%s refuses %j', async (path, body, status, detail) => {
    const answer = await ask(`POST ${path}`, body);
    expect([answer.status, JSON.parse(answer.text).detail]).toStrictEqual([status, detail]);
  });

  it('tells where in the body a mistake is', async () => {
    const body = { first_name: 'A', last_name: 'B', address: { street: 'S', city: 'C', 'postal-code': 'x' } };
    const { detail } = JSON.parse((await ask('POST /members', body)).text);
    expect(detail).toMatch(/^address\.postal-code must be a string/);
  });
});

describe('changes', () => {
  it('replace a book only at the version that they name', async () => {
    await ask('POST /books', PRINTED);
    const path = `PUT /books/${PRINTED.ISBN}`;
    const changed = { ...PRINTED, title: 'The First Ferry' };
    const first = await ask(path, changed, { 'if-match': '"1"' });
    expect([first.status, first.headers.get('etag')]).toStrictEqual([200, '"2"']);
    expect(JSON.parse(first.text)).toStrictEqual({ ...changed, version: 2, changed_at: NOW });
    expect((await ask(path, changed, { 'if-match': '"1"' })).status).toBe(412);
    expect(
      (await ask(path, { ...changed, medium: 'audio', narrator: 'N', running_time: 'PT1H' })).status,
    ).toBe(422);
    expect(await read(`/books/${PRINTED.ISBN}`)).toMatchObject({ version: 2 });
  });

  it('merge what is sent into a member, without the name', async () => {
    const before = await read(`/members/${MEMBER}`);
    const answer = await ask(`PATCH /members/${MEMBER}`, { channels: 6, 'e-mail': null, last_name: 'X' });
    const expected = { ...(before as object), channels: 6, 'e-mail': null };
    expect([answer.status, JSON.parse(answer.text)]).toStrictEqual([200, expected]);
    expect(await read(`/members/${MEMBER}`)).toStrictEqual(expected);
    expect((await ask(`PATCH /members/${MEMBER}`, { channels: 8 })).status).toBe(422);
  });

  it('replace a cover, and take it away', async () => {
    const path = `/books/${BOOK}/cover`;
    const drawn = await ask(`GET ${path}`);
    expect([drawn.headers.get('content-type'), drawn.text]).toStrictEqual([
      'image/svg+xml',
      expect.stringMatching(/^<svg .*>The Crooked Ferry<\/text><\/svg>$/),
    ]);
    expect((await ask(`PUT ${path}`, '<svg/>')).status).toBe(204);
    expect((await ask(`GET ${path}`)).text).toBe('<svg/>');
    expect((await ask(`DELETE ${path}`)).status).toBe(204);
    expect((await ask(`GET ${path}`)).status).toBe(404);
  });

  it.each([
    ['/authors/1', 409],
    [`/books/${BOOK}`, 409],
    ['/copies/9783449647968/1', 409],
    [`/copies/${BOOK}/1`, 204],
    ['/books/9783401379111/reviews/1', 204],
    ['/authors/13', 404],
    ['/loans/1', 405],
  ])('DELETE %s is answered with %i', async (path, status) => {
    expect((await ask(`DELETE ${path}`)).status).toBe(status);
    expect((await ask(`GET ${path}`)).status).toBe(status === 204 || status === 404 ? 404 : 200);
  });
});

describe('operations', () => {
  it('take a copy back once, in the condition that it is in', async () => {
    const expected = { ...((await read('/loans/97')) as object), returned_at: NOW, fine: 4.4 };
    const answer = await ask('POST /loans/97/return', { condition: 'worn' });
    expect([answer.status, JSON.parse(answer.text)]).toStrictEqual([200, expected]);
    expect(await read('/copies/9783449647968/1')).toMatchObject({ condition: 'worn' });
    expect((await ask('POST /loans/97/return')).status).toBe(409);
  });

  it('list what is due by a date', async () => {
    const due = (await read('/loans/due?date=2026-05-12')) as readonly { readonly id: number }[];
    expect(due.map(({ id }) => id)).toStrictEqual([97, 98, 99]);
    expect((await ask('GET /loans/due')).status).toBe(422);
  });

  it('count the loans by genre', async () => {
    const all = (await read('/statistics?from=2026-01-01')) as readonly { readonly loans: number }[];
    expect(all.map(({ loans }) => loans).reduce((a, b) => a + b)).toBe(120);
    expect(await read('/statistics?from=2026-01-06&to=2026-01-06')).toStrictEqual([
      { genre: 'novel', loans: 1, fines: 0 },
    ]);
    expect(await read('/statistics?from=2026-01-06&to=2026-01-06&genre=crime')).toStrictEqual([]);
  });

  it('remind those who are late and can be reached', async () => {
    const due = (await read('/loans/due?date=2026-05-12')) as readonly { readonly member_id: string }[];
    const members = new Map([...sampleLibrary(now).members.values()].map((member) => [member.id, member]));
    const late = due.map(({ member_id }) => members.get(member_id)).filter((member) => member !== undefined);
    for (const [channels, expected] of [
      [undefined, late.filter(({ channels: own }) => own !== 0)],
      [1, late.filter(({ channels: own }) => own % 2 === 1)],
      [0, []],
    ] as const) {
      const { text } = await ask('POST /reminders', { 'due-by': '2026-05-12', channels });
      const { sent, members: reached } = JSON.parse(text);
      expect(sent).toBe(expected.length);
      expect(new Set(reached)).toStrictEqual(new Set(expected.map(({ id }) => id)));
    }
  });
});

describe('reading lists', () => {
  it('are created under a name of their title, of which the URL alone is told', async () => {
    const { status, headers, text } = await ask('POST /reading-lists', {
      title: 'Fog & Ferries',
      note: null,
    });
    expect([status, headers.get('location'), text]).toStrictEqual([201, '/reading-lists/fog-ferries', '']);
    const list = { title: 'Fog & Ferries', note: null, name: 'fog-ferries' };
    expect(await read('/reading-lists/fog-ferries')).toStrictEqual(list);
    expect((await ask('POST /reading-lists', { title: 'fog ferries', note: null })).status).toBe(409);
  });

  it('are put by a name, and replaced by whoever knows their state', async () => {
    const call = 'PUT /reading-lists/winter';
    const body = { title: 'For long evenings', note: null };
    expect((await ask(call, body, { 'if-match': '*' })).status).toBe(412);
    const { status, headers } = await ask(call, body);
    expect(status).toBe(201);
    expect((await ask(call, body)).status).toBe(428);
    expect((await ask(call, body, { 'if-match': '"other"' })).status).toBe(412);
    expect((await ask(call, body, { 'if-match': headers.get('etag') ?? '' })).status).toBe(200);
    expect((await ask('PUT /reading-lists/Bad', body)).status).toBe(422);
    expect((await ask('DELETE /reading-lists/winter')).status).toBe(204);
    expect((await ask('GET /reading-lists/winter')).status).toBe(404);
  });

  it('have books, each once', async () => {
    const isbns = async () =>
      ((await read('/reading-lists/summer/books')) as { ISBN: string }[]).map(({ ISBN }) => ISBN);
    const before = await isbns();
    expect((await ask(`PUT /reading-lists/summer/books/${BOOK}`)).status).toBe(204);
    expect((await ask(`PUT /reading-lists/summer/books/${BOOK}`)).status).toBe(204);
    expect(await isbns()).toStrictEqual([...before, BOOK]);
    expect((await ask(`DELETE /reading-lists/summer/books/${BOOK}`)).status).toBe(204);
    expect((await ask(`DELETE /reading-lists/summer/books/${BOOK}`)).status).toBe(404);
    expect((await ask('PUT /reading-lists/summer/books/9780000000000')).status).toBe(422);
    expect((await ask(`PUT /reading-lists/nope/books/${BOOK}`)).status).toBe(404);
  });
});
