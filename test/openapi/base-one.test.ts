import { describe, expect, it } from 'vitest';
import { joined, type ListDocument, servePaged, things } from './paged-list.ts';

const integer = { type: 'integer' };
const count = { ...integer, maximum: 50 };

/** Lists whose first item has the number 1, as documents say so in different ways. */
const DOCUMENTS: Readonly<Record<string, ListDocument>> = {
  'a minimum': { parameters: { startIndex: { ...integer, minimum: 1 }, count } },
  'a default': { parameters: { start: { ...integer, default: 1 }, count } },
  'a description': {
    parameters: { startIndex: { ...integer, description: 'The 1-based index of the first item.' }, count },
  },
  'the envelope of SCIM (RFC 7644, 3.4.2)': {
    parameters: { startIndex: integer, count },
    answer: { totalResults: integer, startIndex: integer, itemsPerPage: integer },
  },
};

describe.each(Object.entries(DOCUMENTS))('a list that begins with 1 by %s', (_, document) => {
  const serve = () =>
    servePaged(document, ({ number }, reply) => {
      const first = number('startIndex', number('start', 1));
      if (first < 1) return reply.send(400, '{}');
      const items = things(130).slice(first - 1, first - 1 + number('count', 20));
      const envelope = { totalResults: 130, startIndex: first, itemsPerPage: items.length };
      return reply.json(document.answer === undefined ? items : { items, ...envelope });
    });

  it('is read to its end by next links, each row once', async () => {
    const list = await serve();
    expect(joined(await list.pages('Thing'))).toBe('1-130');
  });

  it.each([
    ['Thing?$orderby=Id', '1-130'],
    ['Thing?$skip=50&$top=1', '51'],
    ['Thing?$skip=49&$top=3', '50-52'],
    ['Thing?$skip=125', '126-130'],
    ['Thing?$top=51', '1-51'],
    ['Thing?$filter=Id gt 49 and Id lt 52', '50-51'],
    ['Thing?$orderby=Id desc&$skip=129', '1'],
  ])('%s', async (path, keys) => {
    const list = await serve();
    expect(await list.ask(path)).toEqual({ status: 200, keys });
  });
});

it('parameters that every object of JavaScript has by name are no paging', async () => {
  const list = await servePaged(
    { parameters: { limit: integer, constructor: integer, __proto__: integer } },
    (_, reply) => reply.json(things(3)),
  );
  expect(await list.ask('Thing?$orderby=Id')).toEqual({ status: 200, keys: '1-3' });
});
