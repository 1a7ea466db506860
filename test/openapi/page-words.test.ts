import { describe, expect, it } from 'vitest';
import { servePaged, things } from './paged-list.ts';

const integer = { type: 'integer' };
const string = { type: 'string' };

/** Documents whose names tell nothing, and what says it in their place. */
describe('what the document says of pages in so many words', () => {
  it.each<[string, object]>([
    ['x-odata', { 'x-odata': { page: 'sheet', top: 'leaves', first: 1, maxTop: 100 } }],
    [
      'x-speakeasy-pagination',
      {
        'x-speakeasy-pagination': {
          type: 'offsetLimit',
          inputs: [
            { name: 'sheet', in: 'parameters', type: 'page' },
            { name: 'leaves', in: 'parameters', type: 'limit' },
          ],
          outputs: { results: '$.items' },
        },
      },
    ],
  ])('is the number of the page: %s', async (_, extensions) => {
    const list = await servePaged(
      { parameters: { sheet: { ...integer, minimum: 1 }, leaves: integer }, answer: {}, extensions },
      ({ number }, reply) => {
        const [sheet, leaves] = [number('sheet', 1), number('leaves', 10)];
        reply.json({ items: things(250).slice((sheet - 1) * leaves, sheet * leaves) });
      },
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
    expect(list.queries().slice(0, 2)).toEqual(['?leaves=100', '?sheet=2&leaves=100']);
  });

  it('is the number of the page, as x-fern-pagination says it', async () => {
    const extensions = { 'x-fern-pagination': { offset: '$request.sheet', results: '$response.items' } };
    const list = await servePaged(
      { parameters: { sheet: { ...integer, default: 1 } }, answer: {}, extensions },
      ({ number }, reply) =>
        reply.json({ items: things(50).slice((number('sheet', 1) - 1) * 20, number('sheet', 1) * 20) }),
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-50' });
  });

  it('is an offset, as x-fern-pagination says it', async () => {
    const extensions = { 'x-fern-pagination': { offset: '$request.behind', step: '$request.leaves' } };
    const list = await servePaged(
      { parameters: { behind: integer, leaves: integer }, answer: {}, extensions },
      ({ number }, reply) =>
        reply.json({ items: things(250).slice(number('behind', 0)).slice(0, number('leaves', 10)) }),
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
  });

  it.each<[string, object]>([
    ['x-odata', { 'x-odata': { cursor: 'spot', next: 'about/onwards', more: 'about/open' } }],
    [
      'x-speakeasy-pagination',
      {
        'x-speakeasy-pagination': {
          type: 'cursor',
          inputs: [{ name: 'spot', in: 'parameters', type: 'cursor' }],
          outputs: { nextCursor: '$.about.onwards' },
        },
      },
    ],
    [
      'x-fern-pagination',
      { 'x-fern-pagination': { cursor: '$request.spot', next_cursor: '$response.about.onwards' } },
    ],
  ])('is a cursor: %s', async (_, extensions) => {
    const answer = { about: { type: 'object', properties: { onwards: string, open: { type: 'boolean' } } } };
    const list = await servePaged(
      { parameters: { spot: string }, answer, extensions },
      ({ number }, reply) => {
        const end = number('spot', 0) + 20;
        reply.json({
          items: things(50).slice(end - 20, end),
          about: { onwards: end < 50 ? String(end) : null, open: end < 50 },
        });
      },
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-50' });
    expect(list.queries()).toEqual(['', '?spot=20', '?spot=40']);
  });

  it.each([
    ['from', 'to'],
    ['start', 'end'],
  ])('is no offset where it is one end of a range, beside the length of pages: %s', async (begin, end) => {
    const list = await servePaged(
      { parameters: { [begin]: integer, [end]: integer, limit: integer }, answer: {} },
      ({ number }, reply) => {
        const from = number(begin, 0);
        const items = things(250).filter(({ id }) => id >= from && id <= number(end, 250));
        reply.json({ items: items.slice(0, number('limit', 20)) });
      },
    );
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 502, code: 'UpstreamIncomplete' });
    expect(list.queries()).toEqual(['?limit=100', '?limit=1000']);
  });

  it('is a cursor that may be any number', async () => {
    const after = { type: 'number' };
    const list = await servePaged(
      {
        parameters: { after, limit: integer },
        answer: { cursor: { type: 'object', properties: { after } } },
      },
      ({ number }, reply) => {
        const before = number('after', 0);
        const end = before + number('limit', 20);
        reply.json({ items: things(250).slice(before, end), cursor: end < 250 ? { after: end } : {} });
      },
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-250' });
    expect(list.queries()).toEqual(['?limit=100', '?after=100&limit=100', '?after=200&limit=100']);
  });

  it('is no offset where it is said to be a time', async () => {
    const from = { ...integer, description: 'Only what was made after that timestamp' };
    const list = await servePaged({ parameters: { from, limit: integer }, answer: {} }, ({ number }, reply) =>
      reply.json({ items: things(250).slice(0, number('limit', 20)) }),
    );
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 502, code: 'UpstreamIncomplete' });
    expect(list.queries()).toEqual(['?limit=100', '?limit=1000']);
  });

  it.each([
    ['page', { more: { type: 'boolean' } }],
    ['offset', { next: string }],
  ])('is no key that is called after, beside the number %s', async (word, answer) => {
    const list = await servePaged(
      { parameters: { after: string, [word]: { ...integer, minimum: 1 } }, answer },
      ({ query, number }, reply) => {
        const start = word === 'page' ? (number('page', 1) - 1) * 20 : number('offset', 1) - 1;
        const items = query.has('after') ? [] : things(50).slice(start, start + 20);
        const more = start + 20 < 50;
        reply.json(word === 'page' ? { items, more } : { items, next: more ? String(start + 21) : null });
      },
    );
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-50' });
    expect(list.queries()[1]).toMatch(/^\?(?:page=2|offset=21)$/);
  });

  it.each([
    ['in an object', '$.items[-1].id', {}],
    ['by itself', '$[-1].id', undefined],
  ])(
    'is a property of the last item, as x-speakeasy-pagination says it: %s',
    async (_, nextCursor, answer) => {
      const pagination = {
        type: 'cursor',
        inputs: [{ name: 'behind', in: 'parameters', type: 'cursor' }],
        outputs: { nextCursor },
      };
      const document = {
        parameters: { behind: string },
        answer,
        extensions: { 'x-speakeasy-pagination': pagination },
      };
      const list = await servePaged(document, ({ number }, reply) => {
        const items = things(50).slice(number('behind', 0)).slice(0, 20);
        reply.json(answer === undefined ? items : { items });
      });
      expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-50' });
      expect(list.queries()).toEqual(['', '?behind=20', '?behind=40', '?behind=50']);
    },
  );

  it.each<[string, object]>([
    ['x-odata', { 'x-odata': { next: 'onwards' } }],
    ['x-ms-pageable', { 'x-ms-pageable': { nextLinkName: 'onwards', itemName: 'items' } }],
    [
      'x-speakeasy-pagination',
      { 'x-speakeasy-pagination': { type: 'url', outputs: { nextUrl: '$.onwards' } } },
    ],
    ['x-fern-pagination', { 'x-fern-pagination': { next_uri: '$response.onwards' } }],
  ])('is a URL: %s', async (_, extensions) => {
    const list = await servePaged({ answer: { onwards: string }, extensions }, ({ number }, reply) => {
      const end = number('spot', 0) + 20;
      reply.json({
        items: things(50).slice(end - 20, end),
        ...(end < 50 && { onwards: `?spot=${end}` }),
      });
    });
    expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-50' });
    expect(list.queries()).toEqual(['', '?spot=20', '?spot=40']);
  });

  it('is a link in the header, so that the first page comes first', async () => {
    const extensions = { 'x-odata': { next: 'header:link' } };
    const list = await servePaged({ extensions }, ({ number }, reply) => {
      const end = number('spot', 0) + 20;
      reply.json(things(50).slice(end - 20, end), end < 50 ? { link: `<?spot=${end}>; rel=next` } : {});
    });
    expect(await list.pages('Thing')).toEqual(['1-20', '21-40', '41-50']);
  });

  it('is the total, which must then be one', async () => {
    const extensions = { 'x-odata': { total: 'about/all', skip: 'offset' } };
    const document = { parameters: { offset: integer }, answer: { about: { type: 'object' } }, extensions };
    const served = (all: unknown) =>
      servePaged(document, ({ number }, reply) =>
        reply.json({ items: things(50).slice(number('offset', 0)).slice(0, 20), about: { all } }),
      );
    expect(await (await served(50)).ask('Thing?$count=true&$top=1')).toEqual({
      status: 200,
      keys: '1',
      count: 50,
    });
    expect(await (await served('many')).ask('Thing')).toMatchObject({ status: 502 });
  });
});

describe('the values of parameters', () => {
  const all = things(250);
  const served = (limit: object, more: object = {}, extensions: object = {}) =>
    servePaged(
      {
        parameters: { limit: { ...integer, ...limit }, offset: integer, ...more },
        answer: { total: integer },
        extensions,
      },
      ({ query, number }, reply) => {
        const [begin, name] = [number('offset', 0), query.get('name')];
        const found = name === null ? all : all.filter((thing) => thing.name === name);
        reply.json({ items: found.slice(begin, begin + number('limit', 10)), total: found.length });
      },
    );

  it.each<[string, object, string, readonly string[]]>([
    ['the maximum', { maximum: 100 }, '$top=101', ['?limit=100', '?limit=1&offset=100']],
    ['the maximum', { exclusiveMaximum: 101 }, '$top=101', ['?limit=100', '?limit=1&offset=100']],
    ['the maximum of OpenAPI 3.0', { maximum: 101, exclusiveMaximum: true }, '$top=100', ['?limit=100']],
    ['the minimum', { minimum: 5, maximum: 100 }, '$top=3', ['?limit=5']],
    ['the multiple', { multipleOf: 10, maximum: 100 }, '$top=13', ['?limit=20']],
    ['the values that there are', { enum: [10, 25, 50] }, '$top=11', ['?limit=25']],
    ['the values that there are', { enum: [10, 25, 50] }, '$top=60', ['?limit=50', '?limit=10&offset=50']],
    [
      'the default, where there is no maximum',
      { default: 20 },
      '$top=30',
      ['?limit=20', '?limit=10&offset=20'],
    ],
    ['a hundred, where there is neither', {}, '$top=110', ['?limit=100', '?limit=10&offset=100']],
    ['what is asked for', { maximum: 100 }, '$top=7&$skip=5', ['?limit=7&offset=5']],
  ])('are within %s: %j %s', async (_, limit, options, queries) => {
    const list = await served(limit);
    expect(await list.ask(`Thing?${options}`)).toMatchObject({ status: 200 });
    expect(list.queries()).toEqual(queries);
  });

  it('are no more than maxTop', async () => {
    const list = await served(
      { maximum: 100 },
      {},
      { 'x-odata': { top: 'limit', skip: 'offset', maxTop: 30 } },
    );
    expect(await list.ask('Thing?$top=31')).toEqual({ status: 200, keys: '1-31' });
    expect(list.queries()).toEqual(['?limit=30', '?limit=1&offset=30']);
  });

  it('are not beyond the last offset that the document allows', async () => {
    const document = {
      parameters: { limit: { ...integer, maximum: 100 }, offset: { ...integer, maximum: 100 } },
      answer: {},
    };
    const list = await servePaged(document, ({ number }, reply) =>
      reply.json({ items: all.slice(number('offset', 0)).slice(0, number('limit', 10)) }),
    );
    expect(await list.ask('Thing?$top=120')).toEqual({ status: 200, keys: '1-120' });
    expect(await list.ask('Thing?$orderby=Id')).toMatchObject({ status: 502, code: 'UpstreamIncomplete' });
  });

  it.each<[string, object, string, boolean]>([
    ['a pattern', { pattern: '^Thing [1-9]$' }, 'Thing 7', true],
    ['a pattern', { pattern: '^Thing [1-9]$' }, 'Thing 77', false],
    ['a pattern that only backtracking can match', { pattern: '^(?=Thing).*$' }, 'Thing 7', false],
    ['values that there are', { enum: ['Thing 7'] }, 'Thing 7', true],
    ['values that there are', { enum: ['Thing 8'] }, 'Thing 7', false],
    ['a length', { maxLength: 7 }, 'Thing 7', true],
    ['a length', { maxLength: 6 }, 'Thing 7', false],
  ])('that filter are sent where the document allows them: %s %j %s', async (_, schema, name, isSent) => {
    const extensions = {
      'x-odata': { pageOf: 'Thing', top: 'limit', skip: 'offset', filters: { Name: 'name' } },
    };
    const list = await served({ maximum: 250 }, { name: { ...string, ...schema } }, extensions);
    const [, number] = name.split(' ');
    expect(await list.ask(`Thing?$filter=Name eq '${name}'`)).toEqual({ status: 200, keys: number });
    expect(list.queries()).toEqual([isSent ? `?limit=250&name=${name.replace(' ', '%20')}` : '?limit=250']);
  });

  it('that order are sent where the document allows them', async () => {
    const extensions = { 'x-odata': { pageOf: 'Thing', top: 'limit', orderBy: 'sort' } };
    const list = await served({ maximum: 250 }, { sort: { ...string, enum: ['name'] } }, extensions);
    await list.ask('Thing?$orderby=Name&$top=1');
    await list.ask('Thing?$orderby=Name desc&$top=1');
    expect(list.queries()).toEqual(['?limit=1&sort=name', '?limit=250']);
  });
});
