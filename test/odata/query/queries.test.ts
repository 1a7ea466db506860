import { describe, expect, it } from 'vitest';
import { QUERIES } from './queries.cases.ts';
import { idsOf } from './sample.ts';

describe.each(Object.entries(QUERIES))('%s', (_section, cases) => {
  it.each(cases)('%o', (query, ids) => {
    expect(idsOf(query)).toEqual(ids);
  });
});
