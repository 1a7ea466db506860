import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const DOCS = join(import.meta.dirname, '../../docs');

it('docs/security.md names tests that are there', () => {
  const page = readFileSync(join(DOCS, 'security.md'), 'utf8');
  const named = [...page.matchAll(/\]\((\.\.\/test\/[^)]*)\)/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !existsSync(join(DOCS, path)))).toStrictEqual([]);
});
