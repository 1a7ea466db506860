import { describe, expect, it } from 'vitest';
import type { Reply } from '../support/stand-in-upstream.ts';
import {
  joined,
  type ListDocument,
  type ListRequest,
  type PagedList,
  servePaged,
  things,
} from './paged-list.ts';

const integer = { type: 'integer' };
const string = { type: 'string' };
const page = { ...integer, default: 1 };
const TEN = { ...integer, maximum: 10 };

type Answer = (request: ListRequest, reply: Reply) => void;

/** The rows of a list of 70 that a page of ten begins with. */
const ten = (before: number) => things(70).slice(before, before + 10);

/** Lists of 70 things on seven pages, by the number of things before a page. */
interface Style {
  readonly document: ListDocument;
  readonly before: (request: ListRequest) => number;
  readonly say: (request: ListRequest, before: number) => object;
}

const STYLES: Readonly<Record<string, Style>> = {
  'page numbers with a total': {
    document: { parameters: { page, limit: TEN }, answer: { total: integer } },
    before: ({ number }) => (number('page', 1) - 1) * 10,
    say: () => ({ total: 70 }),
  },
  'offsets with a total': {
    document: { parameters: { offset: integer, limit: TEN }, answer: { total: integer } },
    before: ({ number }) => number('offset', 0),
    say: () => ({ total: 70 }),
  },
  cursors: {
    document: { parameters: { cursor: string, limit: TEN }, answer: { next_cursor: string } },
    before: ({ query }) => Number(query.get('cursor')?.slice(1) ?? 0),
    say: (_, before) => (before < 60 ? { next_cursor: `c${before + 10}` } : {}),
  },
  'next URLs': {
    document: { answer: { next: string } },
    before: ({ number }) => number('from', 0),
    say: ({ url }, before) => (before < 60 ? { next: `${url}/api/things?from=${before + 10}` } : {}),
  },
};

function serveStyle({ document, before, say }: Style, fault: object | undefined): Promise<PagedList> {
  return servePaged(document, (request, reply) => {
    const begin = before(request);
    if (begin === 30 && fault !== undefined) reply.json(fault);
    else reply.json({ items: ten(begin), ...say(request, begin) });
  });
}

const FAULTS: Readonly<Record<string, object>> = {
  'is an empty object': {},
  'reports an error': { error: 'internal', message: 'try later' },
  'reports an error as null for its list': { items: null, errors: [{ code: 17 }] },
};

describe.each(Object.entries(STYLES))('a page in the middle, by %s', (_, style) => {
  it('is one of seven', async () => {
    expect(await (await serveStyle(style, undefined)).ask('Thing?$orderby=Id')).toEqual({
      status: 200,
      keys: '1-70',
    });
  });

  it.each(Object.entries(FAULTS))('is an error where it %s', async (_name, fault) => {
    const list = await serveStyle(style, fault);
    const wrong = { status: 502, code: 'UpstreamBadResponse' };
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject(wrong);
    expect(await list.ask("Thing/$count?$filter=Name ne ''")).toMatchObject(wrong);
    const pages = await list.pages('Thing');
    expect([pages.slice(0, -1), pages.at(-1)]).toEqual([
      ['1-10', '11-20', '21-30'],
      expect.stringMatching(/^502 /),
    ]);
  });
});

describe('the largest total that was believed', () => {
  it.each(['page numbers with a total', 'offsets with a total'])(
    'counts where a page is empty: %s',
    async (name) => {
      const style = STYLES[name];
      const list = style && (await serveStyle(style, { items: [] }));
      expect(await list?.ask('Thing?$orderby=Id')).toEqual({
        status: 502,
        code: 'UpstreamIncomplete',
        message: 'The list has 70 rows, but its pages end after 30 rows: the rest is missing.',
      });
      expect((await list?.pages('Thing'))?.at(-1)).toMatch(/^502 The list has 70 rows/);
    },
  );
});

const BARE_PAGES: ListDocument = { parameters: { page, limit: TEN } };
const BARE_OFFSETS: ListDocument = { parameters: { offset: integer, limit: TEN } };

describe('a list without a total', () => {
  /** Seven pages, of which the fourth has only so many of its ten things. */
  const byPage =
    (left: number): Answer =>
    ({ number }, reply) => {
      const rows = ten((number('page', 1) - 1) * 10);
      reply.json(number('page', 1) === 4 ? rows.slice(0, left) : rows);
    };
  const byOffset =
    (left: number): Answer =>
    ({ number }, reply) => {
      const rows = ten(number('offset', 0));
      reply.json(number('offset', 0) === 30 ? rows.slice(0, left) : rows);
    };

  it.each<[string, ListDocument, Answer, string, number]>([
    ['short', BARE_PAGES, byPage(7), '1-37 41-70', 67],
    ['empty', BARE_PAGES, byPage(0), '1-30 41-70', 60],
    ['short', BARE_OFFSETS, byOffset(7), '1-70', 70],
    ['empty', BARE_OFFSETS, byOffset(0), '1-30 41-70', 60],
  ])('does not end where a page is %s', async (_, document, answer, keys, count) => {
    const list = await servePaged(document, answer);
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys });
    expect(await list.ask('Thing?$count=true&$orderby=Id')).toEqual({ status: 200, keys, count });
    expect(joined(await list.pages('Thing'))).toBe(keys);
  });

  it.each([204, 400, 404, 410, 422])('ends where there is no page behind a short one: %i', async (status) => {
    const list = await servePaged(BARE_PAGES, ({ number }, reply) => {
      const rows = things(25).slice((number('page', 1) - 1) * 10, number('page', 1) * 10);
      if (number('page', 1) > 3) reply.send(status, status === 204 ? '' : '{}');
      else reply.json(rows);
    });
    expect(await list.ask('Thing?$orderby=Id&$count=true')).toEqual({ status: 200, keys: '1-25', count: 25 });
  });

  it.each<[string, ListDocument]>([
    ['page', { parameters: { page, limit: { ...integer, maximum: 50 } } }],
    ['offset', { parameters: { offset: integer, limit: { ...integer, maximum: 50 } } }],
  ])('ends where an API ignores the %s', async (_, document) => {
    const list = await servePaged(document, (_request, reply) => reply.json(things(25)));
    expect(await list.ask('Thing?$orderby=Id&$count=true')).toEqual({ status: 200, keys: '1-25', count: 25 });
    expect(await list.pages('Thing')).toEqual(['1-25']);
    expect(joined(await list.pages('Thing', { prefer: 'maxpagesize=10' }))).toBe('1-25');
  });

  it.each<[string, ListDocument, object]>([
    ['page', { parameters: { page, limit: { ...integer, maximum: 50 } } }, {}],
    ['offset', { parameters: { offset: integer, limit: { ...integer, maximum: 50 } } }, {}],
    ['offset', { parameters: { offset: integer }, answer: { total: integer } }, { total: 1000 }],
    [
      'last key',
      {
        parameters: { starting_after: string, limit: { ...integer, maximum: 50 } },
        answer: { has_more: { type: 'boolean' } },
      },
      { has_more: true },
    ],
  ])('says that an API ignores the %s of a full page', async (_, document, more) => {
    const list = await servePaged(document, (_request, reply) =>
      reply.json(document.answer === undefined ? things(50) : { items: things(50), ...more }),
    );
    const of = 'total' in more ? ' of 1000' : '';
    const message = expect.stringContaining(
      `The request for the next page was answered with the first page again: the API ignores the parameter that the document declares for it. 50${of} rows were received, which may not be the whole list. x-odata.page, skip, cursor or next`,
    );
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 502, message });
    const [first, second, ...others] = await list.pages('Thing');
    expect([first, second, others]).toStrictEqual(['1-50', expect.stringContaining('50'), []]);
    expect(second).toContain('the API ignores the parameter');
  });

  it('ends where the operator says that such a page is the whole list', async () => {
    const parameters = { page, limit: integer };
    const document: ListDocument = {
      parameters,
      extensions: { 'x-odata': { page: 'page', top: 'limit', maxTop: 1000 } },
    };
    const list = await servePaged(document, (_request, reply) => reply.json(things(100)));
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-100' });
    expect(await list.pages('Thing')).toEqual(['1-100']);
  });

  it('ends where the last page comes again', async () => {
    const list = await servePaged(BARE_PAGES, ({ number }, reply) => {
      const last = Math.min(3, number('page', 1));
      reply.json(things(25).slice((last - 1) * 10, last * 10));
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-25' });
  });

  it.each<[string, (reply: Reply) => void]>([
    ['401', (reply) => reply.send(401, '{}')],
    ['403', (reply) => reply.send(403, '{}')],
    ['500', (reply) => reply.send(500, '{}')],
    ['HTML', (reply) => reply.send(200, '<html>')],
    ['an object', (reply) => reply.json({})],
    ['a list of what is no thing', (reply) => reply.json([null])],
  ])('does not end where the page behind a short one is %s', async (_, answer) => {
    const list = await servePaged(BARE_PAGES, ({ number }, reply) => {
      if (number('page', 1) > 3) answer(reply);
      else reply.json(things(25).slice((number('page', 1) - 1) * 10, number('page', 1) * 10));
    });
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 502 });
  });

  it('does not end where a full page is declared the last, and the one behind it is refused for another reason', async () => {
    const document = { parameters: { page, limit: TEN }, headers: { Link: { schema: string } } };
    const list = await servePaged(document, ({ number }, reply) => {
      if (number('page', 1) > 1) reply.send(401, '{}');
      else reply.json(things(10), { link: '<?page=1>; rel="first"' });
    });
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 502 });
  });
});

describe('a server whose pages are smaller than its document', () => {
  const HUNDRED = { ...integer, maximum: 100 };
  const capped = (rows: readonly object[], before: number, limit: number) =>
    rows.slice(before, before + Math.min(limit, 20));
  const byPage: Answer = ({ number }, reply) => {
    const limit = Math.min(number('limit', 20), 20);
    reply.json(capped(things(250), (number('page', 1) - 1) * limit, limit));
  };
  const byOffset: Answer = ({ number }, reply) =>
    reply.json(capped(things(250), number('offset', 0), number('limit', 20)));

  it.each<[string, ListDocument, Answer]>([
    ['page', { parameters: { page, limit: HUNDRED } }, byPage],
    ['offset', { parameters: { offset: integer, limit: HUNDRED } }, byOffset],
  ])('has whole lists by %s', async (_, document, answer) => {
    const list = await servePaged(document, answer);
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
    expect((await list.pages('Thing')).join(' ')).toContain('241-250');
    expect(await list.ask('Thing?$skip=30&$top=5')).toEqual({ status: 200, keys: '31-35' });
    expect(await list.ask('Thing?$skip=220&$top=30')).toEqual({ status: 200, keys: '221-250' });
    expect(await list.ask('Thing?$skip=110&$top=100')).toEqual({ status: 200, keys: '111-210' });
  });
});

describe('the request behind a short first page', () => {
  /** A list that has as many things as it is given, on pages of at most ten. */
  async function serveSome(document: ListDocument) {
    let count = 0;
    const list = await servePaged(document, ({ number }, reply) => {
      const rows = things(count);
      const begin = number('offset', (number('page', 1) - 1) * 10);
      reply.json(rows.slice(begin, begin + 10));
    });
    return async (rows: number) => {
      count = rows;
      const before = list.queries().length;
      const { keys } = (await list.ask('Thing')) as { readonly keys?: string };
      return [keys, list.queries().slice(before)];
    };
  }

  it('is made until the API has shown its pages', async () => {
    const ask = await serveSome({ parameters: { page, limit: { ...integer, maximum: 50 } } });
    const [first, second] = ['?limit=50', '?page=2&limit=50'];
    expect(await ask(7)).toEqual(['1-7', [first, second]]);
    expect(await ask(7)).toEqual(['1-7', [first]]);
    expect(await ask(5)).toEqual(['1-5', [first]]);
    expect(await ask(8)).toEqual(['1-8', [first, second]]);
    expect(await ask(10)).toEqual(['1-10', [first, second]]);
    expect(await ask(10)).toEqual(['1-10', [first, second]]);
    expect(await ask(0)).toEqual(['', [first]]);
  });

  it('is made once where the number of the first page is not known, either', async () => {
    const ask = await serveSome({ parameters: { page: integer, limit: { ...integer, maximum: 50 } } });
    const pages = (...numbers: readonly number[]) => [
      '?limit=50',
      ...numbers.map((each) => `?page=${each}&limit=50`),
    ];
    expect(await ask(7)).toEqual(['1-7', pages(1, 2)]);
    expect(await ask(7)).toEqual(['1-7', pages()]);
    expect(await ask(9)).toEqual(['1-9', pages(2)]);
  });

  it('is always made where a page was short within a list', async () => {
    let isShort = false;
    const list = await servePaged(BARE_PAGES, ({ number }, reply) => {
      const rows = isShort
        ? ten((number('page', 1) - 1) * 10)
        : things(3).slice((number('page', 1) - 1) * 10);
      reply.json(isShort && number('page', 1) < 3 ? rows.slice(0, 2) : rows);
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-3' });
    isShort = true;
    expect(await list.ask('Thing/$count')).toMatchObject({ status: 200 });
    expect(await list.ask('Thing?$top=200')).toMatchObject({ status: 200 });
  });

  it('is never made where x-odata declares how many rows a page has', async () => {
    const extensions = { 'x-odata': { page: 'page', top: 'limit', first: 1, maxTop: 50 } };
    const ask = await serveSome({ parameters: { page, limit: integer }, extensions });
    expect(await ask(7)).toEqual(['1-7', ['?limit=50']]);
  });

  it('is never made where no document or answer mentions pages', async () => {
    const ask = await serveSome({});
    expect(await ask(10)).toEqual(['1-10', ['']]);
  });
});
