import { measureInTurns } from '../in-turns.ts';
import type { Measurement } from '../measure.ts';
import { withServers } from '../with-servers.ts';
import { type Curve, linesOf } from './curve.ts';

const SIZES = [100, 1_000, 10_000, 100_000, 1_000_000];
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
const GRAPHQL = JSON.stringify({ query: '{ posts { userId id title body } }' });

/** A list that has changed since it was read before. */
export const ROWS_CURVE: Curve = {
  name: 'rows',
  measure: () =>
    withServers(['proxy', 'floor'], ROOM, async ({ upstream, gateway, proxy, floor }) => {
      const measured = new Map<number, readonly number[]>();
      for (const rows of SIZES) {
        await upstream.tell({ rows, changing: true, etag: false });
        const subjects = [
          { server: gateway, load: { path: '/graphql', body: GRAPHQL } },
          { server: gateway, load: { path: '/odata/Post' } },
          { server: gateway, load: { path: TOP } },
          { server: floor, load: { path: '/top' } },
          { server: proxy, load: { path: '/posts' } },
        ];
        measured.set(rows, timesOf(await measureInTurns(subjects, TURNS)));
      }
      const lines = linesOf(
        [
          { name: 'GraphQL list' },
          { name: 'OData list' },
          { name: '$filter, $orderby, $top' },
          { name: 'filter and sort by hand', isReference: true },
          { name: 'plain proxy, list', isReference: true },
        ],
        measured,
      );
      return [{ name: 'rows', title: 'Rows of a list', x: 'rows', y: 'ms for an answer', lines }];
    }),
};

/** Milliseconds for one answer after the other. */
function timesOf(measurements: readonly Measurement[]): readonly number[] {
  return measurements.map(({ perSecond }) => 1_000 / perSecond);
}
