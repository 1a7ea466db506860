import { startServer } from './metered-server.ts';
import { ordersProject } from './orders-project.ts';

/**
 * Sends heavy requests, and prints the longest time that the gateway blocked its event loop, in milliseconds
 * of processor time. Each request is sent five times; the first is ignored, because V8 compiles new code.
 */

const MUST = 50;
const TIMES = 5;

interface Asking {
  readonly work: string;
  readonly path: string;
  readonly body?: object;
}

const apply = (rows: number, text: string): string =>
  `/odata/Order${rows}?$apply=${encodeURIComponent(text)}`;
const filter = (set: string, text: string): string => `/odata/${set}?$filter=${encodeURIComponent(text)}`;
const graphql = (work: string, query: string): Asking => ({ work, path: '/graphql', body: { query } });

const NESTED = 'Tags/any(a:Tags/any(b:a add b eq -1))';

const REQUESTS: readonly Asking[] = [
  { work: 'a list of 10,000', path: '/odata/Order10000' },
  { work: 'a list of 100,000', path: '/odata/Order100000' },
  { work: 'a list of 200,000', path: '/odata/Order200000' },
  { work: 'the first of 100,000', path: '/odata/Order100000?$top=1' },
  { work: '50,000 sorted', path: '/odata/Order50000?$orderby=Title' },
  { work: '100,000 sorted by two', path: '/odata/Order100000?$orderby=PersonId,Title%20desc&$select=Id' },
  { work: '50,000 grouped', path: apply(50_000, 'groupby((PersonId),aggregate($count as N))') },
  { work: '100,000 in as many groups', path: apply(100_000, 'groupby((Title,Id),aggregate($count as N))') },
  { work: '100,000 distinct', path: apply(100_000, 'aggregate(Title with countdistinct as N)') },
  { work: '100,000, concat of two', path: apply(100_000, 'concat(filter(Id gt 3),groupby((Title)))') },
  { work: '100,000, the top percent', path: apply(100_000, 'toppercent(10,Id)') },
  { work: '50,000 with $expand', path: '/odata/Order50000?$expand=Person' },
  { work: '50,000, filter by the related', path: filter('Order50000', "contains(Person/Name,'7')") },
  {
    work: '$crossjoin',
    path: `/odata/$crossjoin(Order10000,Person10000)?$filter=${encodeURIComponent('Order10000/PersonId eq Person10000/Id')}`,
  },
  { work: 'search in 100,000', path: '/odata/Order100000?$search=juniper%20AND%2096' },
  { work: 'nested condition, 10,000 rows', path: filter('Tagged10000', NESTED) },
  { work: 'a list of 10,000 with 900 values each', path: '/odata/Tagged10000' },
  { work: 'patterns, 100,000 rows', path: filter('Order100000', "matchesPattern(Body,'(a|b)*j.*x$')") },
  { work: '50,000 with full metadata', path: '/odata/Order50000?$format=application/json;metadata=full' },
  graphql('GraphQL: a list of 10,000', '{order10000s{id title body}}'),
  graphql('GraphQL: a list of 100,000', '{order100000s{id title body}}'),
  graphql('GraphQL: 50,000 with related', '{order50000s{id person{name}}}'),
  graphql('GraphQL: 50,000 grouped', '{order50000sConnection{groups(by:[title,id]){key{title id}count}}}'),
  graphql('GraphQL: introspection', '{__schema{types{name fields{name args{name}type{name ofType{name}}}}}}'),
];

await main(process.argv[2] ?? '');

async function main(wanted: string): Promise<void> {
  const upstream = await startServer('orders');
  const { meshConfig, remove } = ordersProject(upstream.url);
  const gateway = await startServer('gateway', {
    MESH_CONFIG: meshConfig,
    AUTH: 'off',
    PORT: '0',
    LOG_LEVEL: 'error',
    QUERY_MS: '60000',
    QUERY_ITEMS: '999999999',
  });
  try {
    for (const requested of REQUESTS.filter(({ work }) => work.includes(wanted))) {
      const holds: number[] = [];
      let output = '';
      for (let time = 0; time < TIMES; time += 1) {
        await gateway.longestHold();
        output = await ask(gateway.url, requested);
        holds.push(await gateway.longestHold());
      }
      const longest = Math.max(...holds.slice(1));
      const verdict = longest <= MUST ? 'reached' : 'MISSED';
      console.log(
        requested.work.padEnd(40),
        `${longest.toFixed(0)} ms`.padStart(8),
        verdict.padEnd(8),
        output,
      );
    }
  } finally {
    await Promise.all([gateway.stop(), upstream.stop()]);
    remove();
  }
}

async function ask(url: string, { path, body }: Asking): Promise<string> {
  const started = performance.now();
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(url + path, body && post);
  const bytes = await response.arrayBuffer();
  const words = response.ok ? '' : ` ${Buffer.from(bytes).toString().slice(0, 200)}`;
  const took = (performance.now() - started).toFixed(0);
  return `${response.status}, ${(bytes.byteLength / 1e6).toFixed(1)} MB in ${took} ms${words}`;
}
