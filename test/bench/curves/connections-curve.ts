import { withServers } from '../with-servers.ts';
import { atEach, type Curve } from './curve.ts';
import { bestRoundsOf, graphql, type MeasuredRequest, subjectsAt } from './measured-request.ts';

const KEYS = 10_000;

const SERIES: readonly MeasuredRequest<'gateway' | 'proxy'>[] = [
  { name: 'list of 100, OData', server: 'gateway', load: () => ({ path: '/odata/Post' }) },
  {
    name: 'list of 100, GraphQL',
    server: 'gateway',
    load: () => graphql('{ posts { userId id title body } }'),
  },
  {
    name: 'by key, OData',
    server: 'gateway',
    load: () => ({ path: "/odata/Post('{key}')", keys: KEYS }),
  },
  { name: 'list of 100, proxy', isReference: true, server: 'proxy', load: () => ({ path: '/posts' }) },
  {
    name: 'by key, proxy',
    isReference: true,
    server: 'proxy',
    load: () => ({ path: '/posts/{key}', keys: KEYS }),
  },
];

/** Clients that each ask for the next answer as soon as they have one. */
export const CONNECTIONS_CURVE: Curve = {
  name: 'connections',
  x: 'connections',
  points: [4, 16, 64, 512, 5_000],
  charts: [
    {
      name: 'connections',
      title: 'Answers a second to so many clients',
      y: 'answers a second',
      series: SERIES,
    },
    {
      name: 'waiting',
      title: 'The longest waits of so many clients',
      y: 'ms that one answer in a hundred takes longer than, at least 1',
      series: SERIES,
    },
  ],
  measure: (points) =>
    withServers({ others: ['proxy'] }, (servers) =>
      atEach(points, async (connections) => {
        const rounds = await bestRoundsOf(subjectsAt(connections, SERIES, servers), connections);
        return [...rounds.map(({ perSecond }) => perSecond), ...rounds.map(({ p99 }) => Math.max(1, p99))];
      }),
    ),
};
