/**
 * Puts one defect after the other into a copy of the source, and runs the tests that have to fail then:
 * `npm run mutation`, or `npm run mutation -- paging promises` for some of the parts. With `--sample` or `--since`, it changes
 * places by operators instead: see `operators/run-operators.ts`.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DEFECTS, type Defect } from './defects.ts';
import { PROMISES } from './promises.ts';

const ROOT = join(import.meta.dirname, '../..');
const COPIED = [
  'src',
  'test',
  'openapi',
  'examples',
  'docs',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'LICENSE',
  '.ci',
  '.github',
  'docker',
  'biome.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
  'package.json',
  'vitest.config.ts',
  '.meshrc.yaml',
];

/** The least share of defects that must be found. */
const DEMANDED = 0.9;

interface Outcome {
  readonly defect: Defect;
  readonly isFound: boolean;
}

function copySource(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mutation-'));
  const filter = (path: string) => basename(path) !== 'node_modules';
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter });
  for (const name of ['node_modules', 'dist', '.mesh', 'src/web/node_modules', 'docs/node_modules']) {
    if (existsSync(join(ROOT, name))) symlinkSync(join(ROOT, name), join(copy, name));
  }
  return copy;
}

function passes(copy: string, tests: readonly string[]): boolean {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const run = spawnSync(process.execPath, [vitest, 'run', '--bail=1', '--reporter=dot', ...tests], {
    cwd: copy,
  });
  return run.status === 0;
}

/** A defect whose place has changed tests nothing: that is an error. */
function tryOut(copy: string, defect: Defect): Outcome {
  const path = join(copy, defect.file);
  const source = readFileSync(path, 'utf8');
  const [before = '', after, ...others] = source.split(defect.text);
  if (after === undefined || others.length > 0) {
    throw new Error(
      `${defect.file}: expected once, found ${after === undefined ? 'nowhere' : 'often'}: ${defect.text}`,
    );
  }
  writeFileSync(path, `${before}${defect.replacement}${after}`);
  const isFound = !passes(copy, defect.tests);
  writeFileSync(path, source);
  process.stdout.write(
    `${isFound ? 'found ' : 'MISSED'} ${defect.part}: ${defect.file}: ${defect.text.trim()}\n`,
  );
  return { defect, isFound };
}

function report(outcomes: readonly Outcome[]): boolean {
  for (const [part, those] of Map.groupBy(outcomes, ({ defect }) => defect.part)) {
    process.stdout.write(`${part}: ${those.filter(({ isFound }) => isFound).length} of ${those.length}\n`);
  }
  const found = outcomes.filter(({ isFound }) => isFound).length;
  process.stdout.write(`${found} of ${outcomes.length} defects are found by the tests.\n`);
  return found >= DEMANDED * outcomes.length;
}

if (process.argv[2]?.startsWith('--')) {
  await import('./operators/run-operators.ts');
  process.exit();
}
const parts = new Set<string>(process.argv.slice(2));
const chosen = [...DEFECTS, ...PROMISES].filter(({ part }) => parts.size === 0 || parts.has(part));
const copy = copySource();
try {
  if (!passes(copy, [...new Set(chosen.flatMap(({ tests }) => tests))])) {
    throw new Error('The tests fail without a defect: nothing can be learned from them.');
  }
  process.exitCode = report(chosen.map((defect) => tryOut(copy, defect))) ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true });
}
