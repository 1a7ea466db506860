import { describe, expect, it, onTestFinished } from 'vitest';
import { type ReceivedRequest, type Reply, startStandInUpstream } from '../support/stand-in-upstream.ts';
import { createProject, serveProject, sourceOf } from '../support/temporary-project.ts';
import { SHELF } from './flat-sets.documents.ts';

interface Json {
  readonly value?: readonly { readonly BookId: number; readonly Id: string }[];
  readonly '@odata.nextLink'?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

type Reviews = (book: number, reply: Reply, request: ReceivedRequest) => void;

/** So many books, whose reviews are answered so. */
async function serveShelf(
  books: number,
  reviews: Reviews,
  environment: Readonly<Record<string, string>> = {},
) {
  const upstream = await startStandInUpstream((request, reply) => {
    if (request.target === '/books') {
      reply.json(Array.from({ length: books }, (_, index) => ({ id: index + 1 })));
      return;
    }
    reviews(Number(/^.books.(\d+).reviews$/.exec(request.target)?.[1]), reply, request);
  });
  onTestFinished(() => upstream.close());
  const project = createProject({
    'api.yaml': SHELF,
    '.meshrc.yaml': `sources:\n${sourceOf('Test', './api.yaml', upstream.url)}`,
  });
  const { gateway } = await serveProject(project, environment);
  const get = async (url: string, headers = {}) => {
    const response = await fetch(url, { headers });
    return { status: response.status, json: (await response.json()) as Json };
  };
  return {
    lists: () => upstream.requests.filter(({ target }) => target !== '/books').length,
    async ask(path: string) {
      const { status, json } = await get(`${gateway.url}/odata/${path}`);
      return json.error === undefined ? { status, rows: json.value?.length } : { status, ...json.error };
    },
    async pages(path: string, headers = {}) {
      const pages: string[] = [];
      for (let url: string | undefined = `${gateway.url}/odata/${path}`; url !== undefined; ) {
        const { json }: { json: Json } = await get(url, headers);
        pages.push((json.value ?? []).map(({ BookId, Id }) => `${BookId}${Id}`).join(' '));
        url = json['@odata.nextLink'];
      }
      return pages;
    },
  };
}

const two: Reviews = (_, reply) => reply.json([{ id: 'a' }, { id: 'b' }]);

describe('the lists of all owners', () => {
  it('are read no further than $top needs', async () => {
    const shelf = await serveShelf(1000, two);
    expect(await shelf.ask('BooksReviews?$top=5')).toEqual({ status: 200, rows: 5 });
    expect(shelf.lists()).toBeLessThan(20);
  });

  it('are answered in pages that go on where they end, within a list or behind it', async () => {
    const shelf = await serveShelf(3, two);
    expect(await shelf.pages('BooksReviews', { prefer: 'odata.maxpagesize=4' })).toEqual([
      '1a 1b 2a 2b',
      '3a 3b',
    ]);
    expect(await shelf.pages('BooksReviews?$skip=1', { prefer: 'odata.maxpagesize=2' })).toEqual([
      '1b 2a',
      '2b 3a',
      '3b',
    ]);
  });

  it('are not read to the end before an answer begins', async () => {
    const shelf = await serveShelf(1200, two);
    const pages = (await shelf.pages('BooksReviews')).map((page) => page.split(' '));
    expect([pages.length, pages[0]?.length]).toEqual([3, expect.toSatisfy((length) => length >= 1000)]);
    const all = Array.from({ length: 1200 }, (_, index) => [`${index + 1}a`, `${index + 1}b`]);
    expect(pages.flat()).toEqual(all.flat());
  });

  it('are read several at a time, and no more than that', async () => {
    let now = 0;
    let most = 0;
    const shelf = await serveShelf(40, (_, reply) => {
      now += 1;
      most = Math.max(most, now);
      setImmediate(() => {
        now -= 1;
        reply.json([{ id: 'a' }]);
      });
    });
    expect(await shelf.ask('BooksReviews?$orderby=Id')).toEqual({ status: 200, rows: 40 });
    expect([most > 1, most <= 8]).toEqual([true, true]);
  });

  it('have no entities where an owner has gone meanwhile', async () => {
    const shelf = await serveShelf(3, (book, reply, request) =>
      book === 2 ? reply.send(404) : two(book, reply, request),
    );
    expect(await shelf.ask('BooksReviews')).toEqual({ status: 200, rows: 4 });
  });

  it('are an error where not one of them is there', async () => {
    const shelf = await serveShelf(3, (_, reply) => reply.send(404));
    expect(await shelf.ask('BooksReviews')).toMatchObject({
      status: 502,
      message: expect.stringMatching(/ Not one of 3 lists is there\.$/),
    });
  });

  it.each([401, 403, 500, 503])('are an error where one of them fails: %s', async (status) => {
    const shelf = await serveShelf(30, (book, reply, request) =>
      book === 20 ? reply.send(status) : two(book, reply, request),
    );
    expect(await shelf.ask('BooksReviews?$orderby=Id')).toMatchObject({
      status: expect.toSatisfy((answered: number) => answered >= 500),
    });
  });

  it('are waited for where the upstream wants a pause', async () => {
    let refusals = 0;
    const shelf = await serveShelf(3, (book, reply, request) => {
      if (refusals === 2) return two(book, reply, request);
      refusals += 1;
      reply.send(429, '{}', { 'retry-after': '0' });
    });
    expect(await shelf.ask('BooksReviews')).toEqual({ status: 200, rows: 6 });
  });

  it('share the limits of one list, and say how far they came', async () => {
    const shelf = await serveShelf(200, two, { PAGES_ROWS: '250' });
    expect(await shelf.ask('BooksReviews?$orderby=Id')).toEqual({
      status: 502,
      code: 'UpstreamIncomplete',
      message: expect.stringMatching(
        /^The list is too long to be read as a whole: \d+ rows came, on \d+ pages, \d+ of 200 lists to their end, and at most 250 rows \(PAGES_ROWS\) are read\./,
      ),
    });
    expect(shelf.lists()).toBeLessThan(140);
  });

  it('share the time of one list', async () => {
    const shelf = await serveShelf(
      10_000,
      (book, reply, request) => {
        if (book <= 8) two(book, reply, request);
        else reply.send(429, '{}', { 'retry-after': '3600' });
      },
      { PAGES_TIMEOUT_MS: '20000' },
    );
    expect(await shelf.ask('BooksReviews?$orderby=Id')).toMatchObject({
      status: 503,
      message: expect.stringMatching(/ of 10000 lists to their end, in the time that a list is given/),
    });
  });
});
