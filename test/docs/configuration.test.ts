import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Variables in code marks in the first column of a page's tables. */
function describedIn(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const cells = [...text.matchAll(/^\| (`[A-Z].*?) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z\d_]+)`/g)].map(([, name = '']) => name));
}

/** The variables that the configuration asks the environment for. */
function readVariables(): readonly string[] {
  const asked = new Set<string>();
  const environment: Record<string, string> = { AUTH_SECRET: 'x'.repeat(32) };
  readConfig(
    new Proxy(environment, {
      get(known, name) {
        if (typeof name === 'string') asked.add(name);
        return Reflect.get(known, name);
      },
    }),
    ROOT,
  );
  // Those of proxies may be written in small letters, too.
  return [...asked].filter((name) => name === name.toUpperCase()).sort();
}

describe('docs/configuration.md and docs/limits.md', () => {
  it('describe every variable that is read, and no other', () => {
    const described = [...describedIn('configuration.md'), ...describedIn('limits.md')];
    expect(described.toSorted()).toStrictEqual(readVariables());
  });
});
