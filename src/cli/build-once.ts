import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

interface Pages {
  /** What they are called where somebody waits for them. */
  readonly title: string;
  /** The package that they are built by, below the root. */
  readonly folder: string;
  /** Where they are put, below the root. */
  readonly output: string;
  /** What is handed on to the package's script `build`. */
  readonly options: readonly string[];
}

/**
 * Builds pages where that has not been done for these sources, and says whether they are there then. They are built by
 * packages of their own, so that nothing of these is installed where only the server runs.
 */
export function buildOnce(pages: Pages): boolean {
  const digest = digestSources(pages);
  return isBuilt(pages, digest) || build(pages, digest);
}

/** Holds the digest of the sources that the build was made of. */
function stampOf({ output }: Pages): string {
  return join(ROOT, `${output}.sha256`);
}

const NO_SOURCES: ReadonlySet<string> = new Set(['node_modules', 'cache', 'dist']);

function digestSources({ folder }: Pages): string {
  const cwd = join(ROOT, folder);
  const hash = createHash('sha256');
  const files = globSync(['**/*.*', '.vitepress/**/*.*'], {
    cwd,
    exclude: (path) => NO_SOURCES.has(basename(path)),
  });
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(join(cwd, file)));
  return hash.digest('hex');
}

function isBuilt(pages: Pages, digest: string): boolean {
  const stamp = stampOf(pages);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
}

function build(pages: Pages, digest: string): boolean {
  console.log(`Building ${pages.title}, which takes some seconds, once …`);
  const stamp = stampOf(pages);
  rmSync(stamp, { force: true });
  if (!run(pages, 'ci') || !run(pages, 'run', 'build', '--', ...pages.options)) return false;
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(stamp, digest);
  return true;
}

/** Says whether the command came to a good end; what it wrote is shown where it did not. */
function run({ folder }: Pages, ...command: readonly string[]): boolean {
  const { status, stdout, stderr } = spawnSync('npm', command, {
    cwd: join(ROOT, folder),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) console.error(`npm ${command.join(' ')} failed in ${folder}.\n${stdout}${stderr}`);
  return status === 0;
}
