import * as apollo4 from '@apollo/client';
import * as pagination4 from '@apollo/client/utilities';
import * as apollo3 from 'apollo-client-3/core/index.js';
import * as pagination3 from 'apollo-client-3/utilities/index.js';
import { describe, expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';

const demo = useDemo('library');

const PAGE = `query ($after: String) {
  booksConnection(first: 2, after: $after, order: [{ title: ASC }]) {
    totalCount
    edges { cursor node { isbn title author { id lastName } } }
    pageInfo { hasNextPage endCursor }
  }
}`;
const RENAME = `mutation ($id: ID!, $input: AuthorChanges!) { updateAuthor(id: $id, input: $input) { id lastName } }`;

type Variables = Readonly<Record<string, unknown>>;

/** The operations of an app, for either version. */
interface Library {
  query(text: string, variables?: Variables): Promise<unknown>;
  mutate(text: string, variables: Variables): Promise<unknown>;
  /** Reads the next page of what a query is watched for. */
  more(text: string, variables: Variables): Promise<unknown>;
  /** The cached data. */
  cached(text: string): unknown;
}

function open3(): Library {
  const { ApolloClient, HttpLink, InMemoryCache, gql } = apollo3;
  const cache = new InMemoryCache(cacheOptions(pagination3.relayStylePagination(['order', 'where'])));
  const client = new ApolloClient({ link: new HttpLink(linkOptions()), cache });
  return {
    query: async (text, variables = {}) => (await client.query({ query: gql(text), variables })).data,
    mutate: (text, variables) => client.mutate({ mutation: gql(text), variables }),
    more: (text, variables) => client.watchQuery({ query: gql(text) }).fetchMore({ variables }),
    cached: (text) => client.readQuery({ query: gql(text) }),
  };
}

function open4(): Library {
  const { ApolloClient, HttpLink, InMemoryCache, gql } = apollo4;
  const cache = new InMemoryCache(cacheOptions(pagination4.relayStylePagination(['order', 'where'])));
  const client = new ApolloClient({ link: new HttpLink(linkOptions()), cache });
  return {
    query: async (text, variables = {}) => (await client.query({ query: gql(text), variables })).data,
    mutate: (text, variables) => client.mutate({ mutation: gql(text), variables }),
    more: (text, variables) => client.watchQuery({ query: gql(text) }).fetchMore({ variables }),
    cached: (text) => client.readQuery({ query: gql(text) }),
  };
}

function linkOptions() {
  return { uri: `${demo.url}/graphql`, headers: { authorization: demo.authorization } };
}

/** Books have no `id`, and their type is an interface. */
function cacheOptions<Pagination>(booksConnection: Pagination) {
  return {
    possibleTypes: { Book: ['PlainBook', 'PrintedBook', 'AudioBook'] },
    typePolicies: { Query: { fields: { booksConnection } }, Book: { keyFields: ['isbn'] } },
  };
}

interface Page {
  readonly booksConnection: {
    readonly edges: readonly object[];
    readonly pageInfo: { readonly endCursor: string };
  };
}

describe.each([
  ['3', open3],
  ['4', open4],
])('Apollo Client %s', (version, open) => {
  it('reads a connection page by page into its cache', async () => {
    const library = open();
    const { booksConnection } = (await library.query(PAGE)) as Page;
    expect(booksConnection.edges).toHaveLength(2);
    await library.more(PAGE, { after: booksConnection.pageInfo.endCursor });
    expect((library.cached(PAGE) as Page).booksConnection.edges).toHaveLength(4);
  });

  it('has what a mutation answers in its cache', async () => {
    const library = open();
    const query = '{ author(id: "2") { id lastName } }';
    await library.query(query);
    const lastName = `Brisk ${version}`;
    await library.mutate(RENAME, { id: '2', input: { lastName } });
    expect(library.cached(query)).toMatchObject({ author: { id: '2', lastName } });
  });

  it('throws what the service says of a mistake', async () => {
    await expect(open().query('{ author(id: "x") { id } }')).rejects.toThrow('id: expected Int, found "x".');
  });
});
