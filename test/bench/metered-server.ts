import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };

/** The flags of Node that `npm start` runs the gateway with. */
const START_FLAGS = manifest.scripts.start.split(' ').filter((word) => word.startsWith('--'));

/** A server in a separate process, whose processor time can be measured. */
export interface MeteredServer {
  readonly url: string;
  /** Header fields of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Microseconds of processor time that the process has used since it started. */
  cpuTime(): Promise<number>;
  /** The longest time since the last call that it held its event loop, in milliseconds of processor time. */
  longestHold(): Promise<number>;
  /** Bytes of memory that the process takes. */
  memory(): Promise<number>;
  /** Hands a message to the server and waits until it has been taken. */
  tell(message: object): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server of the folder `servers`; it says its URL when it listens. */
export async function startServer(
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<MeteredServer> {
  const child = fork(fileURLToPath(new URL(`./servers/${name}.ts`, import.meta.url)), {
    env: { ...process.env, ...environment },
    execArgv: name === 'gateway' || name === 'package' ? START_FLAGS : [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = String(await nextMessage(child));
  return {
    url,
    cpuTime: async () => Number(await ask(child, 'cpuTime')),
    longestHold: async () => Number(await ask(child, 'longestHold')),
    memory: async () => Number(await ask(child, 'memory')),
    tell: async (message) => {
      await ask(child, message);
    },
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function ask(child: ChildProcess, message: string | object): Promise<unknown> {
  const answer = nextMessage(child);
  child.send(message);
  return answer;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error('A server ended before it answered.'));
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('exit', fail);
      resolve(message);
    });
  });
}
