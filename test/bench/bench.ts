import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { type MeteredServer, startServer } from './metered-server.ts';
import type { UpstreamMode } from './servers/upstream.ts';

/**
 * Holds the gateway against a plain reverse proxy and against the same work written by hand, all in one
 * run on this machine: ratios mean something, absolute figures only here.
 */
interface Row {
  readonly work: string;
  readonly mode: UpstreamMode;
  readonly gateway: Load;
  readonly reference: 'proxy' | 'floor';
  readonly referencePath: string;
  /** Times the proxy's requests per second (at least), or times the floor's time (at most). */
  readonly must: number;
  readonly aim: number;
}

interface Load {
  readonly path: string;
  readonly body?: string;
}

interface Measurement {
  readonly perSecond: number;
  /** Microseconds of the server's processor time for each request. */
  readonly cpuPerRequest: number;
}

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const LIST: Load = { path: '/odata/Post' };
const TOP_TEN: Load = {
  path: "/odata/Post?$filter=contains(Title,'cedar')%20and%20UserId%20gt%205&$orderby=Title%20desc&$top=10",
};
const GRAPHQL: Load = { path: '/graphql', body: JSON.stringify({ query: '{posts{userId id title body}}' }) };

const unchanged = (rows: number): UpstreamMode => ({ rows, changing: false, etag: false });
const changing = (rows: number): UpstreamMode => ({ rows, changing: true, etag: false });

const ROWS: readonly Row[] = [
  {
    work: 'list of 100, changed at every read',
    mode: changing(100),
    gateway: LIST,
    reference: 'proxy',
    referencePath: '/posts',
    must: 0.35,
    aim: 0.5,
  },
  {
    work: 'list of 100, unchanged, no ETag',
    mode: unchanged(100),
    gateway: LIST,
    reference: 'proxy',
    referencePath: '/posts',
    must: 1,
    aim: 1.3,
  },
  {
    work: 'list of 100, unchanged, ETag',
    mode: { ...unchanged(100), etag: true },
    gateway: LIST,
    reference: 'proxy',
    referencePath: '/posts',
    must: 1.2,
    aim: 1.8,
  },
  {
    work: 'by key, unchanged',
    mode: unchanged(100),
    gateway: { path: "/odata/Post('7')" },
    reference: 'proxy',
    referencePath: '/posts/7',
    must: 0.6,
    aim: 1,
  },
  {
    work: 'filter, order, top of 10,000, changed',
    mode: changing(10_000),
    gateway: TOP_TEN,
    reference: 'floor',
    referencePath: '/top',
    must: 1.3,
    aim: 1.1,
  },
  {
    work: 'filter, order, top of 100,000, changed',
    mode: changing(100_000),
    gateway: TOP_TEN,
    reference: 'floor',
    referencePath: '/top',
    must: 1.3,
    aim: 1.1,
  },
  {
    work: 'GraphQL list of 100',
    mode: unchanged(100),
    gateway: GRAPHQL,
    reference: 'proxy',
    referencePath: '/posts',
    must: 0.2,
    aim: 0.35,
  },
];

await main();

async function main(): Promise<void> {
  const upstream = await startServer('upstream');
  const environment = { UPSTREAM_URL: upstream.url, PORT: '0', HOST: '127.0.0.1', AUTH: 'off' };
  const [proxy, floor, gateway] = await Promise.all([
    startServer('proxy', environment),
    startServer('floor', environment),
    startServer('gateway', environment),
  ]);
  console.log(
    `${SECONDS} s for each figure; requests per second, and µs of the server's processor time for each`,
  );
  for (const row of ROWS) {
    await upstream.tell(row.mode);
    const reference = row.reference === 'proxy' ? proxy : floor;
    const theirs = await measure(reference, { path: row.referencePath }, row.mode);
    const ours = await measure(gateway, row.gateway, row.mode);
    report(row, theirs, ours);
  }
  await reportStart(environment);
  await Promise.all([upstream, proxy, floor, gateway].map((server) => server.stop()));
}

/** Once to warm up, once to measure. Every answer must be a 200. */
async function measure(server: MeteredServer, load: Load, mode: UpstreamMode): Promise<Measurement> {
  const connections = mode.rows >= 100_000 ? 2 : mode.rows >= 10_000 ? 4 : 16;
  const run = (duration: number) =>
    autocannon({
      url: `${server.url}${load.path}`,
      connections,
      duration,
      timeout: 60,
      ...(load.body !== undefined && {
        method: 'POST',
        body: load.body,
        headers: { 'content-type': 'application/json' },
      }),
    });
  await run(Math.max(1, SECONDS / 2));
  const before = await server.cpuTime();
  const { requests, duration, non2xx, errors } = await run(SECONDS);
  const cpu = (await server.cpuTime()) - before;
  if (non2xx + errors > 0) throw new Error(`${load.path}: ${non2xx + errors} requests failed.`);
  return { perSecond: requests.total / duration, cpuPerRequest: cpu / requests.total };
}

function report(row: Row, theirs: Measurement, ours: Measurement): void {
  const rate = ours.perSecond / theirs.perSecond;
  const ratio = row.reference === 'proxy' ? rate : 1 / rate;
  const reached = row.reference === 'proxy' ? ratio >= row.must : ratio <= row.must;
  const unit = row.reference === 'proxy' ? '× proxy' : "× floor's time";
  console.log(
    [
      `${row.work.padEnd(40)} ${ratio.toFixed(2)} ${unit}`.padEnd(62),
      `must ${row.must}, aim ${row.aim}: ${reached ? 'reached' : 'MISSED'}`.padEnd(30),
      `gateway ${describe(ours)}`.padEnd(28),
      `${row.reference} ${describe(theirs)}`,
    ].join(' '),
  );
}

function describe({ perSecond, cpuPerRequest }: Measurement): string {
  return `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s ${cpuPerRequest.toFixed(0)} µs`;
}

/** From the start of the process to the first answer that says ready, the middle of five. */
async function reportStart(environment: Readonly<Record<string, string>>): Promise<void> {
  const times: number[] = [];
  for (let run = 0; run < 5; run++)
    times.push(await timeToReady({ ...environment, PORT: String(4_200 + run) }));
  const seconds = (times.sort((a, b) => a - b)[2] ?? Number.NaN) / 1_000;
  console.log(
    `ready after start${' '.repeat(24)}${seconds.toFixed(2)} s; must 1, aim 0.5: ${seconds <= 1 ? 'reached' : 'MISSED'}`,
  );
}

async function timeToReady(environment: Readonly<Record<string, string>>): Promise<number> {
  const started = performance.now();
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main], { env: { ...process.env, ...environment }, stdio: 'ignore' });
  const ready = `http://127.0.0.1:${environment['PORT']}/health/ready`;
  while (!(await isReady(ready))) await new Promise((resolve) => setTimeout(resolve, 5));
  const elapsed = performance.now() - started;
  child.kill('SIGTERM');
  await once(child, 'exit');
  return elapsed;
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
