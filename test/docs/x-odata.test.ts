import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VOCABULARY } from '../../src/derive/vocabulary/vocabulary.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/x-odata.md'), 'utf8');

/** Words in code marks in the first column of the page's tables. */
function describedWords(): ReadonlySet<string> {
  const cells = [...PAGE.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell);
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)[^`]*`/g)].map(([, word = '']) => word)));
}

describe('docs/x-odata.md', () => {
  it('describes every word of the vocabulary', () => {
    const words = new Set(Object.values(VOCABULARY).flatMap((keys) => [...keys.keys()]));
    const described = describedWords();
    expect([...words].filter((word) => !described.has(word))).toEqual([]);
  });
});
