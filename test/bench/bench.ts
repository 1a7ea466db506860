import { type Load, type Measurement, measureAll, timeToReady } from './measure.ts';
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
  readonly yardstick: Yardstick;
  readonly must: number;
  readonly aim: number;
  /** Servers that are measured beside the two, for what their figures tell. */
  readonly beside?: readonly Reference[];
}

type Reference = 'proxy' | 'floor' | 'bare';

/** At least so many times the proxy's requests per second, or at most so many times the floor's time. */
interface Yardstick {
  readonly server: 'proxy' | 'floor';
  readonly load: Load;
}

const PROXIED_LIST: Yardstick = { server: 'proxy', load: { path: '/posts' } };
const PROXIED_POST: Yardstick = { server: 'proxy', load: { path: '/posts/7' } };
const byHand = (path: string): Yardstick => ({ server: 'floor', load: { path } });
const TOP_BY_HAND = byHand('/top');
const GROUPS_BY_HAND = byHand('/groups');
const SEARCH_BY_HAND = byHand('/search');

const LIST: Load = { path: '/odata/Post' };
const POST: Load = { path: "/odata/Post('7')" };
const TOP: Load = {
  path: "/odata/Post?$filter=contains(Title,'cedar')%20and%20UserId%20gt%205&$orderby=Title%20desc&$top=10",
};
const GROUPS: Load = { path: '/odata/Post?$apply=groupby((UserId),aggregate($count%20as%20N))' };
const SEARCH: Load = { path: '/odata/Post?$search=%22juniper%2096%22' };
const GRAPHQL: Load = { path: '/graphql', body: JSON.stringify({ query: '{posts{userId id title body}}' }) };

const unchanged = (rows: number): UpstreamMode => ({ rows, changing: false, etag: false });
const tagged = (rows: number): UpstreamMode => ({ rows, changing: false, etag: true });
const changing = (rows: number): UpstreamMode => ({ rows, changing: true, etag: false });

function row(
  work: string,
  mode: UpstreamMode,
  gateway: Load,
  yardstick: Yardstick,
  must: number,
  aim: number,
  beside: readonly Reference[] = [],
): Row {
  return { work, mode, gateway, yardstick, must, aim, beside };
}

const ROWS: readonly Row[] = [
  row('list of 100, changed at every read', changing(100), LIST, PROXIED_LIST, 0.35, 0.5),
  row('list of 100, unchanged, no ETag', unchanged(100), LIST, PROXIED_LIST, 1, 1.3, ['bare']),
  row('list of 100, unchanged, ETag', tagged(100), LIST, PROXIED_LIST, 1.2, 1.8, ['bare']),
  row('by key, unchanged', unchanged(100), POST, PROXIED_POST, 0.6, 1),
  row('filter, order, top of 10,000, changed', changing(10_000), TOP, TOP_BY_HAND, 1.3, 1.1),
  row('filter, order, top of 100,000, changed', changing(100_000), TOP, TOP_BY_HAND, 1.3, 1.1),
  row('groups of 10,000, changed', changing(10_000), GROUPS, GROUPS_BY_HAND, 1.3, 1.1),
  row('groups of 100,000, changed', changing(100_000), GROUPS, GROUPS_BY_HAND, 1.3, 1.1),
  row('search of 10,000, changed', changing(10_000), SEARCH, SEARCH_BY_HAND, 1.3, 1.1),
  row('search of 100,000, changed', changing(100_000), SEARCH, SEARCH_BY_HAND, 1.3, 1.1),
  row('GraphQL list of 100', unchanged(100), GRAPHQL, PROXIED_LIST, 0.2, 0.35),
];

const READY_MUST = 1;
const READY_AIM = 0.5;

await main();

async function main(): Promise<void> {
  const upstream = await startServer('upstream');
  const environment = { UPSTREAM_URL: upstream.url, PORT: '0', HOST: '127.0.0.1', AUTH: 'off' };
  const servers = {
    gateway: await startServer('gateway', environment),
    proxy: await startServer('proxy', environment),
    floor: await startServer('floor', environment),
    bare: await startServer('bare', environment),
  };
  for (const wanted of ROWS) {
    await upstream.tell(wanted.mode);
    await measureRow(wanted, servers);
  }
  await Promise.all([upstream, ...Object.values(servers)].map((server) => server.stop()));
  await measureStart(environment);
}

type Servers = Readonly<Record<Reference | 'gateway', MeteredServer>>;

async function measureRow(wanted: Row, servers: Servers): Promise<void> {
  const { yardstick, gateway, beside = [], mode } = wanted;
  const [theirs, ours, ...others] = await measureAll(
    [
      { server: servers[yardstick.server], load: yardstick.load },
      { server: servers.gateway, load: gateway },
      ...beside.map((name) => ({ server: servers[name], load: yardstick.load })),
    ],
    mode.rows >= 100_000 ? 2 : mode.rows >= 10_000 ? 4 : 16,
  );
  if (theirs === undefined || ours === undefined) return;
  report(wanted, theirs, ours);
  for (const [index, name] of beside.entries()) {
    const other = others[index];
    if (other !== undefined)
      console.log(`${''.padEnd(40)} ${name}: ${ratioTo(theirs, other)} × proxy, ${describe(other)}`);
  }
}

function report({ work, yardstick, must, aim }: Row, theirs: Measurement, ours: Measurement): void {
  const rate = ours.perSecond / theirs.perSecond;
  const isProxy = yardstick.server === 'proxy';
  const ratio = isProxy ? rate : 1 / rate;
  const verdict = (isProxy ? ratio >= must : ratio <= must) ? 'reached' : 'MISSED';
  const unit = isProxy ? '× proxy' : "× floor's time";
  const figure = `${work.padEnd(40)} ${ratio.toFixed(2)} ${unit}`.padEnd(62);
  const bound = `must ${must}, aim ${aim}: ${verdict}`.padEnd(30);
  console.log(`${figure} ${bound} gateway ${describe(ours)}; ${yardstick.server} ${describe(theirs)}`);
}

function ratioTo(theirs: Measurement, other: Measurement): string {
  return (other.perSecond / theirs.perSecond).toFixed(2);
}

function describe({ perSecond, cpuPerRequest }: Measurement): string {
  return `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s at ${cpuPerRequest.toFixed(0)} µs`;
}

async function measureStart(environment: Readonly<Record<string, string>>): Promise<void> {
  const seconds = await timeToReady(environment);
  const verdict = seconds <= READY_MUST ? 'reached' : 'MISSED';
  const figure = `${'ready after start'.padEnd(40)} ${seconds.toFixed(2)} s`.padEnd(62);
  console.log(`${figure} must ${READY_MUST}, aim ${READY_AIM}: ${verdict}`);
}
