import { type Table, tablePath, tablesProject } from '../tables-project.ts';
import { withServers } from '../with-servers.ts';
import { atEach, type Curve } from './curve.ts';
import { graphql, type MeasuredRequest, subjectsAt, timesOf } from './measured-request.ts';

const TURNS = { warmUp: 100, seconds: 3 };
const METADATA_TURNS = { warmUp: 3, seconds: 2 };

const METADATA: MeasuredRequest<'gateway'> = {
  name: '$metadata',
  server: 'gateway',
  load: () => ({ path: '/odata/$metadata' }),
};

const READS: readonly MeasuredRequest<'gateway' | 'proxy'>[] = [
  {
    name: 'by key, GraphQL',
    server: 'gateway',
    load: (sets) =>
      graphql(
        `{ ${tableOf(sets).name.toLowerCase()}(id: 7) { id column1 column2 column3 column4 column5 column6 column7 } }`,
      ),
  },
  {
    name: 'by key, OData',
    server: 'gateway',
    load: (sets) => ({ path: `/odata/${tableOf(sets).name}(7)` }),
  },
  {
    name: 'by key, plain proxy',
    isReference: true,
    server: 'proxy',
    load: (sets) => ({ path: `${tablePath(tableOf(sets))}/7` }),
  },
];

/** A read by key, and descriptions of all sets, in a service with that many entity sets. */
export const SETS_CURVE: Curve = {
  name: 'sets',
  x: 'entity sets',
  points: [1, 10, 100, 1_000],
  charts: [
    {
      name: 'sets',
      title: 'Entity sets of a service',
      y: 'ms for an answer',
      series: [METADATA, ...READS],
    },
  ],
  measure: (points) =>
    atEach(points, (sets) => {
      const tables = Array.from({ length: sets }, (_, index) => tableOf(index + 1));
      return withServers(
        { upstream: 'tables', others: ['proxy'], project: (url) => tablesProject(tables, url) },
        async (servers) => [
          ...(await timesOf(subjectsAt(sets, [METADATA], servers), METADATA_TURNS)),
          ...(await timesOf(subjectsAt(sets, READS, servers), TURNS)),
        ],
      );
    }),
};

/** Its name is in letters: digits at the end would be taken for a version. */
function tableOf(set: number): Table {
  const letters = [...String(set)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('');
  return { name: `Table${letters}`, columns: 8, rows: 100 };
}
