import { describe, expect, it } from 'vitest';
import type { Reply } from '../support/stand-in-upstream.ts';
import { type ListDocument, type ListRequest, servePaged, things } from './paged-list.ts';

const integer = { type: 'integer' };
const string = { type: 'string' };
const size = { ...integer, maximum: 20 };
const page = { ...integer, default: 1 };

const BY_CURSOR: ListDocument = {
  parameters: { cursor: string, limit: size },
  answer: { next_cursor: string },
};
const BY_URL: ListDocument = { answer: { next: string } };
const BY_LAST_KEY: ListDocument = {
  parameters: { starting_after: string, limit: size },
  answer: { has_more: { type: 'boolean' } },
};
const BY_PAGE: ListDocument = { parameters: { page, per_page: size }, answer: { total: integer } };
const BY_OFFSET: ListDocument = { parameters: { offset: integer, limit: size }, answer: { total: integer } };
const BY_LINK: ListDocument = { answer: undefined };

/** There are forty things, on two pages. */
const WHOLE = { status: 200, keys: '1-40' };
/** Nothing that can be understood says that there is more than the first page. */
const ONE_PAGE = { status: 200, keys: '1-20' };
const WRONG = { status: 502, code: 'UpstreamBadResponse' };
const INCOMPLETE = { status: 502, code: 'UpstreamIncomplete' };

interface Case {
  readonly document: ListDocument;
  readonly answer: (request: ListRequest, reply: Reply) => void;
  /** The expected error, without its message. */
  readonly told: object;
}

const pageFrom = (start: number, said: object) => ({ items: things(40).slice(start, start + 20), ...said });

const withCursor = (next: unknown, told: object): Case => ({
  document: BY_CURSOR,
  answer: ({ query }, reply) =>
    reply.json(query.has('cursor') ? pageFrom(20, { next_cursor: next }) : pageFrom(0, { next_cursor: 'a' })),
  told,
});

const withUrl = (next: unknown, told: object): Case => ({
  document: BY_URL,
  answer: ({ query }, reply) => reply.json(query.has('page') ? pageFrom(20, {}) : pageFrom(0, { next })),
  told,
});

const withTotal = (total: unknown, told: object): readonly Case[] => [
  {
    document: BY_PAGE,
    answer: ({ number }, reply) => reply.json(pageFrom((number('page', 1) - 1) * 20, { total })),
    told,
  },
  {
    document: BY_OFFSET,
    answer: ({ number }, reply) => reply.json(pageFrom(number('offset', 0), { total })),
    told,
  },
];

const withLink = (link: string, told: object): Case => ({
  document: BY_LINK,
  answer: ({ query, url }, reply) => {
    if (query.has('page')) reply.json(things(40).slice(20));
    else reply.json(things(40).slice(0, 20), { link: link.replaceAll('{url}', url) });
  },
  told,
});

const CASES: Readonly<Record<string, readonly Case[]>> = {
  'a cursor that comes again': [withCursor('a', WRONG)],
  'two cursors that lead to each other': [
    {
      document: BY_CURSOR,
      answer: ({ query }, reply) =>
        reply.json(pageFrom(0, { next_cursor: query.get('cursor') === 'a' ? 'b' : 'a' })),
      told: WRONG,
    },
  ],
  'a last cursor that is none': [null, '', false, 0, {}, []].map((next) => withCursor(next, WHOLE)),
  'a next URL that is none': [null, '', false, 0, {}].map((next) => withUrl(next, ONE_PAGE)),
  'a next URL that leads away': ['//elsewhere.example/x', 'http://['].map((next) => withUrl(next, WRONG)),
  'a next URL of another kind': ['javascript:0', 'file:///etc/passwd'].map((next) =>
    withUrl(next, INCOMPLETE),
  ),
  'a next URL that is relative': [withUrl('?page=2', WHOLE)],
  'more that never comes': [
    {
      document: BY_LAST_KEY,
      answer: ({ query }, reply) =>
        reply.json(pageFrom(Number(query.get('starting_after') ?? 0), { has_more: true })),
      told: INCOMPLETE,
    },
  ],
  'more behind no rows': [
    {
      document: BY_LAST_KEY,
      answer: (_, reply) => reply.json({ items: [], has_more: true }),
      told: INCOMPLETE,
    },
  ],
  'a total that is too small, or none': [10, 39, -1, '40', 'many', null, 1e300].flatMap((total) =>
    withTotal(total, WHOLE),
  ),
  'a total that is too large': withTotal(41, INCOMPLETE),
  'pages of one': [
    {
      document: { parameters: { page, per_page: { ...integer, maximum: 1 } }, answer: {} },
      answer: ({ number }, reply) =>
        reply.json({ items: things(40).slice(number('page', 1) - 1, number('page', 1)) }),
      told: WHOLE,
    },
  ],
  'sizes to choose from': [
    {
      document: { parameters: { page, per_page: { ...integer, enum: [5, 10, 20] } }, answer: {} },
      answer: ({ number }, reply) => {
        const length = number('per_page', 5);
        const start = (number('page', 1) - 1) * length;
        if (![5, 10, 20].includes(length)) reply.send(400, '{}');
        else reply.json({ items: things(40).slice(start, start + length) });
      },
      told: WHOLE,
    },
  ],
  'a link among others, in any form (RFC 8288, 3)': [
    '<{url}/api/things?page=2>; rel="next", <{url}/api/things?page=9>; rel="last"',
    '<{url}/api/things?page=9>; rel="last", <{url}/api/things?page=2>; rel="prev next"',
    '</api/things?page=2>; rel=next',
    '<?page=2>; rel="next"',
  ].map((link) => withLink(link, WHOLE)),
  'a link that leads away, or nowhere, or cannot be read': [
    '<http://elsewhere.example/things>; rel="next"',
    '<>; rel="next"',
    '<{url}/api/things?page=2; rel="next"',
    '<{url}/api/things?page=9>; rel="last" <{url}/api/things?page=2>; rel="prev next"',
  ].map((link) => withLink(link, WRONG)),
  'a link that says nothing of pages': [withLink('next', ONE_PAGE), withLink('<x>; rel="self', ONE_PAGE)],
};

describe('a list whose pages say what is not so is whole, or an error', () => {
  it.each(Object.entries(CASES))('%s', async (_, cases) => {
    for (const { document, answer, told } of cases) {
      const list = await servePaged(document, answer);
      expect(await list.ask('Thing?$orderby=Id')).toMatchObject(told);
    }
  });
});

describe('next links', () => {
  it.each([2, 3, 7, 100])('come to an end where %i cursors lead to each other', async (length) => {
    let pages = 0;
    const list = await servePaged(BY_CURSOR, ({ query }, reply) => {
      const number = Number(query.get('cursor') ?? 0);
      const items = things(3).map(({ name }, index) => ({ id: 3 * pages + index + 1, name }));
      pages += 1;
      reply.json({ items, next_cursor: String((number % length) + 1) });
    });
    const found = await list.pages('Thing', { prefer: 'odata.maxpagesize=3' });
    expect(found.at(-1)).toMatch(/^502 .* come to an end/);
    expect(found.length).toBeGreaterThan(length);
    expect(found.length).toBeLessThan(4 * length + 4);
  });

  it.each([1, 2, 5, 20])(
    'come to an end where %i pages come again under ever new cursors',
    async (length) => {
      const list = await servePaged(BY_CURSOR, ({ query }, reply) => {
        const number = Number(query.get('cursor') ?? 0);
        const first = (number % length) * 20;
        reply.json({ items: things(first + 20).slice(first), next_cursor: String(number + 1) });
      });
      const found = await list.pages('Thing');
      expect(found.at(-1)).toMatch(/^502 .* come to an end/);
      expect(found.length).toBeLessThan(4 * length + 4);
    },
  );

  it.each([
    ['page', BY_PAGE],
    ['offset', BY_OFFSET],
  ])('end where the %s is ignored, also for a client that follows links', async (_, { parameters = {} }) => {
    const list = await servePaged({ parameters, answer: {} }, (_request, reply) =>
      reply.json(pageFrom(0, {})),
    );
    const pages = await list.pages('Thing');
    expect(pages.map((keys) => keys.replace(/ .*/, ''))).toEqual(['1-20', '502']);
  });

  it('go on where pages of the client are smaller than those of the upstream', async () => {
    const list = await servePaged(BY_CURSOR, ({ query }, reply) => {
      const start = Number(query.get('cursor') ?? 0);
      reply.json({
        items: things(200).slice(start, start + 20),
        ...(start < 180 && { next_cursor: String(start + 20) }),
      });
    });
    const pages = await list.pages('Thing', { prefer: 'odata.maxpagesize=7' });
    expect(pages.map((keys) => keys.split('-')[1] ?? keys).at(-1)).toBe('200');
    expect(new Set(pages).size).toBe(pages.length);
  });
});
