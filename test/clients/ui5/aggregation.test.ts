import { expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';
import { useAppServer } from './app-server.ts';
import { useUi5 } from './ui5-page.ts';

const demo = useDemo('library');
const app = useAppServer(demo);
const page = useUi5(app, demo);

/** The calls of analytical tables: the service groups ($apply), and the user expands a group. */
it('a list is grouped by the service, with totals, and a group is opened', async () => {
  const ui5 = await page.openModel();
  const result = await ui5.evaluate(async ({ model }) => {
    const books = model.bindList('/Book', undefined, [], [], {
      $count: true,
      $$aggregation: {
        aggregate: { Price: { with: 'sum', grandTotal: true, subtotals: true } },
        group: { AuthorId: {}, Title: {} },
        groupLevels: ['AuthorId'],
        grandTotalAtBottomOnly: false,
      },
    });
    const authors = await books.requestContexts(0, 3);
    await authors[1]?.expand();
    const rows = (await books.requestContexts(0, 4)).map((row) => row.getObject());
    return {
      count: books.getCount(),
      rows: rows.map(({ AuthorId, Title, Price }) => [AuthorId, Title, Price]),
    };
  });
  expect(result).toStrictEqual({
    count: 60,
    rows: [
      [undefined, undefined, '1363'],
      [1, undefined, '98.5'],
      [1, 'The Crooked Ferry', '8.9'],
      [1, 'Twelve Letters from Upper Fenn', '27.3'],
    ],
  });
  expect(page.complaints).toStrictEqual([]);
});
