import { GraphQLClient } from 'graphql-request';
import { graphql } from '../dist/graphql/codegen/gql.ts';
import type { BookFilter } from '../dist/graphql/codegen/graphql.ts';

const BOOKS = graphql(`
  query CheapBooks($where: BookFilter, $take: Int) {
    books(where: $where, order: [{ price: ASC }], take: $take) {
      __typename
      isbn
      price
      author {
        lastName
      }
      ... on AudioBook {
        narrator
      }
    }
  }
`);

const ADD_AUTHOR = graphql(`
  mutation AddAuthor($input: AuthorInput!) {
    createAuthor(input: $input) {
      id
      lastName
      languages
    }
  }
`);

/** An app with what graphql-codegen's client preset makes of the schema, sent by graphql-request. */
export function openLibrary(url: string, authorization: string) {
  const client = new GraphQLClient(`${url}/graphql`, { headers: { authorization } });
  return {
    async cheapNovels(most: number) {
      const where: BookFilter = { genre: { eq: 'novel' }, price: { lte: most } };
      const { books } = await client.request(BOOKS, { where, take: 2 });
      return books.map(({ isbn, author }) => `${isbn} ${author?.lastName ?? ''}`);
    },
    async addAuthor(lastName: string) {
      const { createAuthor } = await client.request(ADD_AUTHOR, { input: { lastName, languages: ['sv'] } });
      return createAuthor?.languages;
    },
  };
}
