import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFECTS } from './defects.ts';

const ROOT = join(import.meta.dirname, '../..');

it('finds the place of each deliberate defect once, so that `npm run mutation` can put it there', () => {
  const places = DEFECTS.map(({ file, text }) => ({
    place: `${file}: ${text}`,
    times: readFileSync(join(ROOT, file), 'utf8').split(text).length - 1,
  }));
  expect(places.filter(({ times }) => times !== 1)).toEqual([]);
});
