import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LIBRARY_CALLS } from '../../src/demo/library-calls.ts';
import { samplePosts } from '../../src/demo/sample-upstream.ts';
import { type AtEnd, atEndOfFile } from '../support/end-of-file.ts';
import { freePort } from '../support/free-port.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
/** The path of a document that was passed to the demo. */
const GIVEN = 'openapi/demoonly.yaml';
const MAIN = join(ROOT, 'src/cli/main.ts');

type Demo = ChildProcessByStdio<null, Readable, Readable>;

/** A shared compile cache, which speeds up later demos. */
const NODE_COMPILE_CACHE = join(tmpdir(), 'duogate-compile-cache');

function spawnDemo(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  atEnd: AtEnd = onTestFinished,
): Demo {
  const child = spawn(process.execPath, [MAIN, 'demo', ...args], {
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => stop(child));
  return child;
}

/** Has it end by itself, so that it takes its folder away. */
async function stop(demo: Demo): Promise<void> {
  if (demo.exitCode !== null || demo.signalCode !== null) return;
  const exit = once(demo, 'exit');
  demo.kill('SIGTERM');
  await exit;
}

/** Reads what the demo says until it has said all of it. */
async function announcement(demo: Demo): Promise<string> {
  let output = '';
  for await (const chunk of demo.stdout) {
    output += String(chunk);
    if (output.includes('Ctrl-C')) return output;
  }
  throw new Error(`The demo ended after: ${output}`);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen.');
  return address.port;
}

/** The exit code, and what went to the two outputs. */
async function outcome(demo: Demo): Promise<readonly [number | null, string, string]> {
  const [output, errors, [code]] = await Promise.all([
    text(demo.stdout),
    text(demo.stderr),
    once(demo, 'exit'),
  ]);
  return [code, output, errors];
}

/** The announced commands. */
const commandsIn = (output: string): readonly string[] =>
  output.split('\n').filter((line) => line.startsWith('  curl '));

/** The response to a command, run in a shell as printed. */
async function pasted(command: string): Promise<string> {
  const failing = command.replace('curl ', 'curl --fail-with-body ');
  return (await run('bash', ['-c', failing])).stdout;
}

async function statusesOfUrls(output: string): Promise<readonly number[]> {
  const urls =
    output.match(/^ {2}[A-Z].*(http\S+)$/gm)?.map((line) => line.slice(line.indexOf('http'))) ?? [];
  return Promise.all(urls.map(async (url) => (await fetch(url)).status));
}

/** Of GraphQL alone, the fifth, nothing is read without an account. */
const STATUSES = [200, 200, 200, 200, expect.any(Number), 200];

// In their order: some commands change what others read.
describe('the demo of the library', { shuffle: false }, () => {
  let output = '';
  beforeAll(async () => {
    output = await announcement(
      spawnDemo(['--api', 'library'], { PORT: String(await freePort()) }, atEndOfFile),
    );
  });

  it('prints a line for each thing that the library has', () => {
    expect(commandsIn(output)).toHaveLength(LIBRARY_CALLS.length + 1);
  });

  it.each([...LIBRARY_CALLS.keys(), LIBRARY_CALLS.length])('prints line %i, which works', async (line) => {
    expect(await pasted(commandsIn(output)[line] ?? '')).not.toMatch(/^\{"errors":/);
  });

  it('prints URLs that work', async () => {
    expect(await statusesOfUrls(output)).toStrictEqual(STATUSES);
  });
});

describe('the demo', () => {
  it('prints lines that work when pasted, and stops at Ctrl-C', async () => {
    const demo = spawnDemo([], { PORT: String(await freePort()) });
    const output = await announcement(demo);
    const results = [];
    for (const command of commandsIn(output)) results.push(JSON.parse(await pasted(command)));
    const [list, filtered, created, graphql, withKey] = results;
    expect(results).toHaveLength(5);
    expect(withKey.value).toStrictEqual(list.value.slice(0, 1));
    expect(list.value.map((post: { Id: string }) => post.Id)).toStrictEqual(['1', '2']);
    expect(filtered.value).toHaveLength(10);
    expect(Object.keys(filtered.value[0])).toStrictEqual(['Id', 'Title']);
    expect(created).toMatchObject({ UserId: 1, Id: '101', Title: 'Hello', Body: null });
    expect(graphql.data.posts).toStrictEqual(
      samplePosts().map(({ id, title }) => ({ id: String(id), title })),
    );
    expect(await statusesOfUrls(output)).toStrictEqual(STATUSES);
    const exit = once(demo, 'exit');
    demo.kill('SIGINT');
    expect(await exit).toStrictEqual([0, null]);
  });

  it('makes an account that one can sign in with', async () => {
    const demo = spawnDemo([], { PORT: String(await freePort()) });
    const output = await announcement(demo);
    const [, email, password] = /Account +(\S+), password (\S+)$/m.exec(output) ?? [];
    const [, url] = /Start here +(\S+)\/$/m.exec(output) ?? [];
    const signIn = async (tried: string) =>
      (
        await fetch(`${url}/api/auth/sign-in/email`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email, password: tried }),
        })
      ).status;
    expect([await signIn(password ?? ''), await signIn('password')]).toStrictEqual([200, 401]);
    expect((await fetch(`${url}/odata`)).status).toBe(401);
  });

  it('lets the account register an API, and keeps nothing of it', async () => {
    const demo = spawnDemo([], { PORT: String(await freePort()) });
    const output = await announcement(demo);
    const [, token = ''] = /Authorization: Bearer (\S+)'/.exec(output) ?? [];
    const [, url = ''] = /Register an API +(\S+)\/app\/apis$/m.exec(output) ?? [];
    const register = (body: object) =>
      fetch(`${url}/api/registry`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify(body),
      });
    const document = await readFile(join(ROOT, 'openapi/posts.yaml'), 'utf8');
    const answer = await register({ name: 'DemoOnly', fileName: 'demo-only.yaml', document });
    expect([answer.status, await answer.json()]).toMatchObject([201, { file: GIVEN }]);
    const names = (await readdir(tmpdir())).filter((name) => name.startsWith('duogate-demo-'));
    const folders = names
      .map((name) => join(tmpdir(), name))
      .filter((folder) => existsSync(join(folder, 'project', GIVEN)));
    expect([existsSync(join(ROOT, GIVEN)), folders.length]).toStrictEqual([false, 1]);
    await stop(demo);
    expect(folders.filter((folder) => existsSync(folder))).toStrictEqual([]);
  });

  it('takes the next port when the default one is taken', async () => {
    const server = createServer().listen(4000, '127.0.0.1');
    // The port may be in use already.
    server.on('error', () => {});
    onTestFinished(() => {
      server.close();
    });
    const output = await announcement(spawnDemo([], {}));
    expect(output).toMatch(/^Port 4000 is taken, so this is (40\d\d)\.\n\n[\s\S]*127\.0\.0\.1:\1\/odata/);
  });

  it('does not take another port than the one it was given', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    const port = portOf(server);
    const message = `Port ${port} is in use. Stop the program that listens there, or set PORT to another port.\n`;
    expect(await outcome(spawnDemo([], { PORT: String(port) }))).toStrictEqual([1, '', message]);
  });

  it('says every mistake in its environment', async () => {
    const demo = spawnDemo([], { PORT: 'x', LOG_LEVEL: 'y' });
    expect(await outcome(demo)).toStrictEqual([
      1,
      '',
      `The configuration cannot be used:
  - PORT must be a whole number from 0 to 65535, but is "x"
  - LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but is "y"
`,
    ]);
  });
});
