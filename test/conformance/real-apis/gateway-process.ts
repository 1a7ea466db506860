import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import manifest from '../../../package.json' with { type: 'json' };

/** The gateway as `npm start` runs it, in a separate process whose time and memory can be measured. */
export interface GatewayProcess {
  readonly url: string;
  readonly startSeconds: number;
  /** Of memory, as soon as it served. */
  readonly startMegabytes: number;
  /** The entries of the log so far. */
  readonly entries: readonly LogEntry[];
  stop(): Promise<void>;
}

export type LogEntry = Readonly<Record<string, unknown>>;

const MAIN = join(import.meta.dirname, '../../../src/main.ts');
const START_FLAGS = manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'));

/** Starts it with the project, and waits until it serves. */
export async function startGatewayProcess(meshConfig: string): Promise<GatewayProcess> {
  const started = performance.now();
  const child = spawn(process.execPath, [...START_FLAGS, MAIN], {
    // Nothing of the tests' own environment: their runner says more than the gateway would like to hear.
    env: { AUTH: 'off', PORT: '0', MESH_CONFIG: meshConfig },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const entries: LogEntry[] = [];
  const errors: string[] = [];
  child.stderr.on('data', (data) => errors.push(String(data)));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The gateway did not start: ${errors.join('')}`)));
    createInterface(child.stdout).on('line', (line) => {
      const entry = readEntry(line);
      entries.push(entry);
      if (entry['msg'] === 'serving') resolve(String(entry['url']));
    });
  });
  const startSeconds = (performance.now() - started) / 1000;
  return {
    url,
    startSeconds,
    startMegabytes: await residentMegabytes(url),
    entries,
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function readEntry(line: string): LogEntry {
  const entry: unknown = JSON.parse(line);
  return typeof entry === 'object' && entry !== null ? { ...entry } : {};
}

async function residentMegabytes(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const [, bytes = '0'] = /^process_resident_memory_bytes (\S+)$/m.exec(metrics) ?? [];
  return Number(bytes) / 2 ** 20;
}
