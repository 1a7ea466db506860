import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

interface Pages {
  /** The name in messages. */
  readonly title: string;
  /** The package that builds the pages, relative to the root. */
  readonly folder: string;
  /** The output folder, relative to the root. */
  readonly output: string;
  /** Arguments for the package's script `build`. */
  readonly options: readonly string[];
}

/**
 * Builds pages unless they are up to date, and returns whether they exist then. Separate packages build them,
 * so that servers do not install their dependencies.
 */
export function buildOnce(pages: Pages): boolean {
  const digest = digestSources(pages);
  return isBuilt(pages, digest) || build(pages, digest);
}

/** The file with the digest of the sources of the existing build. */
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

/** Returns whether the command succeeded; prints its output if it failed. */
function run({ folder }: Pages, ...command: readonly string[]): boolean {
  const { status, stdout, stderr } = spawnSync('npm', command, {
    cwd: join(ROOT, folder),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) console.error(`npm ${command.join(' ')} failed in ${folder}.\n${stdout}${stderr}`);
  return status === 0;
}
