import { describe, expect, it } from 'vitest';
import type { Reply } from '../support/stand-in-upstream.ts';
import { type ListDocument, servePaged, things } from './paged-list.ts';

const integer = { type: 'integer' };
const string = { type: 'string' };
const ENVELOPE: ListDocument = { answer: {} };

const incomplete = (message: string) => ({
  status: 502,
  code: 'UpstreamIncomplete',
  message: `${message}, and the document does not say how to ask for the rest. x-odata.page, skip, cursor or next on the operation says it.`,
});

const UNUSABLE = {
  status: 502,
  code: 'UpstreamBadResponse',
  message: 'The upstream service sent an answer that cannot be used.',
};

const doubtful = (came: number, keywords = 'x-odata.page, skip, cursor or next') => ({
  status: 502,
  code: 'UpstreamIncomplete',
  message: `${came} rows were received, which may not be the whole list: the document does not say how to ask for the rest. ${keywords} on the operation says it. If that is the whole list, x-odata.maxTop says how many rows the API returns at most.`,
});

const WHOLE = (count: number) => ({ status: 200, keys: `1-${count}` });

describe('signs of pages that the document does not tell of', () => {
  it.each<[string, (next: string) => readonly [object, Readonly<Record<string, string>>]]>([
    ['a link in the header', (next) => [{}, { link: `<${next}>; rel="next"` }]],
    ['a URL', (next) => [{ next }, {}]],
    ['a URL in the metadata', (next) => [{ meta: { pagination: { next_page_url: next } } }, {}]],
  ])('are followed where they say where: %s', async (_, say) => {
    const list = await servePaged(ENVELOPE, ({ number, url }, reply) => {
      const page = number('page', 1);
      const [body, headers] = page < 3 ? say(`${url}/api/things?page=${page + 1}`) : [{}, {}];
      reply.json({ items: things(50).slice((page - 1) * 20, page * 20), ...body }, headers);
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual(WHOLE(50));
    expect(list.queries()).toEqual(['', '?page=2', '?page=3']);
  });

  it.each<[string, object, string]>([
    ['a total', { total: 250 }, 'The list has 250 rows, 20 came'],
    ['a total as text', { meta: { total_count: '250' } }, 'The list has 250 rows, 20 came'],
    ['a count', { count: 250 }, 'The list has 250 rows, 20 came'],
    ['a flag', { has_more: true }, 'The list has more than the 20 rows that were received'],
    ['a flag for the last page', { isLast: false }, 'The list has more than the 20 rows that were received'],
    ['a cursor', { next_cursor: 'abc' }, 'The list has more than the 20 rows that were received'],
  ])('are an error where they do not: %s', async (_, said, message) => {
    const list = await servePaged(ENVELOPE, (_request, reply) => reply.json({ items: things(20), ...said }));
    expect(await list.ask('Thing')).toEqual(incomplete(message));
    expect(await list.ask('Thing/$count')).toEqual(incomplete(message));
    expect(await list.ask('Thing?$filter=Id gt 20')).toEqual(incomplete(message));
    expect(await list.ask('Thing?$top=21')).toEqual(incomplete(message));
    expect(await list.ask('Thing?$top=5')).toEqual({ status: 200, keys: '1-5' });
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['X-Total-Count', { 'x-total-count': '250' }],
    ['Content-Range', { 'content-range': 'items 0-19/250' }],
  ])('are an error where a header field says how many there are: %s', async (_, headers) => {
    const list = await servePaged({}, (_request, reply) => reply.json(things(20), headers));
    expect(await list.ask('Thing')).toEqual(incomplete('The list has 250 rows, 20 came'));
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['null for the next page', { next: null, has_more: false, total: 20 }],
    ['an empty cursor', { next_cursor: '', meta: { total: 20 } }],
    ['a number that is none', { total: 'NaN' }],
    ['a negative number', { total: -1 }],
    ['a fraction', { total: 20.5 }],
    ['a total that lies low', { total: 3 }],
    ['the number of its own items', { count: 20 }],
    ['links to everything else', { links: { self: '/a', first: '/b', last: '/c' }, previous: '/d' }],
    ['a number of something else', { id: 5, title: 'Friends', total: 1000 }],
  ])('are none: %s', async (_, said) => {
    const list = await servePaged(ENVELOPE, (_request, reply) => reply.json({ items: things(20), ...said }));
    expect(await list.ask('Thing')).toEqual(WHOLE(20));
    expect(list.queries()).toEqual(['']);
  });
});

describe('a list that takes a size alone', () => {
  const document: ListDocument = { parameters: { limit: { ...integer, maximum: 50 } } };

  it('is whole where fewer came than were asked for', async () => {
    const list = await servePaged(document, ({ number }, reply) =>
      reply.json(things(49).slice(0, number('limit', 10))),
    );
    expect(await list.ask('Thing')).toEqual(WHOLE(49));
    expect(list.queries()).toEqual(['?limit=50']);
  });

  it('may go on where as many came', async () => {
    const list = await servePaged(document, ({ number }, reply) =>
      reply.json(things(250).slice(0, number('limit', 10))),
    );
    expect(await list.ask('Thing')).toEqual(doubtful(50));
    expect(await list.ask('Thing?$top=50')).toEqual(WHOLE(50));
    expect(list.queries()).toEqual(['?limit=50', '?limit=50']);
  });

  it.each([
    ['fewer than are requested', 40, ['?limit=100'], WHOLE(40)],
    ['more, but fewer than on a larger page', 140, ['?limit=100', '?limit=1000'], WHOLE(140)],
    ['as many as on the largest page', 1_200, ['?limit=100', '?limit=1000'], doubtful(1_000)],
  ])(
    'is requested on a larger page where the document allows it: %s',
    async (_, count, queries, expected) => {
      const list = await servePaged({ parameters: { limit: integer } }, ({ number }, reply) =>
        reply.json(things(count).slice(0, number('limit', 10))),
      );
      expect(await list.ask('Thing?$orderby=Id')).toEqual(expected);
      expect(list.queries()).toEqual(queries);
    },
  );

  it.each([
    ['Thing?$filter=Id mod 2 eq 0', 70],
    ['Thing?$filter=Id mod 2 eq 0&$top=60', 60],
    ['Thing?$filter=Id mod 2 eq 0&$skip=40&$top=20', 20],
  ])('has the rows of a larger page that meet conditions: %s', async (path, count) => {
    const list = await servePaged({ parameters: { limit: integer } }, ({ number }, reply) =>
      reply.json(things(140).slice(0, number('limit', 10))),
    );
    const { status, keys } = (await list.ask(path)) as { readonly status: number; readonly keys: string };
    const begin = path.includes('$skip') ? 41 : 1;
    const expected = Array.from({ length: count }, (_, index) => 2 * (begin + index));
    expect([status, keys]).toEqual([200, expected.join(' ')]);
  });

  it.each([
    ['gives no more', (reply: Reply) => reply.json(things(20))],
    ['refuses a larger page', (reply: Reply) => reply.send(400, '{}')],
  ])('may go on where an API that usually gives so many %s', async (_, answer) => {
    const list = await servePaged({ parameters: { limit: integer } }, ({ query }, reply) =>
      query.get('limit') === '1000' ? answer(reply) : reply.json(things(20)),
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual(doubtful(20));
    expect(await list.ask('Thing/$count')).toEqual(doubtful(20));
    expect(await list.ask('Thing?$top=5')).toEqual(WHOLE(5));
  });

  it('is whole where x-odata declares how many come at most', async () => {
    const extensions = { 'x-odata': { top: 'limit', maxTop: 100 } };
    const list = await servePaged({ parameters: { limit: integer }, extensions }, (_, reply) =>
      reply.json(things(20)),
    );
    expect(await list.ask('Thing')).toEqual(WHOLE(20));
    expect(list.queries()).toEqual(['?limit=100']);
  });

  it('is read by its total where it has one', async () => {
    const list = await servePaged({ parameters: { limit: integer }, answer: {} }, ({ number }, reply) =>
      reply.json({ items: things(250).slice(0, number('limit', 10)), total: 250 }),
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual(WHOLE(250));
    expect(list.queries()).toEqual(['?limit=100', '?limit=1000']);
  });
});

describe('a list that takes a cursor', () => {
  const document: ListDocument = { parameters: { cursor: string } };

  it.each([
    [19, WHOLE(19)],
    [20, doubtful(20, 'x-odata.next, for the cursor in its answers,')],
  ])('may go on where its answers have none: %i rows', async (count, expected) => {
    const list = await servePaged(document, (_, reply) => reply.json(things(count)));
    expect(await list.ask('Thing')).toEqual(expected);
    expect(list.queries()).toEqual(['']);
  });

  it('is followed by the member with the name of the parameter', async () => {
    const list = await servePaged(
      { parameters: { scroll_param: string }, answer: { scroll_param: string } },
      ({ query }, reply) => {
        const begin = Number(query.get('scroll_param')?.replace('s', '') ?? 0);
        reply.json({ items: things(50).slice(begin, begin + 20), scroll_param: `s${begin + 20}` });
      },
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual(WHOLE(50));
    expect(list.queries()).toEqual(['', ...[20, 40, 60].map((begin) => `?scroll_param=s${begin}`)]);
  });
});

describe('totals that lie', () => {
  const byOffset: ListDocument = {
    parameters: { offset: integer, limit: { ...integer, maximum: 20 } },
    answer: { total: integer },
  };
  const served = (total: unknown, count = 50) =>
    servePaged(byOffset, ({ number }, reply) => {
      const begin = number('offset', 0);
      reply.json({ items: things(count).slice(begin, begin + 20), total });
    });

  it('are an error where they are too high', async () => {
    const list = await served(70);
    expect(await list.ask('Thing?$orderby=Id')).toEqual({
      status: 502,
      code: 'UpstreamIncomplete',
      message: 'The list has 70 rows, but its pages end after 50 rows: the rest is missing.',
    });
  });

  it.each([3, 19])('are not believed where more came: %s', async (total) => {
    expect(await (await served(total)).ask('Thing?$orderby=Id')).toEqual(WHOLE(50));
  });

  it.each([Number.NaN, '?', null, -5, 1e300])(
    'are passed over where they are no numbers: %s',
    async (total) => {
      expect(await (await served(total)).ask('Thing?$orderby=Id')).toEqual(WHOLE(50));
    },
  );

  it('may change while the pages are read', async () => {
    const list = await servePaged(byOffset, ({ number }, reply) => {
      const begin = number('offset', 0);
      const count = begin === 0 ? 50 : 65;
      reply.json({ items: things(count).slice(begin, begin + 20), total: count });
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual(WHOLE(65));
  });
});

describe('a page that says that it is the last', () => {
  it('is not believed where it is full and there is another way', async () => {
    const document = {
      parameters: { page: { ...integer, default: 1 }, limit: { ...integer, maximum: 20 } },
      answer: { links: { type: 'object', properties: { next: string } } },
    };
    const list = await servePaged(document, ({ number }, reply) => {
      const page = number('page', 1);
      reply.json({ items: things(50).slice((page - 1) * 20, page * 20), links: { next: null } });
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual(WHOLE(50));
    expect(list.queries()).toEqual(['?limit=20', '?page=2&limit=20', '?page=3&limit=20']);
  });

  it('is believed where there is no other page', async () => {
    const document = {
      parameters: { page: { ...integer, default: 1 }, limit: { ...integer, maximum: 20 } },
      answer: { next: string },
    };
    const list = await servePaged(document, ({ number }, reply) => {
      if (number('page', 1) > 1) reply.send(404, '{}');
      else reply.json({ items: things(20), next: null });
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual(WHOLE(20));
  });
});

describe('what an upstream may say to lead astray', () => {
  it.each<[string, (url: string) => string]>([
    ['another host', () => 'http://example.com/api/things?page=2'],
    ['another scheme', (url) => `${url.replace('http:', 'https:')}/api/things?page=2`],
    ['another port', (url) => `${url.replace(/\d+$/, (port) => String(Number(port) + 1))}/api/things`],
    ['a user', (url) => `${url.replace('//', '//user:password@')}/api/things?page=2`],
    ['a user that looks like the host', (url) => `${url}@example.com/things`],
    ['a host without a scheme', () => '//example.com/api/things?page=2'],
    ['a host behind backslashes', () => '\\\\example.com\\things'],
    ['a scheme that is not HTTP', () => 'file:///etc/passwd?page=2'],
    ['a URL of a megabyte', (url) => `${url}/api/things?page=${'2'.repeat(1_000_000)}`],
    ['no URL', () => 'http://[/things?page=2'],
  ])('the next page is not followed to %s', async (_, next) => {
    const list = await servePaged({}, ({ url }, reply) => {
      reply.json(things(20), { link: `<${next(url)}>; rel="next"` });
    });
    const answered = await list.ask('Thing');
    expect(answered).toEqual(UNUSABLE);
    expect(list.queries()).toHaveLength(1);
  });

  it('does not send credentials twice, and never forgets them', async () => {
    const list = await servePaged(
      {},
      ({ query, url }, reply) => {
        const next = `<${url}/api/things?key=stolen&page=2>; rel=next`;
        reply.json(
          things(query.has('page') ? 40 : 20).slice(query.has('page') ? 20 : 0),
          query.has('page') ? {} : { link: next },
        );
      },
      { source: { queryParams: { key: 'secret' }, operationHeaders: { 'x-key': 'hidden' } } },
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual(WHOLE(40));
    expect(list.queries()).toEqual(['?key=secret', '?page=2&key=secret']);
    expect(list.upstream.requests.map(({ headers }) => headers['x-key'])).toEqual(['hidden', 'hidden']);
  });

  it.each<[string, ListDocument, (page: number) => object]>([
    [
      'the same cursor',
      { parameters: { cursor: string }, answer: { next_cursor: string } },
      () => ({ next_cursor: 'again' }),
    ],
    [
      'two cursors in turn',
      { parameters: { cursor: string }, answer: { next_cursor: string } },
      (page) => ({ next_cursor: `c${page % 2}` }),
    ],
    ['the same URL', ENVELOPE, () => ({ next: '/api/things?page=2' })],
    [
      'the same page of ever new cursors',
      { parameters: { cursor: string }, answer: { next_cursor: string } },
      (page) => ({ next_cursor: `c${page}` }),
    ],
  ])('an endless list is an error: %s', async (_, document, say) => {
    let page = 0;
    const list = await servePaged(document, (_request, reply) => {
      page += 1;
      reply.json({ items: things(20), ...say(page) });
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual({
      ...UNUSABLE,
      message: expect.stringMatching(
        /cannot be used\. The pages of the list do not come to an end: \d+(?: of 1000)? rows came, on [123] pages?, and one of them came again\.$/,
      ),
    });
    expect(list.queries().length).toBeLessThan(5);
  });

  it('a cursor of a megabyte is an error', async () => {
    const document = { parameters: { cursor: string }, answer: { next_cursor: string } };
    const list = await servePaged(document, (_request, reply) =>
      reply.json({ items: things(20), next_cursor: 'c'.repeat(1_000_000) }),
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual(UNUSABLE);
    expect(list.queries()).toHaveLength(1);
  });
});
