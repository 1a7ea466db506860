import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

// That the walks name what is there, links.test.ts sees to.
it('docs/architecture.md has every layer in its picture', () => {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const [, picture = ''] = /```mermaid\n(.*?)```/s.exec(page) ?? [];
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const missing = folders
    .map(({ name }) => name)
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(picture));
  expect(missing).toStrictEqual([]);
});
