import { describe, expect, it } from 'vitest';
import { joined, type ListDocument, servePaged, things } from '../openapi/paged-list.ts';

const integer = { type: 'integer' };
const DOCUMENT: ListDocument = {
  parameters: { page: { ...integer, default: 1 }, limit: { ...integer, maximum: 10 } },
  answer: {},
};

/** A list of 70 things on seven pages. */
function serveSeventy() {
  return servePaged(DOCUMENT, ({ number }, reply) => {
    const page = number('page', 1);
    reply.json({ items: things(70).slice((page - 1) * 10, page * 10) });
  });
}

const FIVE = { prefer: 'maxpagesize=5' };

describe('a page of an answer with conditions', () => {
  it.each([
    ['Thing?$filter=Id gt 4', 1],
    ['Thing?$filter=Id gt 5', 2],
    ['Thing?$search=Thing&$skip=12', 2],
    ['Thing?$filter=Id gt 4&$top=40', 1],
    ['Thing?$filter=Id gt 4&$count=true', 9],
    ['Thing?$filter=Id gt 4&$orderby=Name', 9],
  ])('reads no more pages than it needs: %s', async (path, calls) => {
    const list = await serveSeventy();
    expect(await list.ask(path, FIVE)).toMatchObject({ status: 200 });
    expect(list.queries()).toHaveLength(calls);
  });

  it('leads on to the others', async () => {
    const list = await serveSeventy();
    const pages = await list.pages('Thing?$filter=Id mod 3 ne 0', FIVE);
    expect(pages.map((page) => page.split(' ').length)).toHaveLength(10);
    expect(joined(pages)).toBe(joined(things(70).flatMap(({ id }) => (id % 3 === 0 ? [] : [`${id}`]))));
  });
});
