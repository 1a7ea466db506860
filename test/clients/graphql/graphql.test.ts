import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { type ClientError, GraphQLClient, gql } from 'graphql-request';
import { describe, expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';

const demo = useDemo('library');

const BOOK = gql`
  query ($isbn: String!) {
    book(isbn: $isbn) {
      __typename
      title
      price
      author {
        last_name
        books(limit: 1) {
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
    author: { last_name: 'Varnholt', books: [{ title: 'The Crooked Ferry' }] },
  },
};

describe('graphql-request', () => {
  const library = () =>
    new GraphQLClient(`${demo.url}/graphql`, { headers: { authorization: demo.authorization } });

  it('queries', async () => {
    expect(await library().request(BOOK, { isbn: ISBN })).toStrictEqual(FOUND);
  });

  it('creates', async () => {
    const create = 'mutation ($author: NewAuthor_Input!) { createAuthor(input: $author) { id last_name } }';
    const author = { last_name: 'Nyberg', languages: ['sv'] };
    expect(await library().request(create, { author })).toStrictEqual({
      createAuthor: { id: 13, last_name: 'Nyberg' },
    });
  });

  it('throws what the service says of a mistake', async () => {
    const error: ClientError = await library()
      .request(BOOK, { isbn: '0' })
      .catch((thrown: ClientError) => thrown);
    expect(error.response.errors).toMatchObject([
      { message: 'There is no such resource.', path: ['book'], extensions: { code: 'NotFound' } },
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
    const { error } = await library().query('{ library { colour } }', {}).toPromise();
    expect(error?.message).toBe('[GraphQL] Cannot query field "colour" on type "Library".');
  });
});
