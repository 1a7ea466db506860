import { DataManager, ODataV4Adaptor, Predicate, Query, type ReturnOption } from '@syncfusion/ej2-data';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { useDemo } from '../support/demo.ts';

const demo = useDemo('library');

// A batch takes its boundary from what browsers have as `window.crypto`.
beforeAll(() => vi.stubGlobal('window', globalThis));
afterAll(() => vi.unstubAllGlobals());

/** A set as the data source of a grid, with the API key. */
function open(set: string, key: string): DataManager {
  return new DataManager({
    url: `${demo.url}/odata/${set}`,
    batchUrl: `${demo.url}/odata`,
    adaptor: new ODataV4Adaptor(),
    headers: [{ 'X-API-Key': demo.key }],
    key,
  });
}

async function load(set: string, query: Query) {
  const { result, count, aggregates } = (await open(set, '').executeQuery(query)) as ReturnOption;
  return { result, count, aggregates };
}

it('loads a page: filtered, sorted, with the number of all', async () => {
  const cheap = new Predicate('Price', 'lessthan', 15).and('Title', 'contains', 'ferry', true);
  const query = new Query()
    .where(cheap)
    .sortByDesc('Price')
    .page(1, 2)
    .requiresCount()
    .select(['ISBN', 'Price']);
  expect(await load('Book', query)).toMatchObject({
    count: 3,
    result: [
      { ISBN: '9783411032884', Price: 12.5 },
      { ISBN: '9783449647968', Price: 12.1 },
    ],
  });
});

it('searches, and expands', async () => {
  const query = new Query()
    .search('ferry', ['Title'], 'contains', true)
    .expand('Author')
    .select(['ISBN', 'Author.LastName']);
  expect((await load('Book', query.take(1))).result).toMatchObject([
    { ISBN: '9783400000009', Author: { LastName: 'Varnholt' } },
  ]);
});

it('compares dates', async () => {
  const query = new Query().where('LentAt', 'lessthan', new Date('2026-01-07T00:00:00Z')).select(['Id']);
  expect((await load('Loan', query)).result).toStrictEqual([{ Id: 1 }]);
});

it('groups', async () => {
  const query = new Query()
    .where('Price', 'lessthan', 11.9)
    .group('Genre')
    .aggregate('max', 'Price')
    .select(['ISBN', 'Genre', 'Price']);
  const { result } = await load('Book', query);
  expect(Array.from(result as readonly unknown[])).toMatchObject([
    { key: 'novel', count: 1, aggregates: { 'Price - max': 8.9 }, items: [{ ISBN: '9783400000009' }] },
    { key: 'crime', count: 1 },
  ]);
});

it('inserts, updates and removes', async () => {
  const authors = open('Author', 'Id');
  expect(await authors.insert({ LastName: 'Nyberg', Languages: ['sv'] })).toMatchObject({ Id: 13 });
  await authors.update('Id', { Id: 13, FirstName: 'Karin' });
  const only = new Query().where('Id', 'equal', 13);
  expect((await load('Author', only)).result).toMatchObject([{ FirstName: 'Karin', LastName: 'Nyberg' }]);
  await authors.remove('Id', 13);
  expect((await load('Author', only)).result).toStrictEqual([]);
});

it('saves what was edited in a grid by one batch', async () => {
  const authors = open('Author', 'Id');
  const changes = {
    addedRecords: [{ LastName: 'Aaltonen', Languages: ['fi'] }],
    changedRecords: [{ Id: 2, FirstName: 'Thomas' }],
    deletedRecords: [],
  };
  await authors.saveChanges(changes, 'Id', 'Author', new Query());
  const edited = new Query()
    .where(new Predicate('Id', 'equal', 2).or('LastName', 'equal', 'Aaltonen'))
    .sortBy('Id');
  expect((await load('Author', edited)).result).toMatchObject([
    { FirstName: 'Thomas' },
    { LastName: 'Aaltonen' },
  ]);
});

it('hands on the answer that says why something was refused', async () => {
  const refused = Promise.resolve(
    open('Author', 'Id').insert({ LastName: 'x'.repeat(51), Languages: ['sv'] }),
  );
  await expect(refused).rejects.toMatchObject([{ error: {} }]);
});
