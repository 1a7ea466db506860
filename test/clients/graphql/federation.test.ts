import { composeServices } from '@apollo/composition';
import { ApolloGateway, LocalGraphQLDataSource, RemoteGraphQLDataSource } from '@apollo/gateway';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';

const demo = useDemo('library', { FEDERATION: 'on' });

/** Another subgraph, with loves of books by their number. */
const FANS = parse(`
extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
type Query { favourite: PrintedBook }
type PrintedBook @key(fields: "isbn") { isbn: ID! fans: Int! }
type AudioBook @key(fields: "isbn") { isbn: ID! fans: Int! }
`);
const fans = () => 3;
const RESOLVERS = {
  Query: { favourite: () => ({ isbn: '9783400000009' }) },
  PrintedBook: { fans },
  AudioBook: { fans },
};

it('Apollo composes the subgraph with another one, and its gateway joins the answers', async () => {
  const headers = { authorization: demo.authorization };
  const sdl = await (await fetch(`${demo.url}/graphql?sdl`, { headers })).text();
  const { supergraphSdl, errors } = composeServices([
    { name: 'library', url: `${demo.url}/graphql`, typeDefs: parse(sdl) },
    { name: 'fans', url: 'http://fans', typeDefs: FANS },
  ]);
  expect(errors).toBeUndefined();
  const gateway = new ApolloGateway({
    supergraphSdl: supergraphSdl ?? '',
    buildService({ name, url = '' }) {
      if (name === 'fans')
        return new LocalGraphQLDataSource(buildSubgraphSchema([{ typeDefs: FANS, resolvers: RESOLVERS }]));
      return new RemoteGraphQLDataSource({
        url,
        willSendRequest: ({ request }) => request.http?.headers.set('authorization', demo.authorization),
      });
    },
  });
  const { executor } = await gateway.load();
  const ask = async (query: string) => {
    const request = { query };
    const { data, errors: found } = await executor({
      document: parse(query),
      request,
      queryHash: query,
      context: {},
      cache: new Map() as never,
      schema: {} as never,
    } as never);
    return JSON.parse(JSON.stringify({ data, errors: found }));
  };
  expect(await ask('{ favourite { title fans author { lastName } } }')).toStrictEqual({
    data: { favourite: { title: 'The Crooked Ferry', fans: 3, author: { lastName: 'Varnholt' } } },
  });
  expect(await ask('{ books(take: 1) { isbn ... on PrintedBook { fans } } }')).toStrictEqual({
    data: { books: [{ isbn: '9783400000009', fans: 3 }] },
  });
  await gateway.stop();
});
