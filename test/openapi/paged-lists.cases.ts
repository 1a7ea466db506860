import type { Reply } from '../support/stand-in-upstream.ts';
import { type ListDocument, type ListRequest, things } from './paged-list.ts';

/** A way of pages, as a document has it and as its upstream goes it. */
export interface PageStyle {
  readonly name: string;
  readonly document: ListDocument;
  readonly answer: (request: ListRequest, reply: Reply) => void;
  /** The expected queries for the whole list. */
  readonly queries: readonly string[];
}

const ALL = things(250);
const integer = { type: 'integer' };
const string = { type: 'string' };
const numberOrText = { type: ['integer', 'string'], format: 'int32', pattern: '^-?(?:0|[1-9]\\d*)$' };

/** When the newest thing was made, in milliseconds; each of the others was made one before. */
const FIRST_TIME = 1_540_095_775_951;

/** The part of all things that begins behind so many. */
const from = (before: number, count: number) => ALL.slice(before, before + count);

/** The queries of pages: `?limit=100` and so on. */
const offsets = (write: (offset: number) => string, step: number): readonly string[] =>
  Array.from({ length: Math.ceil(ALL.length / step) }, (_, index) => write(index * step));

const after = (request: ListRequest, name: string): number => {
  const cursor = request.query.get(name);
  return cursor === null ? 0 : Number(Buffer.from(cursor, 'base64url').toString());
};
const cursorOf = (offset: number): string | null =>
  offset < ALL.length ? Buffer.from(String(offset)).toString('base64url') : null;

/** A page behind a cursor of that name, with what is said of the next one. */
const byCursor =
  (name: string, size: string, say: (cursor: string | null) => object): PageStyle['answer'] =>
  (request, reply) => {
    const [before, count] = [after(request, name), request.number(size, 20)];
    reply.json({ items: from(before, count), ...say(cursorOf(before + count)) });
  };

const cursors = (name: string, size: string): readonly string[] =>
  offsets((offset) => (offset === 0 ? `?${size}=100` : `?${size}=100&${name}=${cursorOf(offset)}`), 100);

const byOffset =
  (name: string, size: string, say: () => object = () => ({})): PageStyle['answer'] =>
  (request, reply) =>
    reply.json({ items: from(request.number(name, 0), Math.min(request.number(size, 20), 100)), ...say() });

const bare =
  (before: (request: ListRequest) => number, size: string): PageStyle['answer'] =>
  (request, reply) =>
    reply.json(from(before(request), Math.min(request.number(size, 20), 100)));

const nextUrl = ({ query, url }: ListRequest, offset: number, path = `${url}/api/things`): string | null => {
  const next = new URLSearchParams(query);
  next.set('after', String(offset));
  return offset < ALL.length ? `${path}?${next}` : null;
};

/** A page behind `after`, with what is said of the next one's URL. */
const byUrl =
  (say: (request: ListRequest, next: number) => object): PageStyle['answer'] =>
  (request, reply) => {
    const [before, count] = [request.number('after', 0), request.number('limit', 20)];
    reply.json({ items: from(before, count), ...say(request, before + count) });
  };

const urls = offsets((offset) => (offset === 0 ? '?limit=100' : `?limit=100&after=${offset}`), 100);
const limit = { limit: { ...integer, maximum: 100 } };

/** Nothing but an empty page shows that the short one is the last. */
const BY_OFFSET = ['?limit=100', ...[100, 200, 250].map((offset) => `?limit=100&offset=${offset}`)];

export const STYLES: readonly PageStyle[] = [
  {
    name: 'a link in the header',
    document: { parameters: limit, headers: { Link: { schema: string } } },
    answer: (request, reply) => {
      const before = request.number('after', 0);
      const next = nextUrl(request, before + 100);
      const links = [
        `<${request.url}/api/things>; rel="first"`,
        ...(next ? [`<${next}>; title="a, b"; rel=next`] : []),
      ];
      reply.json(from(before, 100), { link: links.join(', ') });
    },
    queries: urls,
  },
  {
    name: 'a link in the header that is relative',
    document: { parameters: limit },
    answer: (request, reply) => {
      const before = request.number('after', 0);
      const next = nextUrl(request, before + 100, '');
      reply.json(from(before, 100), next ? { link: `<${next}>; REL="prefetch Next"` } : {});
    },
    queries: urls,
  },
  {
    name: 'the next URL',
    document: { parameters: limit, answer: { next: string } },
    answer: byUrl((request, next) => ({ next: nextUrl(request, next) })),
    queries: urls,
  },
  {
    name: 'the next URL among links',
    document: { parameters: limit, answer: { links: { type: 'object', properties: { next: string } } } },
    answer: byUrl((request, next) => ({ links: next < 250 ? { next: nextUrl(request, next) } : {} })),
    queries: urls,
  },
  {
    name: 'the next URL as HAL has it',
    document: { parameters: limit, answer: { _links: { type: 'object' } } },
    answer: byUrl((request, next) => ({
      _links: next < 250 ? { next: { href: nextUrl(request, next, '/api/things') } } : {},
    })),
    queries: urls,
  },
  {
    name: 'the next URL as Graph has it',
    document: {
      parameters: limit,
      answer: {
        paging: {
          type: 'object',
          properties: { next: { type: 'object', properties: { link: string, after: string } } },
        },
      },
    },
    answer: byUrl((request, next) => ({
      paging: next < 250 ? { next: { link: nextUrl(request, next) } } : {},
    })),
    queries: urls,
  },
  {
    name: 'the next URL as OData has it',
    document: { parameters: limit, answer: { '@odata.nextLink': string } },
    answer: byUrl((request, next) => (next < 250 ? { '@odata.nextLink': nextUrl(request, next) } : {})),
    queries: urls,
  },
  {
    name: 'a cursor',
    document: { parameters: { ...limit, cursor: string }, answer: { next_cursor: string } },
    answer: byCursor('cursor', 'limit', (cursor) => ({ next_cursor: cursor })),
    queries: cursors('cursor', 'limit'),
  },
  {
    name: 'an iterator, and whether it is done',
    document: {
      parameters: { ...limit, iterator: string },
      answer: { iterator: { type: ['string', 'null'] }, prevIterator: string, done: { type: 'boolean' } },
    },
    answer: byCursor('iterator', 'limit', (cursor) => ({ iterator: cursor ?? 'end', done: cursor === null })),
    queries: cursors('iterator', 'limit'),
  },
  {
    name: 'the time until which the next page is',
    document: {
      parameters: {
        ...limit,
        since: { ...integer, description: 'Things made after this timestamp' },
        until: { ...integer, description: 'Things made before this timestamp' },
      },
      answer: {
        pagination: {
          type: 'object',
          properties: {
            next: { type: ['number', 'null'], description: 'Timestamp that the next page is asked for by' },
            prev: { type: ['number', 'null'], description: 'Timestamp that the one before is asked for by' },
          },
        },
      },
    },
    answer: (request, reply) => {
      const before = FIRST_TIME - request.number('until', FIRST_TIME);
      const next = before + request.number('limit', 20);
      reply.json({
        items: from(before, next - before),
        pagination: { next: next < ALL.length ? FIRST_TIME - next : null, prev: FIRST_TIME },
      });
    },
    queries: offsets(
      (offset) => (offset === 0 ? '?limit=100' : `?limit=100&until=${FIRST_TIME - offset}`),
      100,
    ),
  },
  {
    name: 'a cursor that is not there at the end',
    document: {
      parameters: { cursor: string, limit: integer },
      answer: { cursor: string, errors: { type: 'array', items: {} } },
    },
    answer: byCursor('cursor', 'limit', (cursor) => (cursor === null ? {} : { cursor })),
    queries: offsets(
      (offset) => (offset === 0 ? '?limit=100' : `?cursor=${cursorOf(offset)}&limit=100`),
      100,
    ),
  },
  {
    name: 'a page token',
    document: {
      parameters: { pageSize: { ...integer, maximum: 100 }, pageToken: string },
      answer: { nextPageToken: string },
    },
    answer: byCursor('pageToken', 'pageSize', (cursor) => ({ nextPageToken: cursor ?? '' })),
    queries: cursors('pageToken', 'pageSize'),
  },
  {
    name: 'a token to continue by',
    document: {
      parameters: { ...limit, continue: string },
      answer: { metadata: { type: 'object', properties: { continue: string } } },
    },
    answer: byCursor('continue', 'limit', (cursor) => ({
      metadata: cursor === null ? {} : { continue: cursor },
    })),
    queries: cursors('continue', 'limit'),
  },
  {
    name: 'a marker',
    document: { parameters: { ...limit, marker: string }, answer: { next_marker: string, limit: integer } },
    answer: byCursor('marker', 'limit', (cursor) => ({ limit: 100, next_marker: cursor ?? '' })),
    queries: cursors('marker', 'limit'),
  },
  {
    name: 'an offset that is a token',
    document: {
      parameters: { ...limit, offset: string },
      answer: { next_page: { type: 'object', properties: { offset: string, path: string, uri: string } } },
    },
    answer: byCursor('offset', 'limit', (cursor) => ({
      next_page: cursor && { offset: cursor, path: '/things', uri: 'https://example.com/things' },
    })),
    queries: cursors('offset', 'limit'),
  },
  {
    name: 'a cursor in the metadata of the response',
    document: {
      parameters: { ...limit, cursor: string },
      answer: { response_metadata: { type: 'object', properties: { next_cursor: string } } },
    },
    answer: byCursor('cursor', 'limit', (cursor) => ({ response_metadata: { next_cursor: cursor ?? '' } })),
    queries: cursors('cursor', 'limit'),
  },
  {
    name: 'the last key',
    document: {
      parameters: { limit: integer, starting_after: string, ending_before: string },
      answer: { has_more: { type: 'boolean' } },
    },
    answer: (request, reply) => {
      const [before, count] = [request.number('starting_after', 0), request.number('limit', 10)];
      reply.json({ items: from(before, count), has_more: before + count < 250 });
    },
    queries: offsets((offset) => (offset === 0 ? '?limit=100' : `?limit=100&starting_after=${offset}`), 100),
  },
  {
    name: 'the largest key',
    document: { parameters: { limit: { ...integer, default: 40 }, max_id: string, since_id: string } },
    answer: bare((request) => request.number('max_id', 0), 'limit'),
    queries: [
      ...offsets((offset) => (offset === 0 ? '?limit=40' : `?limit=40&max_id=${offset}`), 40),
      '?limit=40&max_id=250',
    ],
  },
  {
    name: 'numbers from 1',
    document: {
      parameters: { page: { ...integer, default: 1 }, per_page: { ...integer, maximum: 100, default: 30 } },
    },
    answer: bare((request) => (request.number('page', 1) - 1) * request.number('per_page', 30), 'per_page'),
    queries: ['?per_page=100', ...[2, 3, 4].map((page) => `?page=${page}&per_page=100`)],
  },
  {
    name: 'numbers from 0',
    document: { parameters: { page: { ...integer, default: 0 }, size: { ...integer, maximum: 50 } } },
    answer: bare((request) => request.number('page', 0) * request.number('size', 30), 'size'),
    queries: ['?size=50', ...[1, 2, 3, 4, 5, 6].map((page) => `?page=${page}&size=50`)],
  },
  {
    name: 'numbers from nobody knows what, which is 1',
    document: { parameters: { page: integer, limit: { ...integer, maximum: 100 } } },
    answer: bare((request) => (request.number('page', 1) - 1) * request.number('limit', 30), 'limit'),
    queries: ['?limit=100', ...[1, 2, 3, 4].map((page) => `?page=${page}&limit=100`)],
  },
  {
    name: 'numbers from nobody knows what, which is 0',
    document: { parameters: { page: { ...integer, minimum: 0 }, limit: { ...integer, maximum: 100 } } },
    answer: bare((request) => request.number('page', 0) * request.number('limit', 30), 'limit'),
    queries: ['?limit=100', ...[1, 2, 3].map((page) => `?page=${page}&limit=100`)],
  },
  {
    name: 'numbers that are texts',
    document: { parameters: { pageNum: string, pageSize: string } },
    answer: bare(
      (request) => (request.number('pageNum', 1) - 1) * request.number('pageSize', 30),
      'pageSize',
    ),
    queries: ['?pageSize=100', ...[1, 2, 3, 4].map((page) => `?pageNum=${page}&pageSize=100`)],
  },
  {
    name: 'numbers whose values are said to be those of pages',
    document: {
      parameters: {
        p: { ...integer, minimum: 1, description: 'The number of the page' },
        n: { ...integer, maximum: 100, description: 'How many there are on a page' },
      },
    },
    answer: bare((request) => (request.number('p', 1) - 1) * request.number('n', 30), 'n'),
    queries: ['?n=100', ...[2, 3, 4].map((page) => `?p=${page}&n=100`)],
  },
  {
    name: 'numbers that the answers repeat',
    document: {
      parameters: { page: integer, limit: { ...integer, maximum: 100 } },
      answer: { page: integer },
    },
    answer: (request, reply) => {
      const page = request.number('page', 1);
      reply.json({ page, items: from((page - 1) * 100, 100) });
    },
    queries: ['?limit=100', ...[2, 3, 4].map((page) => `?page=${page}&limit=100`)],
  },
  {
    name: 'numbers that must be given',
    document: {
      parameters: {
        page: { ...integer, minimum: 0, required: true },
        pageSize: { ...integer, maximum: 100, required: true },
      },
      answer: { hasNext: { type: 'boolean' }, totalElements: integer, totalPages: integer },
    },
    answer: (request, reply) => {
      const page = request.number('page', Number.NaN);
      reply.json({ items: from(page * 100, 100), hasNext: page < 2, totalElements: 250, totalPages: 3 });
    },
    queries: ['?page=0&pageSize=100', '?page=1&pageSize=100', '?page=2&pageSize=100'],
  },
  {
    name: 'numbers that must be given, beside the URL of the next page',
    document: {
      parameters: {
        page: { ...integer, minimum: 1, required: true },
        limit: { ...integer, maximum: 100, required: true },
      },
      answer: { links: { type: 'object', properties: { next: string } } },
    },
    answer: (request, reply) => {
      const page = request.number('page', Number.NaN);
      const links = page < 3 ? { next: `?limit=100&page=${page + 1}&seen=${page}` } : {};
      reply.json({ items: from((page - 1) * 100, 100), links });
    },
    queries: ['?page=1&limit=100', '?limit=100&page=2&seen=1', '?limit=100&page=3&seen=2'],
  },
  {
    name: 'numbers that may be written as texts, as .NET has them',
    document: {
      parameters: {
        PageIndex: { ...numberOrText, default: 0 },
        PageSize: { ...numberOrText, default: 100 },
      },
      answer: { count: numberOrText },
    },
    answer: (request, reply) =>
      reply.json({ items: from(request.number('PageIndex', 0) * 100, 100), count: 250 }),
    queries: ['?PageSize=100', '?PageIndex=1&PageSize=100', '?PageIndex=2&PageSize=100'],
  },
  {
    name: 'numbers that are called those of a pagination',
    document: {
      parameters: {
        'pagination[page]': { ...integer, minimum: 1 },
        'pagination[pageSize]': { ...integer, maximum: 100 },
      },
      answer: {
        meta: {
          type: 'object',
          properties: { pagination: { type: 'object', properties: { total: integer } } },
        },
      },
    },
    answer: (request, reply) => {
      const page = request.number('pagination[page]', 1);
      reply.json({ items: from((page - 1) * 100, 100), meta: { pagination: { total: 250 } } });
    },
    queries: [1, 2, 3].map((page) =>
      page === 1
        ? '?pagination%5BpageSize%5D=100'
        : `?pagination%5Bpage%5D=${page}&pagination%5BpageSize%5D=100`,
    ),
  },
  {
    name: 'the number of all pages',
    document: { parameters: { page: { ...integer, minimum: 1 } }, answer: { total_pages: integer } },
    answer: (request, reply) =>
      reply.json({ items: from((request.number('page', 1) - 1) * 50, 50), total_pages: 5 }),
    queries: ['', '?page=2', '?page=3', '?page=4', '?page=5'],
  },
  {
    name: 'an offset',
    document: { parameters: { ...limit, offset: integer }, answer: {} },
    answer: byOffset('offset', 'limit'),
    queries: BY_OFFSET,
  },
  {
    name: 'an offset beside a limit that is none by default',
    document: { parameters: { limit: { ...integer, default: -1 }, offset: integer }, answer: {} },
    answer: byOffset('offset', 'limit'),
    queries: BY_OFFSET,
  },
  {
    name: 'an offset with a total',
    document: {
      parameters: { startAt: { ...integer, default: 0 }, maxResults: { ...integer, default: 50 } },
      answer: { total: integer, startAt: integer, maxResults: integer, isLast: { type: 'boolean' } },
    },
    answer: byOffset('startAt', 'maxResults', () => ({ total: 250 })),
    queries: offsets((offset) => (offset === 0 ? '?maxResults=50' : `?startAt=${offset}&maxResults=50`), 50),
  },
  {
    name: 'an offset that the document has as a text',
    document: { parameters: { limit: string, offset: string }, answer: {} },
    answer: byOffset('offset', 'limit'),
    queries: BY_OFFSET,
  },
  {
    name: 'a count that is skipped',
    document: {
      parameters: { SkipCount: integer, MaxResultCount: { ...integer, maximum: 100 } },
      answer: { totalCount: integer },
    },
    answer: byOffset('SkipCount', 'MaxResultCount', () => ({ totalCount: 250 })),
    queries: offsets(
      (offset) => (offset === 0 ? '?MaxResultCount=100' : `?SkipCount=${offset}&MaxResultCount=100`),
      100,
    ),
  },
  {
    name: 'an offset that an upstream has pages of its own for',
    document: { parameters: { limit: integer, offset: integer }, answer: {} },
    answer: (request, reply) => reply.json({ items: from(request.number('offset', 0), 60) }),
    queries: [
      ...offsets((offset) => (offset === 0 ? '?limit=100' : `?limit=100&offset=${offset}`), 60),
      '?limit=100&offset=250',
    ],
  },
  {
    name: 'a flag that says that there is more',
    document: {
      parameters: { ...limit, offset: integer },
      answer: { more: { type: 'boolean' }, total: { type: ['integer', 'null'] } },
    },
    answer: (request, reply) => {
      const before = request.number('offset', 0);
      reply.json({ items: from(before, 50), more: before + 50 < 250, total: null });
    },
    queries: offsets((offset) => (offset === 0 ? '?limit=100' : `?limit=100&offset=${offset}`), 50),
  },
];
