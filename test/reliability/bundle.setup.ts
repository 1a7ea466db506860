import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Builds what the image runs, for all processes that the tests start: from the sources each takes twice as long. */
export default function buildBundle(): void {
  execFileSync(process.execPath, [join(ROOT, 'src/cli/build-lib.ts')], { cwd: ROOT, stdio: 'inherit' });
}
