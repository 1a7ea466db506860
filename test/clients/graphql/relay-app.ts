import {
  createOperationDescriptor,
  Environment,
  type FetchFunction,
  fetchQuery,
  graphql,
  Network,
  RecordSource,
  Store,
} from 'relay-runtime';
import booksQuery, { type relayAppBooksQuery } from '../dist/graphql/relay/relayAppBooksQuery.graphql.ts';

// Relay's compiler finds the query here; without its Babel plugin, what it makes of it is imported.
export const books = () => graphql`
  query relayAppBooksQuery($first: Int!, $after: String) {
    booksConnection(first: $first, after: $after, order: [{ title: ASC }])
      @connection(key: "relayApp_booksConnection") {
      totalCount
      edges {
        node {
          isbn
          title
          author {
            id
            lastName
          }
        }
      }
      pageInfo {
        endCursor
      }
    }
  }
`;

/** An app with Relay's runtime, which reads a connection page by page into its store. */
export function openLibrary(url: string, authorization: string) {
  const send: FetchFunction = async ({ text }, variables) => {
    const body = JSON.stringify({ query: text, variables });
    const headers = { 'content-type': 'application/json', authorization };
    return (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json();
  };
  const environment = new Environment({
    network: Network.create(send),
    store: new Store(new RecordSource()),
    getDataID: ({ nodeId }: { readonly nodeId?: string }) => nodeId,
  });
  const read = (after: string | null) => {
    const variables = { first: 2, after };
    return fetchQuery<relayAppBooksQuery>(environment, booksQuery, variables).toPromise();
  };
  return {
    /** The titles of the pages so far, as the store has them, after one more page was read. */
    async nextPage() {
      const operation = createOperationDescriptor(booksQuery, { first: 2, after: null });
      const known = environment.lookup(operation.fragment).data as relayAppBooksQuery['response'] | null;
      await read(known?.booksConnection?.pageInfo.endCursor ?? null);
      const { data } = environment.lookup(operation.fragment);
      const { booksConnection } = data as relayAppBooksQuery['response'];
      return {
        total: booksConnection.totalCount,
        books: booksConnection.edges.map(({ node }) => `${node.title} (${node.author?.lastName})`),
      };
    },
  };
}
