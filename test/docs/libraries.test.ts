import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const RECORD = readFileSync(join(ROOT, 'docs/decisions/14-libraries.md'), 'utf8');
const [, used = ''] = /These libraries do their whole job: ([\s\S]+?)\n\n/.exec(RECORD) ?? [];
const imported = globSync('src/**/*.ts', { cwd: ROOT, exclude: ['src/web/**'] })
  .map((file) => readFileSync(join(ROOT, file), 'utf8'))
  .join('\n');

it.each([...used.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))(
  '%s, which the record of libraries names, is a dependency that the source imports',
  (name) => {
    expect(Object.keys(manifest.devDependencies)).toContain(name);
    expect(imported).toMatch(new RegExp(`(?:from|import\\() ?'${name}(?:/[^']*)?'`));
  },
);
