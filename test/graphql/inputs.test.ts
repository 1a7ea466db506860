import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { graphql } = useLibrary();

interface Failed {
  readonly errors: readonly {
    readonly message: string;
    readonly path: readonly string[];
    readonly extensions: object;
  }[];
}

const failed = async (query: string) => ((await graphql(query)) as Failed).errors[0];

describe('an input', () => {
  it('creates and links related entities', async () => {
    const created = await graphql(`mutation {
      createAudioBook(input: { isbn: "9783499999991", medium: audio, title: "New", genre: novel, price: 2,
        narrator: "N", runningTime: "PT1H", author: { create: { lastName: "Nyberg", languages: ["sv"] } } }) { author { lastName } }
    }`);
    expect(created).toStrictEqual({ data: { createAudioBook: { author: { lastName: 'Nyberg' } } } });
    const linked = await graphql(`mutation {
      createAudioBook(input: { isbn: "9783499999992", medium: audio, title: "Heard", author: { link: { id: 2 } }, genre: novel,
        price: 1.5, narrator: "N", runningTime: "PT1H" }) { author { id } }
    }`);
    expect(linked).toStrictEqual({ data: { createAudioBook: { author: { id: '2' } } } });
  });

  it('creates related entities of derived types', async () => {
    const created = await graphql(`mutation {
      createAuthor(input: { lastName: "Oduya", languages: ["sv"], books: {
        createAudioBook: [{ isbn: "9783499999994", medium: audio, title: "Heard", genre: novel, price: 2, narrator: "N", runningTime: "PT1H" }]
        createPrintedBook: [{ isbn: "9783499999995", medium: print, title: "Read", genre: novel, price: 3, pages: 7 }] } }) {
        books(order: [{ isbn: ASC }]) { __typename title ... on AudioBook { narrator } ... on PrintedBook { pages } } } }`);
    const books = [
      { __typename: 'AudioBook', title: 'Heard', narrator: 'N' },
      { __typename: 'PrintedBook', title: 'Read', pages: 7 },
    ];
    expect(created).toStrictEqual({ data: { createAuthor: { books } } });
  });

  it('has mistakes in derived types told by where they were written', async () => {
    const error = await failed(
      'mutation { createAuthor(input: { lastName: "O", languages: ["sv"], books: { createPrintedBook: [{ isbn: "x", medium: print, title: "T", genre: novel, price: 2, pages: 7 }] } }) { id } }',
    );
    expect(error?.message).toBe(
      'input.books.createPrintedBook.0.isbn: expected text that matches ^\\d{13}$, found other text.',
    );
  });

  it('has all its mistakes told by where they were written', async () => {
    const error = await failed(
      'mutation { createAuthor(input: { lastName: "", languages: ["sv"], books: { create: [{ isbn: "x", medium: print, title: "T", genre: novel, price: 2 }] } }) { id } }',
    );
    expect(error).toMatchObject({ path: ['createAuthor'] });
    const isbn = 'input.books.create.0.isbn';
    const pages = 'input.books.create.0.pages';
    const mistake = `${isbn}: expected text that matches ^\\d{13}$, found other text.`;
    const details = [
      { code: 'BadRequest', message: mistake, target: isbn },
      { code: 'BadRequest', message: `${pages}: expected a value, found none.`, target: pages },
    ];
    expect([error?.message, error?.extensions]).toStrictEqual([
      mistake,
      { code: 'BadRequest', details, http: { status: 400 } },
    ]);
  });

  it('has links to what is not there told', async () => {
    const error = await failed(
      'mutation { createPrintedBook(input: { isbn: "9783499999993", medium: print, title: "T", genre: novel, price: 2, pages: 3, author: { link: { id: 9999 } } }) { isbn } }',
    );
    const target = 'input.author.link';
    const message = `${target}: expected an entity that is there, found "Author(9999)".`;
    const details = [{ code: 'BadRequest', message, target }];
    expect([error?.message, error?.extensions]).toStrictEqual([
      message,
      { code: 'BadRequest', details, http: { status: 400 } },
    ]);
  });
});
