import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { createProject, sourceOf } from '../support/temporary-project.ts';
import { largeDocument } from './large-document.ts';
import { startServer } from './metered-server.ts';

/** What the start of a gateway may cost that serves a document as large as GitHub's. */
const SECONDS_MUST = 3;
const MEGABYTES_MUST = 500;
/** What its GraphQL schema may take, as long as a gateway of one small document may take to start. */
const GRAPHQL_MUST = 1;

/** Starts so often, and takes the least: what else the machine does only adds to it. */
const STARTS = 3;

/** What users run, and what developers do. */
const GATEWAYS = { package: 'package', sources: 'gateway' } as const;

/** Measures the start with each of the documents that are named, which may be gzipped, and with a large one. */
execFileSync(process.execPath, [fileURLToPath(new URL('../../src/cli/build-lib.ts', import.meta.url))]);
const files = process.argv.slice(2).map((path) => {
  const bytes = readFileSync(path);
  const isPacked = path.endsWith('.gz');
  return { name: basename(path, '.gz'), text: (isPacked ? gunzipSync(bytes) : bytes).toString() };
});
const rows = [];
for (const { name, text } of [...files, { name: 'large.json', text: largeDocument() }]) {
  for (const [started, server] of Object.entries(GATEWAYS)) {
    rows.push({ document: name, MB: megabytesOf(text), started, ...(await startWith(server, name, text)) });
  }
}
console.table(rows);
console.log(
  `The large one must start within ${SECONDS_MUST} s, with ${MEGABYTES_MUST} MB, and make its schema within ${GRAPHQL_MUST} s.`,
);

async function startWith(server: string, name: string, text: string) {
  const measured: Start[] = [];
  for (let run = 0; run < STARTS; run += 1) measured.push(await startOnce(server, name, text));
  const least = (figure: keyof Start) =>
    Math.round(Math.min(...measured.map((each) => each[figure])) * 100) / 100;
  return {
    seconds: least('seconds'),
    cpu: least('cpu'),
    resident: least('resident'),
    graphql: least('graphql'),
  };
}

/** Seconds until it served, seconds of processor time, and megabytes of memory. */
interface Start {
  readonly seconds: number;
  readonly cpu: number;
  readonly resident: number;
  /** Seconds of processor time behind that until the first GraphQL query was answered, for which the schema is made. */
  readonly graphql: number;
}

async function startOnce(server: string, name: string, text: string): Promise<Start> {
  const ends: (() => void | Promise<void>)[] = [];
  const source = sourceOf('Api', `./${name}`, 'http://127.0.0.1:9');
  const files = { [name]: text, '.meshrc.yaml': `sources:\n${source}` };
  const project = createProject(files, (stop) => void ends.unshift(stop));
  const started = performance.now();
  const gateway = await startServer(server, {
    AUTH: 'off',
    PORT: '0',
    MESH_CONFIG: project.path('.meshrc.yaml'),
  });
  const seconds = (performance.now() - started) / 1000;
  const cpu = (await gateway.cpuTime()) / 1e6;
  const resident = (await gateway.memory()) / 2 ** 20;
  await askGraphQL(gateway.url);
  const graphql = (await gateway.cpuTime()) / 1e6 - cpu;
  await gateway.stop();
  for (const stop of ends) await stop();
  return { seconds, cpu, resident, graphql };
}

async function askGraphQL(url: string): Promise<void> {
  const { status } = await fetch(`${url}/graphql?query=%7B__typename%7D`);
  if (status !== 200) throw new Error(`GraphQL answered with ${status}.`);
}

function megabytesOf(text: string): number {
  return Math.round(text.length / 1e5) / 10;
}
