import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** What decides on the types: the project, its documents, and the packages that generate them. */
const SOURCES = ['.meshrc.yaml', 'openapi/**', 'package-lock.json'];

/** Holds the digest of the sources that the types were generated from. */
const STAMP = join(ROOT, '.mesh/sources.sha256');

/** Generates the types of the project's mesh where that has not been done for these sources. */
const digest = digestSources();
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digest) {
  const { status } = spawnSync('mesh', ['build', '--fileType', 'js'], {
    cwd: ROOT,
    stdio: 'inherit',
    // npm puts the packages' commands on the path; on Windows they are scripts, which need a shell.
    shell: process.platform === 'win32',
  });
  if (status === 0) writeFileSync(STAMP, digest);
  else process.exitCode = 1;
}

function digestSources(): string {
  const hash = createHash('sha256');
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => statSync(join(ROOT, file)).isFile());
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}
