import { describe, expect, it } from 'vitest';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { TRANSFORMATIONS } from './apply.cases.ts';
import { GENEROUS_LIMITS } from './limits.ts';
import { OPTIONS } from './query-options.cases.ts';
import { SEARCHES } from './search.cases.ts';
import { SELECTIONS } from './select-expand.cases.ts';

describe('OData 4.01 Part 2, 5: query options', () => {
  it.each([...OPTIONS, ...SEARCHES, ...SELECTIONS, ...TRANSFORMATIONS])('parses %s', (query, options) => {
    const parsed = parseRequestTarget(`/X?${query}`, GENEROUS_LIMITS).options;
    expect(parsed).toStrictEqual({ aliases: new Map(), ...options });
  });
});
