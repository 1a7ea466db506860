import type { JSHandle } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';
import { useAppServer } from './app-server.ts';
import { type Ui5, useUi5 } from './ui5-page.ts';

const demo = useDemo('library');
const app = useAppServer(demo);
const page = useUi5(app, demo);

/** `$auto` packs requests into one multipart `$batch`; `$direct` sends each alone. */
describe.each(['$auto', '$direct'])('the V4 model of UI5 with the group %s', (groupId) => {
  let ui5: JSHandle<Ui5>;
  beforeEach(async () => {
    ui5 = await page.openModel({ groupId });
  });

  it('finds a UI5 type for the properties in $metadata', async () => {
    const types = await ui5.evaluate(({ model }) =>
      Promise.all(
        ['/Book/ISBN', '/Book/Price', '/Copy/Barcode', '/Loan/LentAt', '/House/OpeningHours/Opens'].map(
          async (path) => (await model.getMetaModel().requestUI5Type(path)).getName(),
        ),
      ),
    );
    expect(types).toStrictEqual([
      'sap.ui.model.odata.type.String',
      'sap.ui.model.odata.type.Decimal',
      'sap.ui.model.odata.type.Int64',
      'sap.ui.model.odata.type.DateTimeOffset',
      'sap.ui.model.odata.type.TimeOfDay',
    ]);
    expect(page.complaints).toStrictEqual([]);
  });

  it('sends its requests as the group says', async () => {
    const before = app.seen.length;
    await ui5.evaluate(({ model }) => model.bindList('/Author').requestContexts(0, 1));
    expect(app.seen.slice(before).sort()).toStrictEqual(
      groupId === '$auto'
        ? ['GET /odata/$metadata', 'POST /odata/$batch']
        : ['GET /odata/$metadata', 'GET /odata/Author?$skip=0&$top=1'].sort(),
    );
  });

  it('binds a list: $count, filters, a sorter, and a page after the other', async () => {
    const result = await ui5.evaluate(async ({ model, Filter, Sorter }) => {
      const cheap = new Filter({ path: 'Price', operator: 'LT', value1: '15' });
      const early = new Filter({ path: 'Published', operator: 'LT', value1: '1970-01-01' });
      const list = model.bindList(
        '/Book',
        undefined,
        [new Sorter('Price', true), new Sorter('ISBN')],
        [
          new Filter({ filters: [cheap, early], and: false }),
          new Filter({ path: 'Title', operator: 'Contains', value1: 'Ferry' }),
        ],
        // An enumeration is no type that UI5 writes literals of: it is filtered by what the app writes.
        { $count: true, $select: ['ISBN', 'Price'], $filter: "Genre ne Library.Genre'travel'" },
      );
      const page = async (start: number): Promise<readonly string[]> =>
        (await list.requestContexts(start, 2)).map(
          (context) => `${context.getPath()} ${context.getProperty('Price')}`,
        );
      return { first: await page(0), second: await page(2), length: list.getLength() };
    });
    expect(result).toStrictEqual({
      first: ["/Book('9783411032884') 12.5", "/Book('9783449647968') 12.1"],
      second: ["/Book('9783400000009') 8.9"],
      length: 3,
    });
    expect(page.complaints).toStrictEqual([]);
  });

  it('filters by what related entities have: any', async () => {
    const names = await ui5.evaluate(async ({ model, Filter }) => {
      const dear = new Filter({ path: 'book/Price', operator: 'GT', value1: '34.4' });
      const any = new Filter({ path: 'Books', operator: 'Any', variable: 'book', condition: dear });
      const authors = await model.bindList('/Author', undefined, [], [any]).requestContexts();
      return authors.map((author) => author.getProperty('LastName'));
    });
    expect(names).toStrictEqual(['Brisk', 'Tasso', 'Quist', 'Merrowby']);
  });

  it('expands, and reads exact numbers as strings', async () => {
    const loans = await ui5.evaluate(async ({ model }) => {
      const parameters = {
        $expand: {
          Member: { $select: 'LastName' },
          Copy: { $select: ['Barcode'], $expand: { Book: { $select: 'Price' } } },
        },
        $select: ['Id', 'Fine'],
      };
      return (await model.bindList('/Loan', undefined, [], [], parameters).requestContexts(0, 1)).map(
        (loan) => loan.getObject(),
      );
    });
    expect(loans).toStrictEqual([
      {
        Id: '1',
        Fine: '0',
        Member: { '@odata.id': 'Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)', LastName: 'Bolling' },
        Copy: {
          '@odata.id': "Copy(ISBN='9783400000009',CopyNumber=1)",
          Barcode: '9100000000000000001',
          Book: {
            '@odata.type': '#Library.PrintedBook',
            '@odata.id': "Book('9783400000009')",
            '@odata.etag': 'W/"1"',
            Price: '8.9',
          },
        },
      },
    ]);
  });

  it('reads an entity and what belongs to it by a context binding', async () => {
    const values = await ui5.evaluate(async ({ model }) => {
      const book = model
        .bindContext("/Book('9783401379111')", undefined, { $expand: 'Author' })
        .getBoundContext();
      return [
        await book.requestProperty('Title'),
        await book.requestProperty('Author/LastName'),
        (await model.bindList('Reviews', book).requestContexts(0, 9)).length,
      ];
    });
    expect(values).toStrictEqual(['A Orchard in Platform Nine', 'Okonedo', 1]);
  });

  it('tells what was refused in the message model', async () => {
    const messages = await ui5.evaluate(async ({ model, Messaging }) => {
      const binding = model.bindList('/Book', undefined, [], [], { $filter: 'Titel eq 1' });
      await binding.requestContexts().catch(() => undefined);
      return Messaging.getMessageModel()
        .getData()
        .map((message: { getMessage(): string; getType(): string; getCode(): string }) => [
          message.getType(),
          message.getCode(),
          message.getMessage(),
        ]);
    });
    expect(messages).toStrictEqual([
      // UI5 puts a target that is a query option before the message.
      [
        'Error',
        'BadRequest',
        "$filter: $filter: expected a property of Library.Book, found 'Titel' at position 0",
      ],
    ]);
  });

  it('calls functions: of an entity, of a collection, and one of the service', async () => {
    const results = await ui5.evaluate(async ({ model }) => {
      const book = model.bindContext("/Book('9783400000009')").getBoundContext();
      const availability = model.bindContext('Library.GetAvailability(...)', book);
      const due = model.bindContext(
        'Library.DueBy(...)',
        model.bindList('/Loan').getHeaderContext() ?? undefined,
      );
      due.setParameter('Date', '2026-05-11');
      const statistics = model.bindContext('/LendingStatistics(...)');
      statistics.setParameter('From', '2026-01-01').setParameter('To', '2026-01-08');
      await Promise.all([availability, due, statistics].map((each) => each.invoke()));
      const { Copies, Available } = availability.getBoundContext().getObject();
      const loans: readonly { readonly Id: string }[] = due.getBoundContext().getObject().value;
      return {
        availability: { Copies, Available },
        due: loans.map(({ Id }) => Id),
        statistics: statistics.getBoundContext().getObject().value,
      };
    });
    expect(results).toStrictEqual({
      availability: { Copies: 1, Available: 1 },
      due: ['97', '98'],
      statistics: [
        { Genre: 'novel', Loans: 1, Fines: '0' },
        { Genre: 'science_fiction', Loans: 1, Fines: '0' },
        { Genre: 'travel', Loans: 1, Fines: '0.6' },
      ],
    });
  });
});

it('takes answers of OData 4.01, too', async () => {
  const ui5 = await page.openModel({ odataVersion: '4.01' });
  const result = await ui5.evaluate(async ({ model }) => {
    const list = model.bindList('/Copy', undefined, [], [], {
      $count: true,
      $expand: { Book: { $select: 'Title' } },
    });
    const [copy] = await list.requestContexts(0, 1);
    return [copy?.getPath(), copy?.getObject(), list.getLength()];
  });
  expect(result).toStrictEqual([
    "/Copy(ISBN='9783400000009',CopyNumber=1)",
    {
      ISBN: '9783400000009',
      CopyNumber: 1,
      Barcode: '9100000000000000001',
      Condition: 'good',
      Acquired: '2019-05-06',
      Shelf: 'A-10',
      Book: {
        '@odata.type': '#Library.PrintedBook',
        '@odata.id': "Book('9783400000009')",
        '@odata.etag': 'W/"1"',
        Title: 'The Crooked Ferry',
      },
    },
    120,
  ]);
  expect(page.complaints).toStrictEqual([]);
});
