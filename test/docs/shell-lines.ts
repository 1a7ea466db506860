import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** The pages with commands for users. */
export const PAGES: readonly string[] = [
  'README.md',
  ...globSync('docs/*.md', { cwd: ROOT, exclude: ['docs/architecture.md', 'docs/testing.md'] }),
];

/** The commands of a page, without the comments behind them. */
export function shellLines(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter((line) => line !== '');
}

/** The words after `duogate`, as a shell splits them. */
export function wordsOf(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, other, bare]) => one ?? other ?? bare ?? '',
  );
}
