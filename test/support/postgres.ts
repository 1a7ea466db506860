import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

const run = promisify(execFile);

/** A PostgreSQL server of a test's own, on the loopback address. */
export interface Postgres {
  readonly url: string;
  start(): Promise<void>;
  /** Breaks all connections. */
  stop(): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

/** The usual paths of the server's programs on Debian and others, and with Homebrew. */
const PROGRAMS = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/usr/bin',
];

const BIN = globSync(PROGRAMS).findLast((directory) => existsSync(join(directory, 'pg_ctl')));

/** True if PostgreSQL is installed. */
export const HAS_POSTGRES = BIN !== undefined;

/** Creates a server that does not run yet. */
export async function createPostgres(): Promise<Postgres> {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-postgres-'));
  const data = join(directory, 'data');
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await giveToPostgres(directory);
  const port = await freePort();
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  // PostgreSQL refuses to run as root.
  const command = async (program: string, ...args: readonly string[]): Promise<void> => {
    const path = join(BIN ?? '', program);
    if (isRoot) await run('runuser', ['-u', 'postgres', '--', path, ...args], { cwd: directory });
    else await run(path, args, { cwd: directory });
  };
  const stop = () => command('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
  await command('initdb', '-D', data, '-U', 'duogate', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  return {
    url: `postgres://duogate@127.0.0.1:${port}/postgres`,
    start: () => command('pg_ctl', '-D', data, '-o', settings, '-l', join(directory, 'log'), '-w', 'start'),
    stop,
    async remove() {
      await stop().catch(() => {});
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const POOLER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find((path) =>
  existsSync(path),
);

/** True if PgBouncer is installed. */
export const HAS_POOLER = HAS_POSTGRES && POOLER !== undefined;

/** Starts a PgBouncer in front of a server, which gives each transaction any of a few connections; returns its URL. */
export async function startPooler({ url }: Postgres, atEnd: (stop: () => void) => void): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'duogate-pooler-'));
  const port = await freePort();
  const server = new URL(url);
  const settings = join(directory, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
postgres = host=${server.hostname} port=${server.port} user=duogate
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await giveToPostgres(directory);
  const command = isRoot ? ['runuser', '-u', 'postgres', '--', POOLER ?? ''] : [POOLER ?? ''];
  const child = spawn(command[0] ?? '', [...command.slice(1), settings], { cwd: directory, stdio: 'ignore' });
  atEnd(() => {
    child.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  return `postgres://duogate@127.0.0.1:${port}/postgres`;
}

async function giveToPostgres(directory: string): Promise<void> {
  const id = async (option: string) => Number((await run('id', [option, 'postgres'])).stdout);
  chownSync(directory, await id('-u'), await id('-g'));
}
