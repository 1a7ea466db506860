import { execFile, spawn } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../src/demo/run-demo.ts';

/**
 * Prints how large the package is, packed and installed, and how long it takes from `npx duogate serve openapi.yaml` to
 * the first row: `node test/package/first-row.ts`.
 */

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const MIB = 1024 * 1024;

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

async function isThere(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'duogate-first-row-'));
const api = createServer((_, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('[{"userId":1,"id":1,"title":"First","body":"Hello"}]');
}).listen(0, '127.0.0.1');
try {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, maxBuffer: 64 * MIB });
  const [tarball = ''] = globSync('*.tgz', { cwd: folder });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  cpSync(join(ROOT, 'openapi/posts.yaml'), join(folder, 'openapi.yaml'));
  const begun = performance.now();
  await run('npm', ['install', '--no-audit', '--no-fund', `./${tarball}`], { cwd: folder });
  const installed = globSync('node_modules/**', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  console.log(`packed     ${(statSync(join(folder, tarball)).size / MIB).toFixed(1)} MiB`);
  console.log(`installed  ${(installed / MIB).toFixed(1)} MiB, in ${seconds(begun)}`);
  const port = await freePort(14_002);
  const upstream = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  for (const time of ['first', 'second']) {
    const started = performance.now();
    const words = ['duogate', 'serve', 'openapi.yaml', '--auth', 'off', '--port', String(port)];
    const served = spawn('npx', [...words, '--upstream', upstream], {
      cwd: folder,
      stdio: 'ignore',
      detached: true,
    });
    while (!(await isThere(`http://127.0.0.1:${port}/odata/Post?$top=1`))) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    console.log(`first row  ${seconds(started)}, the ${time} time`);
    const ended = new Promise((resolve) => served.on('exit', resolve));
    // npx starts the gateway in a process of its own.
    if (served.pid !== undefined) process.kill(-served.pid, 'SIGKILL');
    await ended;
  }
} finally {
  api.close();
  rmSync(folder, { recursive: true, force: true });
}
