import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { type ClientError, GraphQLClient, gql } from 'graphql-request';
import { describe, expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';

const demo = useDemo('library');

const BOOK = gql`
  query ($isbn: ID!) {
    book(isbn: $isbn) {
      __typename
      title
      price
      author {
        lastName
        books(order: [{ title: ASC }], take: 1) {
          title
        }
      }
    }
  }
`;
const ISBN = '9783400000009';
const FOUND = {
  book: {
    __typename: 'PrintedBook',
    title: 'The Crooked Ferry',
    price: 8.9,
    author: { lastName: 'Varnholt', books: [{ title: 'A Ferry in Fennhaven' }] },
  },
};

describe('graphql-request', () => {
  const library = () =>
    new GraphQLClient(`${demo.url}/graphql`, { headers: { authorization: demo.authorization } });

  it('queries', async () => {
    expect(await library().request(BOOK, { isbn: ISBN })).toStrictEqual(FOUND);
  });

  it('creates', async () => {
    const create = 'mutation ($author: AuthorInput!) { createAuthor(input: $author) { id lastName } }';
    const author = { lastName: 'Nyberg', languages: ['sv'] };
    expect(await library().request(create, { author })).toStrictEqual({
      createAuthor: { id: '13', lastName: 'Nyberg' },
    });
  });

  it('throws what the service says of a mistake', async () => {
    const error: ClientError = await library()
      .request(BOOK, { isbn: '0' })
      .catch((thrown: ClientError) => thrown);
    expect(error.response.errors).toMatchObject([
      { message: "There is no Book('0').", path: ['book'], extensions: { code: 'NotFound' } },
    ]);
  });
});

describe.each([false, true])('urql, preferring GET: %s', (preferGetMethod) => {
  const library = () =>
    new Client({
      url: `${demo.url}/graphql`,
      exchanges: [cacheExchange, fetchExchange],
      preferGetMethod,
      fetchOptions: { headers: { authorization: demo.authorization } },
    });

  it('queries', async () => {
    const { data, error } = await library().query(BOOK, { isbn: ISBN }).toPromise();
    expect([data, error]).toMatchObject([FOUND, undefined]);
  });

  it('tells what is wrong with a query', async () => {
    const { error } = await library().query('{ house { colour } }', {}).toPromise();
    expect(error?.message).toBe('[GraphQL] Cannot query field "colour" on type "House".');
  });
});
