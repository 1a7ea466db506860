import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createProject, sourceOf } from '../support/temporary-project.ts';
import { startServer } from './metered-server.ts';

/** Starts so often, and takes the least: what else the machine does only adds to it. */
const STARTS = 3;

/** Seconds until it served, seconds of processor time, and megabytes of memory. */
export interface Start {
  readonly seconds: number;
  readonly cpu: number;
  readonly resident: number;
  /** Seconds of processor time behind that until the first GraphQL query was answered, for which the schema is made. */
  readonly graphql: number;
  /** Megabytes of memory behind it. */
  readonly residentGraphql: number;
}

/** Builds the code of the server `package`. */
export function buildPackage(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../src/cli/build-lib.ts', import.meta.url))]);
}

/** Starts a gateway that serves a document of this name. */
export async function leastStart(server: string, name: string, text: string): Promise<Start> {
  const measured: Start[] = [];
  for (let run = 0; run < STARTS; run += 1) measured.push(await startOnce(server, name, text));
  const least = (figure: keyof Start) =>
    Math.round(Math.min(...measured.map((each) => each[figure])) * 100) / 100;
  return {
    seconds: least('seconds'),
    cpu: least('cpu'),
    resident: least('resident'),
    graphql: least('graphql'),
    residentGraphql: least('residentGraphql'),
  };
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
  const residentGraphql = (await gateway.memory()) / 2 ** 20;
  await gateway.stop();
  for (const stop of ends) await stop();
  return { seconds, cpu, resident, graphql, residentGraphql };
}

async function askGraphQL(url: string): Promise<void> {
  const { status } = await fetch(`${url}/graphql?query=%7B__typename%7D`);
  if (status !== 200) throw new Error(`GraphQL answered with ${status}.`);
}
