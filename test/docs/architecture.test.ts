import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');
const PAGE = readFileSync(join(DOCS, 'architecture.md'), 'utf8');

interface Named {
  readonly name: string;
  /** The path of the file that exports it, below the repository. */
  readonly file: string;
}

/** The exports that the page names, each a link to its file. */
const NAMED: readonly Named[] = [...PAGE.matchAll(/\[`(\w+)`\]\(([^)]+)\)/g)].map(
  ([, name = '', link = '']) => ({ name, file: relative(ROOT, join(DOCS, link)) }),
);

function exports({ name, file }: Named): boolean {
  const path = join(ROOT, file);
  if (!existsSync(path)) return false;
  return new RegExp(`^export (async )?(function\\*?|class|const) ${name}\\b`, 'm').test(
    readFileSync(path, 'utf8'),
  );
}

describe('docs/architecture.md', () => {
  it('names what the files it links to export', () => {
    expect(NAMED.length).toBeGreaterThan(40);
    expect(NAMED.filter((each) => !exports(each))).toStrictEqual([]);
  });

  it('has every layer in its picture', () => {
    const [, picture = ''] = /```mermaid\n(.*?)```/s.exec(PAGE) ?? [];
    const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    const missing = folders
      .map(({ name }) => name)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(picture));
    expect(missing).toStrictEqual([]);
  });
});
