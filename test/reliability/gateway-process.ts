import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { atEndOfFile } from '../support/end-of-file.ts';
import { createMemoryGroup } from './memory-group.ts';

const ROOT = join(import.meta.dirname, '../..');
const MIB = 1024 * 1024;

/** The image's settings for the C library. */
const MALLOC = Object.fromEntries(
  [...readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8').matchAll(/\b(MALLOC_\w+)=(\d+)/g)].map(
    ([, name = '', value = '']) => [name, value],
  ),
);

/** The gateway as the image runs it: a process of its own, with no flag of Node's. */
export interface GatewayProcess {
  readonly url: string;
  /** The URL of its health port, which responds even if the main thread is busy. */
  readonly healthUrl: string;
  readonly process: ChildProcess;
  /** The code and the signal that it ended with. */
  readonly exit: Promise<readonly [number | null, NodeJS.Signals | null]>;
  /** The entries of the log so far. */
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  /** The most memory that it has ever taken, in MiB; undefined where the system does not say. */
  peak(): number | undefined;
  stop(): Promise<void>;
}

export interface ProcessOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The memory of a container; the system ends a process that exceeds it. */
  readonly memoryMib?: number;
  /** The value of `ulimit -n`. */
  readonly descriptors?: number;
}

let started = 0;

/** Starts it and waits until it serves. */
export async function startGatewayProcess(options: ProcessOptions): Promise<GatewayProcess> {
  const { environment = {}, memoryMib, descriptors } = options;
  started += 1;
  const group = memoryMib === undefined ? undefined : createMemoryGroup(String(started), memoryMib * MIB);
  if (memoryMib !== undefined && group === undefined) {
    console.warn('Memory is watched, not limited: no group of processes can be made here.');
  }
  // Node derives its heap size from the memory group; without one, it needs an option.
  const flags =
    memoryMib === undefined || group !== undefined ? [] : [`--max-old-space-size=${memoryMib / 2}`];
  const answers =
    memoryMib === undefined || group !== undefined
      ? {}
      : { ANSWERS_MIB: String(Math.floor(memoryMib * 0.3)) };
  const words = [
    ...(group === undefined ? [] : [`echo $$ > ${group.members}`]),
    ...(descriptors === undefined ? [] : [`ulimit -n ${descriptors}`]),
    'exec "$@"',
  ];
  const command = [process.execPath, ...flags, join(ROOT, 'lib/bundle/main.js')];
  const child = spawn('sh', ['-c', words.join(' && '), 'sh', ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    // Vitest sets variables of its own that mean something here, such as BASE_URL.
    env: {
      AUTH: 'off',
      PORT: '0',
      HEALTH_PORT: '0',
      LOG_LEVEL: 'info',
      ...MALLOC,
      ...answers,
      ...environment,
    },
  });
  // A test that takes too long may leave it: Vitest would wait for what it holds open.
  atEndOfFile(() => void child.kill('SIGKILL'));
  const entries: Readonly<Record<string, unknown>>[] = [];
  const exit = once(child, 'exit').then(([code, signal]) => {
    group?.remove();
    return [code, signal] as const;
  });
  const serving = await new Promise<Readonly<Record<string, unknown>>>((resolve, reject) => {
    exit.then((ended) => reject(new Error(`It ended with ${ended} before it served.`)));
    createInterface(child.stdout).on('line', (line) => {
      const entry = JSON.parse(line);
      if (entry.msg !== 'request') entries.push(entry);
      if (entry.msg === 'serving') resolve(entry);
    });
  });
  return {
    url: String(serving['url']),
    healthUrl: String(serving['healthUrl']),
    process: child,
    exit,
    entries,
    peak: () => peakOf(child.pid),
    async stop() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

function peakOf(pid: number | undefined): number | undefined {
  try {
    const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return kib === undefined ? undefined : Number(kib) / 1024;
  } catch {
    return undefined;
  }
}
