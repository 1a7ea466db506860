import { execFileSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The sources of the bundle: a folder changes when an entry is added or removed. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'src',
  'src/!(web)',
  'src/!(web)/**',
  'examples/**/*.ts',
];
/** The last that is written of it. */
const BUILT = 'lib/LICENSES.txt';

const changedAt = (path: string): number => statSync(join(ROOT, path)).mtimeMs;

/** Whether all that it is made of is older: a run of tests after another one need not build it again. */
function isBuilt(): boolean {
  if (!existsSync(join(ROOT, BUILT))) return false;
  const builtAt = changedAt(BUILT);
  return globSync(SOURCES, { cwd: ROOT }).every((path) => changedAt(path) < builtAt);
}

/** Builds what the image runs, for all processes that the tests start: from the sources each takes twice as long. */
export default function buildBundle(): void {
  if (isBuilt()) return;
  execFileSync(process.execPath, [join(ROOT, 'src/cli/build-lib.ts')], { cwd: ROOT, stdio: 'inherit' });
}
