import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '../../docs');

it('docs/limits.md names a test for each thing that users share', () => {
  const page = readFileSync(join(DOCS, 'limits.md'), 'utf8');
  const [, section = ''] = page.split('## What all users share');
  const rows = (section.split('\n## ', 1)[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  const named = rows.slice(1).map((row) => /\]\((\.\.\/test\/[^)]*\.test\.ts)\) \|$/.exec(row)?.[1] ?? row);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !existsSync(join(DOCS, path)))).toStrictEqual([]);
});

it('docs/security.md names tests that are there', () => {
  const page = readFileSync(join(DOCS, 'security.md'), 'utf8');
  const named = [...page.matchAll(/\]\((\.\.\/test\/[^)]*)\)/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(DOCS, path)))).toStrictEqual([]);
});
