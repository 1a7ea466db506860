import { describe, expect, it } from 'vitest';
import { type ListDocument, servePaged, things } from './paged-list.ts';

const integer = { type: 'integer' };
const THINGS = { type: 'array', items: { $ref: '#/components/schemas/Thing' } };

/** A list of things that is called by a name, beside the set of them. */
function called(parameters: Readonly<Record<string, object>>, answer?: object): ListDocument {
  const schema = answer === undefined ? THINGS : { type: 'object', properties: { items: THINGS, ...answer } };
  const get = {
    operationId: 'found',
    'x-odata': { function: 'FindThings' },
    parameters: Object.entries(parameters).map(([name, of]) => ({ name, in: 'query', schema: of })),
    responses: { 200: { description: 'Things', content: { 'application/json': { schema } } } },
  };
  return { paths: { '/found': { get } } };
}

describe('a function that returns a list', () => {
  it.each<[string, Pick<ListDocument, 'answer'>]>([
    ['in an object', { answer: { total: integer } }],
    ['by itself', {}],
  ])('returns all pages of it: %s', async (_, { answer }) => {
    const parameters = { offset: integer, limit: { ...integer, maximum: 100 } };
    const list = await servePaged(called(parameters, answer), ({ number }, reply) => {
      const begin = number('offset', 0);
      const items = things(250).slice(begin, begin + number('limit', 20));
      reply.json(answer === undefined ? items : { items, total: 250 });
    });
    expect(await list.ask('FindThings()')).toEqual({ status: 200, keys: '1-250' });
    const offsets = answer === undefined ? [100, 200, 250] : [100, 200];
    expect(list.queries()).toEqual(['?limit=100', ...offsets.map((offset) => `?offset=${offset}&limit=100`)]);
    expect(await list.ask('FindThings()?$filter=Id eq 201&$count=true')).toEqual({
      status: 200,
      keys: '201',
      count: 1,
    });
  });

  it('follows links that no document tells of', async () => {
    const list = await servePaged(called({}), ({ number }, reply) => {
      const page = number('page', 1);
      const link = page < 3 ? { link: `<?page=${page + 1}>; rel=next` } : {};
      reply.json(things(50).slice((page - 1) * 20, page * 20), link);
    });
    expect(await list.ask('FindThings()')).toEqual({ status: 200, keys: '1-50' });
  });

  it('returns the page that the call asks for', async () => {
    const parameters = { offset: integer, limit: integer };
    const list = await servePaged(called(parameters), ({ number }, reply) => {
      reply.json(things(250).slice(number('offset', 0)).slice(0, number('limit', 20)));
    });
    expect(await list.ask('FindThings(Offset=30,Limit=5)')).toEqual({ status: 200, keys: '31-35' });
    expect(await list.ask('FindThings(Offset=30)')).toEqual({ status: 200, keys: '31-50' });
    expect(list.queries()).toEqual(['?offset=30&limit=5', '?offset=30']);
  });

  it('is an error where nothing says how to ask for the rest', async () => {
    const list = await servePaged(called({}, {}), (_, reply) =>
      reply.json({ items: things(20), has_more: true }),
    );
    expect(await list.ask('FindThings()')).toMatchObject({ status: 502, code: 'UpstreamIncomplete' });
  });
});
