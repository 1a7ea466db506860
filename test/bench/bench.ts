import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { measureCompiling } from './compiling.ts';
import { drawCurves } from './curves/draw-curves.ts';
import { measureInTurns } from './in-turns.ts';
import { type Measurement, measureAll, timeToReady } from './measure.ts';
import { measurePeers } from './measure-peers.ts';
import { type MeteredServer, startServer } from './metered-server.ts';
import { type Reference, ROWS, type Row, type Yardstick } from './rows.ts';
import { measureSerialising } from './serialising.ts';
import { ACCOUNTS, signedIn } from './signed-in.ts';

/**
 * Holds the gateway against a plain reverse proxy and against the same work written by hand, all in one
 * run on this machine: ratios mean something, absolute figures only here. Who asks the gateway has signed in.
 */

/**
 * `npm run bench -- GraphQL` measures the rows that have this in their names, and nothing else;
 * `npm run bench -- --curves rows` draws the curves that are named, or all where none is;
 * `npm run bench -- --peers` measures servers of others beside ours, those of the folder `peers`.
 */
const [, , ONLY = '', ...NAMES] = process.argv;

const CONNECTIONS = 16;
/** In seconds. */
const READY_MUST = 0.35;

if (ONLY === '--curves') await drawCurves(NAMES);
else if (ONLY === '--peers') await measurePeers();
else await main();

async function main(): Promise<void> {
  const upstream = await startServer('upstream');
  const environment = { UPSTREAM_URL: upstream.url, PORT: '0', HOST: '127.0.0.1' };
  const open = { ...environment, AUTH: 'off' };
  const servers = {
    gateway: await startServer('gateway', { ...environment, ...ACCOUNTS }),
    open: await startServer('gateway', open),
    proxy: await startServer('proxy', environment),
    floor: await startServer('floor', environment),
    bare: await startServer('bare', environment),
  };
  const named = ROWS.filter(({ work }) => work.includes(ONLY));
  for (const wanted of named) {
    await upstream.tell(wanted.mode);
    await measureRow(wanted, { ...servers, gateway: await signedIn(servers.gateway) });
  }
  await Promise.all([upstream, ...Object.values(servers)].map((server) => server.stop()));
  if (ONLY !== '') return;
  for (const { metadata, ratio, ratioWithBytes, must } of await measureSerialising()) {
    const figure = `${ratio.toFixed(2)} × JSON.stringify's time`;
    const withBytes = `${ratioWithBytes.toFixed(2)} × that of the text and its bytes`;
    print(`write 10,000 rows, ${metadata} metadata`, figure, `must ${must}`, ratio <= must, withBytes);
  }
  const compiling = measureCompiling();
  print('parse and compile a filter of 100 nodes', `${compiling.toFixed(2)} ms`, 'must 1', compiling <= 1);
  await measureStart(open);
}

type Servers = Readonly<Record<Reference | 'gateway', MeteredServer>>;

async function measureRow(wanted: Row, servers: Servers): Promise<void> {
  const { yardstick, gateway, beside = [] } = wanted;
  const subjects = [
    { server: servers[yardstick.server], load: yardstick.load },
    { server: servers.gateway, load: gateway },
    ...beside.map((name) => ({ server: servers[name], load: yardstick.load })),
  ];
  const [theirs, ours, ...others] =
    yardstick.by === 'answer' ? await measureInTurns(subjects) : await measureAll(subjects, CONNECTIONS);
  if (theirs === undefined || ours === undefined) return;
  report(wanted, theirs, ours);
  for (const [index, name] of beside.entries()) {
    const other = others[index];
    if (other !== undefined)
      console.log(`${''.padEnd(40)} ${name}: ${ratioTo(theirs, other)} × proxy, ${describe(other)}`);
  }
}

function report({ work, yardstick, must }: Row, theirs: Measurement, ours: Measurement): void {
  const { value, unit } = valueBy(yardstick, theirs, ours);
  const isReached = yardstick.by === 'rate' ? value >= must : value <= must;
  const figures = `gateway ${describe(ours)}; ${yardstick.server} ${describe(theirs)}`;
  print(work, `${value.toFixed(2)} ${unit}`, `must ${must}`, isReached, figures);
}

function valueBy({ by, server, times }: Yardstick, theirs: Measurement, ours: Measurement) {
  switch (by) {
    case 'rate':
      return { value: ours.perSecond / theirs.perSecond, unit: `× ${server}` };
    case 'time':
    case 'answer':
      return { value: theirs.perSecond / ours.perSecond / times, unit: `× ${server}'s time` };
    case 'extra':
      return { value: ours.cpuPerRequest - theirs.cpuPerRequest, unit: 'µs more' };
  }
}

function print(work: string, figure: string, bound: string, isReached: boolean, figures = ''): void {
  const verdict = isReached ? 'reached' : 'NOT REACHED';
  console.log(`${work.padEnd(40)} ${figure}`.padEnd(66), `${bound}: ${verdict}`.padEnd(30), figures);
}

function ratioTo(theirs: Measurement, other: Measurement): string {
  return (other.perSecond / theirs.perSecond).toFixed(2);
}

function describe({ perSecond, cpuPerRequest }: Measurement): string {
  return `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s at ${cpuPerRequest.toFixed(0)} µs`;
}

/** Of the package as it is published, and of the sources, which developers run. */
async function measureStart(environment: Readonly<Record<string, string>>): Promise<void> {
  execFileSync(process.execPath, [fileIn('src/cli/build-lib.ts')]);
  const packed = await timeToReady(fileIn('lib/bundle/main.js'), environment);
  print(
    'ready after start, the package',
    `${packed.toFixed(2)} s`,
    `must ${READY_MUST}`,
    packed <= READY_MUST,
  );
  const sources = await timeToReady(fileIn('src/main.ts'), environment);
  console.log(`${'ready after start, the sources'.padEnd(40)} ${sources.toFixed(2)} s`);
}

function fileIn(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
