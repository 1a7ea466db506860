import { createElement, type ReactNode, Suspense } from 'react';
import { RelayEnvironmentProvider, useLazyLoadQuery, usePaginationFragment } from 'react-relay';
import { act, create } from 'react-test-renderer';
import { Environment, type FetchFunction, graphql, Network, RecordSource, Store } from 'relay-runtime';
import type { relayPagesApp_books$key } from '../dist/graphql/relay/relayPagesApp_books.graphql.ts';
import booksFragment from '../dist/graphql/relay/relayPagesApp_books.graphql.ts';
import authorQuery, {
  type relayPagesAppAuthorQuery,
} from '../dist/graphql/relay/relayPagesAppAuthorQuery.graphql.ts';
import type { relayPagesAppBooksPage } from '../dist/graphql/relay/relayPagesAppBooksPage.graphql.ts';

// Relay's compiler finds the documents here; without its Babel plugin, what it makes of them is imported.
export const documents = () => [
  graphql`
    query relayPagesAppAuthorQuery($id: ID!) {
      author(id: $id) {
        ...relayPagesApp_books
      }
    }
  `,
  graphql`
    fragment relayPagesApp_books on Author
    @argumentDefinitions(first: { type: "Int", defaultValue: 2 }, after: { type: "String" })
    @refetchable(queryName: "relayPagesAppBooksPage") {
      lastName
      booksConnection(first: $first, after: $after, order: [{ title: ASC }])
        @connection(key: "relayPagesApp_booksConnection") {
        edges {
          node {
            title
          }
        }
      }
    }
  `,
];

interface Books {
  readonly titles: readonly string[];
  readonly hasNext: boolean;
  readonly loadNext: (count: number) => void;
}

/** An app with Relay's hooks, which reads the books of an author page by page. */
export async function openAuthor(url: string, authorization: string, id: string) {
  const sent: string[] = [];
  const send: FetchFunction = async ({ name, text }, variables) => {
    sent.push(name);
    const headers = { 'content-type': 'application/json', authorization };
    const body = JSON.stringify({ query: text, variables });
    return (await fetch(`${url}/graphql`, { method: 'POST', headers, body })).json();
  };
  const environment = new Environment({
    network: Network.create(send),
    store: new Store(new RecordSource()),
    getDataID: ({ nodeId }: { readonly nodeId?: string }) => nodeId,
  });
  let shown: Books | undefined;
  const BooksOf = ({ author }: { readonly author: relayPagesApp_books$key }): ReactNode => {
    const { data, hasNext, loadNext } = usePaginationFragment<
      relayPagesAppBooksPage,
      relayPagesApp_books$key
    >(booksFragment, author);
    const titles = (data.booksConnection.edges ?? []).flatMap((edge) => edge?.node?.title ?? []);
    shown = { titles, hasNext, loadNext };
    return null;
  };
  const AuthorOf = (): ReactNode => {
    const { author } = useLazyLoadQuery<relayPagesAppAuthorQuery>(authorQuery, { id });
    return author ? createElement(BooksOf, { author }) : null;
  };
  const children = createElement(Suspense, { fallback: null }, createElement(AuthorOf));
  const page = createElement(RelayEnvironmentProvider, { environment, children });
  const until = async (isThere: () => boolean) => {
    while (!isThere()) await act(() => new Promise((resolve) => setImmediate(resolve)));
  };
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });
  await act(() => void create(page));
  await until(() => shown !== undefined);
  return {
    sent,
    shown: () => ({ titles: shown?.titles, hasNext: shown?.hasNext }),
    async nextPage() {
      const before = shown?.titles.length ?? 0;
      await act(() => void shown?.loadNext(2));
      await until(() => (shown?.titles.length ?? 0) > before);
    },
  };
}
