import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = globSync(['*.md', '{docs,examples,.github}/**/*.md'], {
  cwd: ROOT,
  exclude: (path) => path.endsWith('node_modules'),
});

interface Link {
  readonly text: string;
  readonly file: string;
}

/** The links of a page to files of the repository. */
function linksOf(page: string): readonly Link[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/```.*?```/gs, '');
  return [...text.matchAll(/\[([^\][]*)\]\(([^)#\s]+)[^)]*\)/g)]
    .map(([, label = '', file = '']) => ({ text: label, file: join(dirname(page), file), target: file }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** Whether a link whose text is a name in code marks leads to where that is declared; others need not. */
function isDeclared({ text, file }: Link): boolean {
  const [, name] = /^`([A-Za-z]\w*)`$/.exec(text) ?? [];
  if (name === undefined || !file.startsWith('src/') || !file.endsWith('.ts')) return true;
  const declared = new RegExp(
    `^(export )?(async )?(function\\*?|class|const|interface|type) ${name}\\b`,
    'm',
  );
  return declared.test(readFileSync(join(ROOT, file), 'utf8'));
}

describe('the pages', () => {
  it('are found', () => {
    expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/architecture.md']));
  });

  it.each(PAGES)('%s links to files that are there, and to what they declare', (page) => {
    const links = linksOf(page);
    const missing = links.filter(({ file }) => !existsSync(join(ROOT, file)));
    expect(missing.map(({ file }) => file)).toStrictEqual([]);
    expect(links.filter((link) => !isDeclared(link))).toStrictEqual([]);
  });
});

describe('the site', () => {
  const config = readFileSync(join(ROOT, 'docs/.vitepress/config.ts'), 'utf8');

  it('has every page in its contents, but for those about the sources', () => {
    const listed = [...config.matchAll(/link: '\/([\w-]+)'/g)].map(([, name = '']) => name);
    const left = ['architecture', 'how-a-query-reaches-the-api', 'index', 'testing'];
    const names = globSync('docs/*.md', { cwd: ROOT }).map((page) => basename(page, '.md'));
    expect(listed.toSorted()).toStrictEqual(names.filter((name) => !left.includes(name)).sort());
  });
});

describe('README.md', () => {
  const page = readFileSync(join(ROOT, 'README.md'), 'utf8');

  it('is a way in, of no more than 100 lines, that leads to every page of docs', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(100);
    const linked = linksOf('README.md').map(({ file }) => file);
    const pages = globSync('docs/*.md', { cwd: ROOT }).filter((each) => each !== 'docs/index.md');
    expect(pages.filter((each) => !linked.includes(each))).toStrictEqual([]);
  });

  it('names scripts that are there', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const named = [...page.matchAll(/npm (?:run )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(named).toEqual(expect.arrayContaining(['demo', 'test', 'start', 'duogate']));
    expect(
      named.filter((name) => !['ci', 'install', 'pack'].includes(name) && !(name in scripts)),
    ).toStrictEqual([]);
  });
});
