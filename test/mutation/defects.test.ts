import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFECTS } from './defects.ts';
import { PROMISES } from './promises.ts';

const ROOT = join(import.meta.dirname, '../..');

it('finds the place of each deliberate defect once, so that `npm run mutation` can put it there', () => {
  const places = [...DEFECTS, ...PROMISES].map(({ file, text }) => ({
    place: `${file}: ${text}`,
    times: readFileSync(join(ROOT, file), 'utf8').split(text).length - 1,
  }));
  expect(places.filter(({ times }) => times !== 1)).toEqual([]);
});

/** The rows of the tables below a heading, or of the whole page. */
function rowsOf(page: string, heading = ''): readonly string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const rows = (heading === '' ? text : (text.split(`## ${heading}`)[1] ?? '')).match(/^\| .*\|$/gm) ?? [];
  return rows.filter((row) => !/^\| (?:---|In a few words|Promise)/.test(row));
}

it.each([
  ['docs/claims.md', rowsOf('docs/claims.md')],
  ['docs/security.md', rowsOf('docs/security.md', 'What is promised')],
] as const)('%s promises nothing that no test is seen to hold', (page, rows) => {
  const own = PROMISES.filter((promise) => promise.page === page);
  const heldBy = (row: string): readonly string[] =>
    own.filter((promise) => row.startsWith(`| ${promise.row}`)).flatMap(({ tests }) => tests);
  expect(rows.length).toBeGreaterThan(13);
  expect(rows.filter((row) => heldBy(row).length === 0)).toStrictEqual([]);
  // The tests that see it are those that the row names, or stand in a folder of them.
  const unnamed = rows.flatMap((row) =>
    heldBy(row).filter((test) => !row.includes(`](../${test})`) && !row.includes(`](../${dirname(test)})`)),
  );
  expect(unnamed).toStrictEqual([]);
});
