import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { graphql, upstream } = useLibrary();

const BOOK = '9783400000009';

describe('GraphQL before the library', () => {
  it.each<[string, unknown]>([
    [
      '{ author(id: 1) { last_name books(limit: 1) { title author { last_name } } } }',
      {
        author: {
          last_name: 'Varnholt',
          books: [{ title: 'The Crooked Ferry', author: { last_name: 'Varnholt' } }],
        },
      },
    ],
    [
      '{ loan(id: 1) { member { last_name loans { id } } copy { barcode book { __typename } } } }',
      {
        loan: {
          member: { last_name: 'Bolling', loans: [{ id: 1 }, { id: 54 }, { id: 107 }] },
          copy: { barcode: '9100000000000000001', book: { __typename: 'PrintedBook' } },
        },
      },
    ],
    [
      `{ book(isbn: "${BOOK}") { reviews { rating } ... on PrintedBook { pages copies { copy_number } } } }`,
      { book: { reviews: [], pages: expect.any(Number), copies: [{ copy_number: 1 }] } },
    ],
    [
      '{ loansDue(date: "2026-05-11") { id due_date } }',
      {
        loansDue: [
          { id: 97, due_date: '2026-05-10' },
          { id: 98, due_date: '2026-05-11' },
        ],
      },
    ],
    [
      `mutation { createBook(input: { ISBN: "9783400000023", medium: audio, title: "T", author_id: 1, genre: novel,
         price: 1.5, narrator: "N", running_time: "PT1H" }) { __typename ... on AudioBook { narrator author { id } } } }`,
      { createBook: { __typename: 'AudioBook', narrator: 'N', author: { id: 1 } } },
    ],
  ])('%s', async (query, data) => {
    expect(await graphql(query)).toEqual({ data });
  });

  it('reads related data anew after each change', async () => {
    const change = (name: string, rating: number) =>
      `${name}: createReview(isbn: "9783400000023", input: { member_id: "2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9", rating: ${rating} }) { number }`;
    const price = (name: string, to: number) =>
      `${name}: replaceBook(isbn: "9783400000023", input: { ISBN: "9783400000023", medium: audio, title: "T", author_id: 1,
         genre: novel, price: ${to}, narrator: "N", running_time: "PT1H" }) { reviews { rating } }`;
    const { data } = (await graphql(
      `mutation { ${change('a', 1)} ${price('b', 2)} ${change('c', 3)} ${price('d', 4)} }`,
    )) as { data: unknown };
    expect(data).toEqual({
      a: { number: 1 },
      b: { reviews: [{ rating: 1 }] },
      c: { number: 2 },
      d: { reviews: [{ rating: 1 }, { rating: 3 }] },
    });
  });

  it('sends the properties of a derived type', async () => {
    expect(JSON.parse(await upstream('/books/9783400000023'))).toMatchObject({
      medium: 'audio',
      narrator: 'N',
      running_time: 'PT1H',
    });
  });

  it('shows the picture of a book, and has no field to replace it by', async () => {
    const { data } = (await graphql(
      `{ bookCover(isbn: "${BOOK}") __schema { mutationType { fields { name } } } }`,
    )) as { data: { bookCover: string; __schema: { mutationType: { fields: { name: string }[] } } } };
    expect(data.bookCover).toBe(await upstream(`/books/${BOOK}/cover`));
    const names = data.__schema.mutationType.fields.map(({ name }) => name);
    expect(names.filter((name) => name.endsWith('BookCover'))).toEqual(['deleteBookCover']);
  });
});
