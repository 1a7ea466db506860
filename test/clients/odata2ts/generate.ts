import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Demo } from '../support/demo.ts';

const run = promisify(execFile);
const CLIENTS = join(import.meta.dirname, '..');
const GENERATOR = join(CLIENTS, 'node_modules/@odata2ts/odata2ts/lib/run-cli.js');
const COMPILER = join(CLIENTS, 'node_modules/typescript/bin/tsc');

/** Makes TypeScript of the service's `$metadata`, as `npx odata2ts` does. */
export async function generate(demo: Demo, name: string, serviceName: string): Promise<void> {
  const folder = join(CLIENTS, 'dist/odata2ts', name);
  const metadata = await fetch(`${demo.url}/odata/$metadata`, {
    headers: { authorization: demo.authorization },
  });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'metadata.xml'), await metadata.text());
  const options = ['--mode', 'all', '--emit-mode', 'ts', '--allow-renaming', '--service-name', serviceName];
  const files = ['--source', join(folder, 'metadata.xml'), '--output', folder];
  const config = ['--tsconfig', 'odata2ts/tsconfig.json'];
  await run(process.execPath, [GENERATOR, ...options, ...files, ...config], { cwd: CLIENTS });
}

/** The compiler's errors in the apps and the generated code. */
export async function compile(): Promise<string> {
  const command = [COMPILER, '-p', join(import.meta.dirname, 'tsconfig.json')];
  return run(process.execPath, command).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  );
}
