import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds the screens of src/web into dist/web, where that has not been done for these sources. They are a
 * package of their own, so that none of their packages is installed where only the server runs.
 *
 * `--optional`: without them the server serves all else, so a failure is told and is none.
 */

const ROOT = join(import.meta.dirname, '../..');
const WEB = join(ROOT, 'src/web');
/** Holds the digest of the sources that the build was made of. */
const STAMP = join(ROOT, 'dist/web.sha256');

function digestSources(): string {
  const hash = createHash('sha256');
  const files = globSync('**/*.*', {
    cwd: WEB,
    exclude: (path) => path.endsWith('node_modules'),
  });
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(WEB, file)));
  return hash.digest('hex');
}

function isBuilt(digest: string): boolean {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digest;
}

/** Says whether the command came to a good end; what it wrote is shown where it did not. */
function run(...command: readonly string[]): boolean {
  const shell = process.platform === 'win32';
  const { status, stdout, stderr } = spawnSync('npm', command, { cwd: WEB, encoding: 'utf8', shell });
  if (status !== 0) console.error(`npm ${command.join(' ')} failed in src/web.\n${stdout}${stderr}`);
  return status === 0;
}

function build(digest: string): boolean {
  console.log('Building the web screens, which takes some seconds, once …');
  rmSync(STAMP, { force: true });
  if (!run('ci') || !run('run', 'build')) return false;
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(STAMP, digest);
  return true;
}

const digest = digestSources();
const isOptional = process.argv.includes('--optional');
if (!isBuilt(digest) && !build(digest)) {
  if (isOptional) console.error('The web screens are left out. To build them: npm run build');
  else process.exitCode = 1;
}
