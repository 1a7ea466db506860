import { spawn } from 'node:child_process';
import { once } from 'node:events';
import autocannon from 'autocannon';
import type { MeteredServer } from './metered-server.ts';

/** A repeated request: a GET, or a POST of JSON. */
export interface Load {
  readonly path: string;
  /** Each request has another number for `{key}` in the path, from 1 to this. */
  readonly keys?: number;
  readonly body?: string;
  /** Header fields of each request, by how many there have been before it. */
  readonly headersOf?: (asked: number) => Readonly<Record<string, string>>;
  /** The number of connections, if fewer suffice for heavy requests. */
  readonly connections?: number;
}

export interface Measurement {
  readonly perSecond: number;
  /** Microseconds of the server's processor time for each request. */
  readonly cpuPerRequest: number;
}

/** One round of it. */
export interface Round extends Measurement {
  /** Milliseconds that one answer in a hundred takes longer than. */
  readonly p99: number;
}

export interface Subject {
  readonly server: MeteredServer;
  readonly load: Load;
}

const ROUNDS = 5;
/** Steady states are compared: V8 has optimised the few functions of a proxy long before those of a gateway. */
const WARM_UP_ROUNDS = 5;
const ROUND_SECONDS = Number(process.env['BENCH_SECONDS'] ?? 1);
const FEW = 2;

/**
 * Measures the subjects in turn, round after round, and gives the middle of each one's rounds: whatever
 * else the machine is doing then disturbs all of them alike.
 */
export async function measureAll(
  subjects: readonly Subject[],
  connections: number,
): Promise<readonly Measurement[]> {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const subject of subjects) await measure(subject, connections);
  }
  const rounds: Measurement[][] = subjects.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, subject] of subjects.entries()) {
      rounds[index]?.push(await measure(subject, connections));
    }
  }
  return rounds.map((measurements) => ({
    perSecond: middle(measurements.map(({ perSecond }) => perSecond)),
    cpuPerRequest: middle(measurements.map(({ cpuPerRequest }) => cpuPerRequest)),
  }));
}

/** Every answer must be a 200. */
export async function measure({ server, load }: Subject, usual: number): Promise<Round> {
  const { connections = usual } = load;
  const before = await server.cpuTime();
  const { requests, latency, duration, non2xx, errors } = await autocannon({
    url: `${server.url}${load.path}`,
    connections,
    // A few slow answers need longer: requests that are under way at the end are not counted.
    duration: connections > FEW ? ROUND_SECONDS : ROUND_SECONDS * 3,
    timeout: 60,
    headers: { ...server.headers, ...(load.body !== undefined && { 'content-type': 'application/json' }) },
    ...(load.body !== undefined && { method: 'POST', body: load.body }),
    ...((load.keys ?? load.headersOf) !== undefined && { requests: [{ setupRequest: askInTurn(load) }] }),
  });
  const cpu = (await server.cpuTime()) - before;
  if (non2xx + errors > 0) throw new Error(`${load.path}: ${non2xx + errors} requests failed.`);
  return { perSecond: requests.total / duration, cpuPerRequest: cpu / requests.total, p99: latency.p99 };
}

/** Gives each request the next one of the keys, and header fields of its own. */
function askInTurn({ path, keys = 1, headersOf }: Load): (request: autocannon.Request) => autocannon.Request {
  let requested = 0;
  return (request) => {
    const number = requested++;
    return {
      ...request,
      path: path.replace('{key}', `${1 + (number % keys)}`),
      ...(headersOf && { headers: { ...request.headers, ...headersOf(number) } }),
    };
  };
}

/** Seconds from the start of the process to the first answer that says ready, the middle of five. */
export async function timeToReady(
  main: string,
  environment: Readonly<Record<string, string>>,
): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < ROUNDS; run++)
    times.push(await startOnce(main, { ...environment, PORT: String(4_200 + run) }));
  return middle(times) / 1_000;
}

async function startOnce(main: string, environment: Readonly<Record<string, string>>): Promise<number> {
  const started = performance.now();
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

export function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
