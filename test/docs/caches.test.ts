import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** A cache, or a variable of a module, which all services of the process share. */
const KEEPING = /new (?:LRUCache|WeakMap|WeakSet)\b|\bmadeOnce\(|^let /m;

it('the table of what is kept in memory lists every file that keeps something', () => {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8').split(
    '## What is kept in memory',
  );
  const listed = [...section.matchAll(/\]\(\.\.\/(src\/[^)]+)\)/g)].map(([, path]) => path);
  // The screens run in a browser, a command ends with its process, and maps.ts declares `madeOnce`.
  const files = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/web', 'src/cli', 'src/model/maps.ts'] });
  const keeping = files.filter((path) => KEEPING.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(listed.toSorted()).toStrictEqual(keeping.toSorted());
});
