import { describe, expect, it } from 'vitest';
import { type ListDocument, type ListRequest, servePaged, type Thing, things } from './paged-list.ts';

const integer = { type: 'integer' };
const DOCUMENT: ListDocument = {
  parameters: { page: { ...integer, default: 1 }, limit: { ...integer, maximum: 10 } },
  answer: { total: integer },
};

const CHANGED = {
  status: 502,
  code: 'UpstreamIncomplete',
  message: expect.stringMatching(/^The list keeps changing while its pages are read: /),
};

/** A list in pages of ten, whose rows depend on the page and on how often the first page was read. */
function serveRows(
  rowsAt: (page: number, read: number) => readonly Thing[],
  say: (rows: readonly Thing[]) => object = () => ({}),
  document = DOCUMENT,
) {
  let reads = 0;
  return servePaged(document, ({ number }: ListRequest, reply) => {
    const page = number('page', 1);
    if (page === 1) reads += 1;
    const rows = rowsAt(page, reads);
    reply.json({ items: rows.slice((page - 1) * 10, page * 10), ...say(rows) });
  });
}

const BARE: ListDocument = { ...DOCUMENT, answer: {} };
const withTotal = (rows: readonly Thing[]) => ({ total: rows.length });
const inserted = [{ id: 0, name: 'New' }, ...things(70)];
const deleted = things(70).slice(1);

describe('a list that changes while its pages are read', () => {
  it.each<[string, readonly Thing[], ListDocument, (rows: readonly Thing[]) => object, number]>([
    ['a row is inserted', inserted, DOCUMENT, withTotal, 71],
    ['a row is inserted, and there is no total', inserted, BARE, () => ({}), 71],
    ['a row is deleted', deleted, DOCUMENT, withTotal, 69],
    ['it is sorted anew', things(70).toReversed(), DOCUMENT, withTotal, 70],
  ])('is read once more: %s', async (_, rows, document, say, count) => {
    const list = await serveRows((page, read) => (read === 1 && page < 4 ? things(70) : rows), say, document);
    expect(await list.ask('Thing?$orderby=Id&$count=true')).toMatchObject({ status: 200, count });
    const pages = list.queries().filter((query) => query === '?limit=10');
    expect(pages).toHaveLength(2);
  });

  it('is read once more where only a part of it is wanted', async () => {
    const list = await serveRows((page, read) => (read === 1 && page < 4 ? things(70) : inserted), withTotal);
    expect(await list.ask("Thing?$filter=endswith(Name,'1') or Id lt 5&$top=9")).toEqual({
      status: 200,
      keys: '0-4 11 21 31 41',
    });
    expect(list.queries().filter((query) => query === '?limit=10')).toHaveLength(2);
  });

  it.each<[string, (page: number, read: number) => readonly Thing[]]>([
    ['rows are inserted', (page) => (page < 4 ? things(70) : inserted)],
    ['rows are deleted', (page) => (page < 4 ? things(70) : deleted)],
    ['it is sorted anew', (page) => (page < 4 ? things(70) : things(70).toReversed())],
  ])('is an error where it changes again: %s', async (_, rowsAt) => {
    const list = await serveRows(rowsAt, withTotal);
    expect(await list.ask('Thing?$orderby=Id')).toEqual(CHANGED);
    expect(await list.ask("Thing?$filter=Name ne ''&$select=Id")).toEqual(CHANGED);
    expect(list.entries()).toContainEqual(expect.objectContaining({ code: 'UpstreamIncomplete' }));
  });

  it('comes to an end by next links where a page repeats the one before', async () => {
    const list = await servePaged(BARE, ({ number }, reply) => {
      const page = Math.min(3, number('page', 1));
      reply.json({ items: things(70).slice((page - 1) * 10, page * 10) });
    });
    const pages = await list.pages('Thing');
    expect(pages).toEqual(['1-10', '11-20', '21-30', expect.stringMatching(/^502 .* come to an end/)]);
  });
});

describe('a key that rows have in common', () => {
  const named = (names: readonly string[], id: (index: number) => number): readonly Thing[] =>
    names.map((name, index) => ({ id: id(index), name }));
  const NAMES = Array.from({ length: 24 }, (_, index) => `Name ${index}`);

  it.each<[string, (index: number) => number, number]>([
    ['on one page', (index) => (index === 1 ? 0 : index), 1],
    ['on two pages', (index) => (index === 15 ? 2 : index), 2],
  ])('is no sign of a change where the rows differ: %s', async (_, id, reads) => {
    const list = await serveRows(() => named(NAMES, id), undefined, BARE);
    const ask = async () => {
      const before = list.queries().length;
      const response = await fetch(`${list.gateway.url}/odata/Thing?$orderby=Name`);
      const { value } = (await response.json()) as { readonly value?: readonly object[] };
      const first = list
        .queries()
        .slice(before)
        .filter((query) => query === '?limit=10');
      return [response.status, value?.length, first.length];
    };
    expect(await ask()).toEqual([200, 24, reads]);
    expect(await ask()).toEqual([200, 24, 1]);
  });
});
