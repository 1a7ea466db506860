import { Client, fetchExchange } from '@urql/core';
import { initGraphQLTada } from 'gql.tada';
import type { introspection } from '../dist/graphql/tada/schema.d.ts';

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: { Decimal: number; ID: string; Date: string };
}>();

const BOOK = graphql(`
  query Book($isbn: ID!) {
    book(isbn: $isbn) {
      title
      price
      author {
        lastName
      }
    }
  }
`);

/** An app whose types gql.tada reads off its queries, sent by urql. */
export async function bookText(url: string, authorization: string, isbn: string): Promise<string> {
  const client = new Client({
    url: `${url}/graphql`,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { authorization } },
  });
  const { data, error } = await client.query(BOOK, { isbn });
  if (error !== undefined) throw error;
  const book = data?.book;
  return `${book?.title}, ${book?.author?.lastName}: ${book?.price?.toFixed(2)}`;
}
