import type { Load } from './measure.ts';
import type { UpstreamMode } from './servers/upstream.ts';

/** A figure that the gateway must reach, be it reached yet or not: some work, and what it is held against. */
export interface Row {
  readonly work: string;
  readonly mode: UpstreamMode;
  readonly gateway: Load;
  readonly yardstick: Yardstick;
  readonly must: number;
  /** Servers that are measured beside the two, for what their figures tell. */
  readonly beside?: readonly Reference[];
}

/** `open` is a gateway that lets everyone do everything. */
export type Reference = 'proxy' | 'floor' | 'bare' | 'open';

/**
 * At least so many times the other's requests per second; at most so many times the time that the other takes
 * for that many of its requests, or for an answer; or at most so many µs of processor time more than the other.
 */
export interface Yardstick {
  readonly by: 'rate' | 'time' | 'answer' | 'extra';
  readonly server: Reference | 'gateway';
  readonly load: Load;
  readonly times: number;
}

const asFastAs = (path: string, load: Omit<Load, 'path'> = {}): Yardstick => ({
  by: 'rate',
  server: 'proxy',
  load: { path, ...load },
  times: 1,
});
const byHand = (path: string): Yardstick => ({ by: 'answer', server: 'floor', load: { path }, times: 1 });

/** The same question, asked of OData. */
const asODataRate = (load: Load): Yardstick => ({ by: 'rate', server: 'gateway', load, times: 1 });
const asODataAnswer = (load: Load): Yardstick => ({ by: 'answer', server: 'gateway', load, times: 1 });

const PROXIED_LIST = asFastAs('/posts');

const LIST: Load = { path: '/odata/Post' };
const POST: Load = { path: "/odata/Post('7')" };
const POSTS: Load = { path: "/odata/Post('{key}')", keys: 10_000 };
const TOP: Load = {
  path: "/odata/Post?$filter=contains(Title,'cedar')%20and%20UserId%20gt%205&$orderby=Title%20desc&$top=10",
};
const GROUPS: Load = { path: '/odata/Post?$apply=groupby((UserId),aggregate($count%20as%20N))' };
const SEARCH: Load = { path: '/odata/Post?$search=%22juniper%2096%22' };
/** A request in the form of Apollo's clients: with the operation's name and empty variables. */
const graphql = (selection: string): Load => ({
  path: '/graphql',
  body: JSON.stringify({ operationName: 'Asked', variables: {}, query: `query Asked ${selection}` }),
});
const GRAPHQL_LIST = graphql('{ posts { userId id title body } }');
const GRAPHQL_POST = graphql('{ post(id: "7") { userId id title body } }');
const GRAPHQL_TOP = graphql(
  '{ posts(where: { title: { contains: "cedar" }, userId: { gt: 5 } }, order: [{ title: DESC }], take: 10) { userId id title body } }',
);

const BATCHED = 100;
const BATCH: Load = {
  path: '/odata/$batch',
  connections: 2,
  body: JSON.stringify({
    requests: Array.from({ length: BATCHED }, (_, index) => ({
      id: String(index),
      method: 'GET',
      url: `Post('${index + 1}')`,
    })),
  }),
};

const unchanged = (rows: number): UpstreamMode => ({ rows, changing: false, etag: false });
const tagged = (rows: number): UpstreamMode => ({ rows, changing: false, etag: true });
const changing = (rows: number): UpstreamMode => ({ rows, changing: true, etag: false });

function row(
  work: string,
  mode: UpstreamMode,
  gateway: Load,
  yardstick: Yardstick,
  must: number,
  beside: readonly Reference[] = [],
): Row {
  return { work, mode, gateway, yardstick, must, beside };
}

export const ROWS: readonly Row[] = [
  row('list of 100, changed at every read', changing(100), LIST, PROXIED_LIST, 0.5),
  row('list of 100, unchanged, no ETag', unchanged(100), LIST, PROXIED_LIST, 1.2, ['bare']),
  row('list of 100, unchanged, ETag', tagged(100), LIST, PROXIED_LIST, 1.4, ['bare']),
  row(
    'list of 100, ETag, 64 connections',
    tagged(100),
    { ...LIST, connections: 64 },
    asFastAs('/posts', { connections: 64 }),
    1.8,
  ),
  row('by key, unchanged', unchanged(100), POST, asFastAs('/posts/7'), 1),
  row(
    'by key, 10,000 different ones',
    unchanged(10_000),
    POSTS,
    asFastAs('/posts/{key}', { keys: 10_000 }),
    0.65,
  ),
  row('filter, order, top of 10,000, changed', changing(10_000), TOP, byHand('/top'), 1.1),
  row('filter, order, top of 100,000, changed', changing(100_000), TOP, byHand('/top'), 1.1),
  row('groups of 10,000, changed', changing(10_000), GROUPS, byHand('/groups'), 1.1),
  row('groups of 100,000, changed', changing(100_000), GROUPS, byHand('/groups'), 1.1),
  row('search of 10,000, changed', changing(10_000), SEARCH, byHand('/search'), 1.1),
  row('search of 100,000, changed', changing(100_000), SEARCH, byHand('/search'), 1.1),
  row('GraphQL list of 100, changed', changing(100), GRAPHQL_LIST, asODataRate(LIST), 0.7),
  row('GraphQL list of 100, unchanged', unchanged(100), GRAPHQL_LIST, asODataRate(LIST), 0.7),
  row('GraphQL by key, unchanged', unchanged(100), GRAPHQL_POST, asODataRate(POST), 0.8),
  row('GraphQL list of 100,000', unchanged(100_000), GRAPHQL_LIST, asODataAnswer(LIST), 2),
  row('GraphQL where, order, take of 10,000', changing(10_000), GRAPHQL_TOP, asODataAnswer(TOP), 1.15),
  row('GraphQL where, order, take of 100,000', changing(100_000), GRAPHQL_TOP, asODataAnswer(TOP), 1.15),
  row(
    'batch of 100 reads, to 100 single ones',
    unchanged(100),
    BATCH,
    { by: 'time', server: 'gateway', load: { path: "/odata/Post('{key}')", keys: BATCHED }, times: BATCHED },
    0.8,
  ),
  row(
    'a token that was seen before, by key',
    unchanged(100),
    POST,
    { by: 'extra', server: 'open', load: POST, times: 1 },
    15,
  ),
];
