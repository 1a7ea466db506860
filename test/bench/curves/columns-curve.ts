import { type Table, tablePath, tablesProject } from '../tables-project.ts';
import { withServers } from '../with-servers.ts';
import { atEach, type Curve } from './curve.ts';
import { graphql, type MeasuredRequest, subjectsAt, timesOf } from './measured-request.ts';

const ROWS = 1_000;
const TURNS = { warmUp: 20, seconds: 3 };

const tableOf = (columns: number): Table => ({ name: `Table${columns}`, columns, rows: ROWS });

const SERIES: readonly MeasuredRequest<'gateway' | 'proxy'>[] = [
  {
    name: 'GraphQL, all columns',
    server: 'gateway',
    load: (columns) => graphql(`{ table${columns}s { ${columnsOf(columns)} } }`),
  },
  {
    name: 'OData, all columns',
    server: 'gateway',
    load: (columns) => ({ path: `/odata/Table${columns}` }),
  },
  {
    name: '$select of two',
    server: 'gateway',
    load: (columns) => ({ path: `/odata/Table${columns}?$select=Id,Column1` }),
  },
  {
    name: '$filter by the last, $top=10',
    server: 'gateway',
    load: (columns) => ({ path: `/odata/Table${columns}?$filter=Column${columns - 1}%20ne%20null&$top=10` }),
  },
  {
    name: 'plain proxy',
    isReference: true,
    server: 'proxy',
    load: (columns) => ({ path: tablePath(tableOf(columns)) }),
  },
];

/** A list that has changed since it was read before. */
export const COLUMNS_CURVE: Curve = {
  name: 'columns',
  x: 'columns',
  points: [4, 12, 40, 120, 400],
  charts: [
    { name: 'columns', title: 'Columns of a list of 1,000 rows', y: 'ms for an answer', series: SERIES },
  ],
  measure: (points) =>
    withServers(
      { upstream: 'tables', others: ['proxy'], project: (url) => tablesProject(points.map(tableOf), url) },
      (servers) => atEach(points, (columns) => timesOf(subjectsAt(columns, SERIES, servers), TURNS)),
    ),
};

function columnsOf(columns: number): string {
  return ['id', ...Array.from({ length: columns - 1 }, (_, index) => `column${index + 1}`)].join(' ');
}
