import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../../..');

/** Left out of the repository. */
export const COVERAGE = join(ROOT, 'coverage/by-test-file');

/** The lines of each source, by its path from the root, that ran in a test file. */
export interface FileCoverage {
  readonly testFile: string;
  readonly milliseconds: number;
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

export function readCoverage(): readonly FileCoverage[] {
  return globSync('**/*.json', { cwd: COVERAGE }).map(
    (file) => JSON.parse(readFileSync(join(COVERAGE, file), 'utf8')) as FileCoverage,
  );
}
