import { describe, expect, it } from 'vitest';
import { CONDITIONS } from './types.cases.ts';
import { animals } from './zoo.ts';

describe.each(Object.entries(CONDITIONS))('%s', (_section, cases) => {
  it.each(cases)('%s', ($filter, ids) => {
    expect(animals({ $filter })).toBe(ids);
  });
});
