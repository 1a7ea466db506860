import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { documentOf } from '../support/temporary-project.ts';
import { outcome, temporaryFile } from './command.ts';

const ROOT = join(import.meta.dirname, '../..');

function start(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd = ROOT,
): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/main.ts'), ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

describe('the command duogate', () => {
  it('exits with the code of what it ran', async () => {
    const child = start(['modell']);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    expect([code, stdout, stderr.slice(0, stderr.indexOf('\n\nUsage: duogate '))]).toStrictEqual([
      2,
      '',
      "Unknown command 'modell'.\n(Did you mean model?)",
    ]);
  });

  it('does not mind that nobody reads on', async () => {
    const child = start(['model', 'openapi/posts.yaml']);
    child.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, stderr]).toStrictEqual([0, '']);
  });

  it('ends when it has judged a password, before what it judged by would be given up by itself', async () => {
    const file = await temporaryFile('password', 'cobalt lantern orchard');
    const script = `exec "$0" "$1" user add anna@example.com --password-stdin < "$2"`;
    const child = spawn('sh', ['-c', script, process.execPath, join(ROOT, 'src/cli/main.ts'), file], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: join(dirname(file), 'accounts.sqlite') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, stderr]).toStrictEqual([0, '']);
  }, 40_000);

  it('serves the project until it is told to stop', async () => {
    const child = start(['serve'], { AUTH: 'off', PORT: '0' });
    let output = '';
    for await (const chunk of child.stdout) {
      output += String(chunk);
      if (output.includes('"serving"')) break;
    }
    const url = /"url":"([^"]+)"/.exec(output)?.[1];
    const answer = await fetch(`${url}/odata/$metadata`);
    await answer.arrayBuffer();
    child.kill('SIGTERM');
    expect([answer.status, await once(child, 'exit')]).toStrictEqual([200, [0, null]]);
  });

  it('takes no --upstream for a folder with a project', async () => {
    const folder = dirname(await temporaryFile('.meshrc.yaml', 'sources: []'));
    expect(await outcome(['serve', '.', '--upstream', 'http://127.0.0.1:1'], {}, '', folder)).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: '--upstream needs a FILE or a URL: a project says where its APIs are.\n',
    });
  });

  it('keeps accounts where DATABASE_URL says when it serves a file, too', async () => {
    const file = await temporaryFile('posts.yaml', documentOf('Post'));
    const folder = dirname(file);
    const database = join(folder, 'mine.sqlite');
    const serving = await outcome(['serve', file], { DATABASE_URL: database }, '', folder);
    expect([serving.code, serving.stderr, existsSync(database)]).toStrictEqual([0, '', true]);
    writeFileSync(join(folder, 'text.sqlite'), 'This is a text.');
    const refused = await outcome(['serve', file], { DATABASE_URL: join(folder, 'text.sqlite') }, '', folder);
    expect(refused).toStrictEqual({
      code: 1,
      stdout: '',
      stderr: 'The accounts database text.sqlite cannot be opened: file is not a database\n',
    });
  });

  it('waits for a database that cannot be reached yet when it serves a file', async () => {
    const file = await temporaryFile('posts.yaml', documentOf('Post'));
    const environment = { DATABASE_URL: 'postgres://duogate@127.0.0.1:1/none', DATABASE_WAIT_MS: '3000' };
    const child = start(['serve', file], environment, dirname(file));
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    expect([code, stdout.includes('waiting for it'), stderr]).toStrictEqual([
      1,
      true,
      'The accounts database postgres://127.0.0.1:1/none cannot be opened: connect ECONNREFUSED 127.0.0.1:1\n',
    ]);
  });

  it('says which settings it cannot serve with', async () => {
    const child = start(['serve']);
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, stderr]).toStrictEqual([
      1,
      'The configuration cannot be used:\n  - AUTH_SECRET is missing: give at least 32 random characters\n',
    ]);
  });
});
