import { withServers } from '../with-servers.ts';
import { atEach, type Curve } from './curve.ts';
import { graphql, type MeasuredRequest, subjectsAt, timesOf } from './measured-request.ts';

const TURNS = { warmUp: 3, seconds: 3 };
/** A million posts are more than the gateway takes in by default. */
const ROOM = {
  UPSTREAM_BODY_MIB: '1024',
  ANSWER_MIB: '480',
  ANSWERS_MIB: '4096',
  QUERY_MS: '60000',
  UPSTREAM_TIMEOUT_MS: '60000',
};
const TOP =
  '/odata/Post?$filter=contains(Title,%27cedar%27)%20and%20UserId%20gt%205&$orderby=Title%20desc&$top=10';

const SERIES: readonly MeasuredRequest<'gateway' | 'proxy' | 'floor'>[] = [
  {
    name: 'GraphQL list',
    server: 'gateway',
    load: () => graphql('{ posts { userId id title body } }'),
  },
  { name: 'OData list', server: 'gateway', load: () => ({ path: '/odata/Post' }) },
  { name: '$filter, $orderby, $top', server: 'gateway', load: () => ({ path: TOP }) },
  { name: 'filter and sort by hand', isReference: true, server: 'floor', load: () => ({ path: '/top' }) },
  { name: 'plain proxy, list', isReference: true, server: 'proxy', load: () => ({ path: '/posts' }) },
];

/** A list that has changed since it was read before. */
export const ROWS_CURVE: Curve = {
  name: 'rows',
  x: 'rows',
  points: [100, 1_000, 10_000, 100_000, 1_000_000],
  charts: [{ name: 'rows', title: 'Rows of a list', y: 'ms for an answer', series: SERIES }],
  measure: (points) =>
    withServers({ others: ['proxy', 'floor'], environment: ROOM }, (servers) =>
      atEach(points, async (rows) => {
        await servers.upstream.tell({ rows, changing: true, etag: false });
        return timesOf(subjectsAt(rows, SERIES, servers), TURNS);
      }),
    ),
};
