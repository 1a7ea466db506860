import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The inputs of the types: the project, its documents, and the generators. */
const SOURCES = ['.meshrc.yaml', 'openapi/**', 'package-lock.json'];

/** The file with the digest of the inputs of the existing types. */
const STAMP = join(ROOT, '.mesh/sources.sha256');

/** Generates the types of the project's mesh, unless they are up to date. */
const digest = digestSources();
if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== digest) {
  const { status } = spawnSync('mesh', ['build', '--fileType', 'js'], {
    cwd: ROOT,
    stdio: 'inherit',
    // npm adds the packages' commands to the path; on Windows they are scripts, which need a shell.
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
