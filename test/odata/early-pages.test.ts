import { describe, expect, it, onTestFinished } from 'vitest';
import { serveWorld } from '../engine/plan/worlds/world.ts';
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

describe('a next link of an answer with conditions', () => {
  /** The calls for each page of an answer. */
  async function callsOf(list: Awaited<ReturnType<typeof serveSeventy>>, path: string, size: number) {
    const calls: number[] = [];
    const rows: number[] = [];
    for (let url: string | undefined = `${list.gateway.url}/odata/${path}`; url !== undefined; ) {
      const before = list.queries().length;
      const response: Response = await fetch(url, { headers: { prefer: `maxpagesize=${size}` } });
      const json = (await response.json()) as {
        readonly value: readonly { readonly Id: number }[];
        readonly '@odata.nextLink'?: string;
      };
      calls.push(list.queries().length - before);
      rows.push(...json.value.map(({ Id }) => Id));
      url = json['@odata.nextLink'];
    }
    return { calls, rows };
  }

  it('goes on at the page where the one before has ended', async () => {
    const list = await serveSeventy();
    const { calls, rows } = await callsOf(list, 'Thing?$filter=Id mod 10 eq 3', 2);
    expect(rows).toStrictEqual([3, 13, 23, 33, 43, 53, 63]);
    // Two pages with one thing each, and the one that shows that more follow. The last one is followed by an empty page.
    expect(calls).toStrictEqual([3, 3, 3, 2]);
  });

  it.each([
    ['Thing?$filter=Id gt 4&$skip=7&$top=30', 11, 30],
    ['Thing?$search=Thing&$skip=65', 65, 5],
    ['Thing?$filter=Id gt 100', 0, 0],
    ['Thing?$filter=Id le 20&$top=10', 0, 10],
  ])('counts what was skipped and shown: %s', async (path, skipped, count) => {
    const list = await serveSeventy();
    const { rows } = await callsOf(list, path, 4);
    expect(rows).toStrictEqual(Array.from({ length: count }, (_, index) => skipped + index + 1));
  });

  it('is of no use for another query, and gone if the list is read in another way', async () => {
    const list = await serveSeventy();
    const url = `${list.gateway.url}/odata/Thing?$filter=Id gt 4`;
    const json = (await (await fetch(url, { headers: FIVE })).json()) as {
      readonly '@odata.nextLink': string;
    };
    const link = json['@odata.nextLink'];
    expect(link).not.toContain('page=');
    expect((await fetch(link.replace('gt%204', 'gt%205').replace('gt 4', 'gt 5'))).status).toBe(400);
    expect((await fetch(link)).status).toBe(200);
  });

  it('goes on with the parameters of the API, whatever their names are', async () => {
    const rows = Array.from({ length: 900 }, (_, index) => ({ id: index + 1, integer: 4_000 + (index % 5) }));
    const events = {
      path: '/events',
      schema: 'Event',
      key: 'id',
      rows,
      paging: 'page',
      properties: { id: integer, integer },
      filters: { integer: { property: 'integer', op: 'eq' } },
    } as const;
    const { ask } = await serveWorld({ collections: [events], questions: [] }, onTestFinished);
    await ask('Event?$filter=Integer eq 4003');
    const found = await ask('Event?$filter=Integer eq 4003 and Id mod 2 eq 0', { prefer: 'maxpagesize=20' });
    const expected = rows.filter(({ id, integer: value }) => value === 4_003 && id % 2 === 0);
    expect(found.text).toBeUndefined();
    expect(found.rows.map(({ Id }) => Id)).toStrictEqual(expected.map(({ id }) => id));
  });
});
