import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { graphql, upstream } = useLibrary();

const upsert = (name: string, title: string, more = '') =>
  graphql(
    `mutation { upsertReadingList(name: "${name}", ${more} input: { title: "${title}" }) { name title } }`,
  );

describe('a change', () => {
  it('creates what is not there, where the API does', async () => {
    const created = await upsert('gales', 'Gales');
    expect(created).toStrictEqual({ data: { upsertReadingList: { name: 'gales', title: 'Gales' } } });
    expect(JSON.parse(await upstream('/reading-lists/gales'))).toMatchObject({
      name: 'gales',
      title: 'Gales',
    });
  });

  it('changes what is there, in the state that is meant', async () => {
    await upsert('storms', 'Gales');
    expect(await upsert('storms', 'Storms', 'ifMatch: "*",')).toStrictEqual({
      data: { upsertReadingList: { name: 'storms', title: 'Storms' } },
    });
    expect(await upsert('storms', 'Calm', 'ifMatch: "W/\\"99\\"",')).toMatchObject({
      data: { upsertReadingList: null },
      errors: [
        {
          path: ['upsertReadingList'],
          extensions: { code: 'PreconditionFailed', http: { status: 412 } },
        },
      ],
    });
  });

  it('names the state that the API gave with the entity', async () => {
    const { data } = (await graphql('{ readingList(name: "summer") { etag } }')) as {
      data: { readingList: { etag: string } };
    };
    const { etag } = data.readingList;
    expect(etag).toMatch(/^W\/"/);
    const title = (text: string) =>
      graphql(
        `mutation { updateReadingList(name: "summer", ifMatch: ${JSON.stringify(etag)}, input: { title: "${text}" }) { title } }`,
      );
    expect(await title('Heat')).toStrictEqual({ data: { updateReadingList: { title: 'Heat' } } });
    expect(await title('Rain')).toMatchObject({ errors: [{ extensions: { code: 'PreconditionFailed' } }] });
  });

  it('changes what is there without a condition, and creates only by an upsert', async () => {
    await upsert('tides', 'Tides');
    expect(await upsert('tides', 'Ebb')).toStrictEqual({
      data: { upsertReadingList: { name: 'tides', title: 'Ebb' } },
    });
    const update =
      'mutation { updateReadingList(name: "floods", ifMatch: "*", input: { title: "x" }) { name } }';
    expect(await graphql(update)).toMatchObject({
      data: { updateReadingList: null },
      errors: [{ message: "There is no ReadingList('floods').", extensions: { code: 'NotFound' } }],
    });
  });

  it('sends nothing where nothing is changed', async () => {
    const version = async () => JSON.parse(await upstream('/books/9783400000009')).version;
    const before = await version();
    const change = (more: string) =>
      graphql(`mutation { updateBook(isbn: "9783400000009", ${more} input: {}) { isbn } }`);
    expect(await change('')).toStrictEqual({ data: { updateBook: { isbn: '9783400000009' } } });
    expect(await version()).toBe(before);
    const message = 'ifMatch: the entity has changed in the meantime: read it again.';
    expect(await change('ifMatch: "W/\\"99\\"",')).toMatchObject({ errors: [{ message }] });
  });

  it('replaces: what is not said is gone', async () => {
    const create = `mutation { createAuthor(input: { firstName: "Ada", lastName: "Nyberg", languages: ["sv"] }) { id } }`;
    const { id } = ((await graphql(create)) as { data: { createAuthor: { id: string } } }).data.createAuthor;
    const changed = (how: string) =>
      graphql(
        `mutation { ${how}Author(id: ${id}, input: { lastName: "Berg", languages: ["nl"] }) { firstName lastName } }`,
      );
    expect(await changed('update')).toStrictEqual({
      data: { updateAuthor: { firstName: 'Ada', lastName: 'Berg' } },
    });
    expect(await changed('replace')).toStrictEqual({
      data: { replaceAuthor: { firstName: null, lastName: 'Berg' } },
    });
  });

  it('is an action by its name, with the key of what it is bound to', async () => {
    const lent = '{ loans(where: { returnedAt: { eq: null } }, take: 1) { id } }';
    const { loans } = ((await graphql(lent)) as { data: { loans: readonly { id: string }[] } }).data;
    const [loan] = loans;
    expect(
      await graphql(`mutation { returnLoan(id: "${loan?.id}", condition: worn) { id copy { condition } } }`),
    ).toStrictEqual({ data: { returnLoan: { id: loan?.id, copy: { condition: 'worn' } } } });
  });

  it('links entities, and takes the links away', async () => {
    await upsert('ferries', 'Ferries');
    const shown = '{ readingList(name: "ferries") { books { isbn } } }';
    const link = (how: string, isbn: string) =>
      graphql(`mutation { ${how}ReadingListBook(name: "ferries", isbn: "${isbn}") }`);
    expect(await link('add', '9783400000009')).toStrictEqual({ data: { addReadingListBook: true } });
    expect(await graphql(shown)).toStrictEqual({
      data: { readingList: { books: [{ isbn: '9783400000009' }] } },
    });
    expect(await link('remove', '9783400000009')).toStrictEqual({ data: { removeReadingListBook: true } });
    expect(await graphql(shown)).toStrictEqual({ data: { readingList: { books: [] } } });
    expect(await link('remove', '9783400000009')).toMatchObject({
      errors: [{ extensions: { code: 'NotFound', http: { status: 404 } } }],
    });
    expect(await link('add', '9783400009999')).toMatchObject({
      errors: [{ message: `books: expected an entity that is there, found "Book('9783400009999')".` }],
    });
  });
});
