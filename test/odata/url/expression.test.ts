import { describe, expect, it } from 'vitest';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { CASES } from './case.cases.ts';
import { EXPRESSIONS } from './expression.cases.ts';
import { GENEROUS_LIMITS } from './limits.ts';
import { LITERALS } from './literals.cases.ts';

describe('OData 4.01 Part 2, 5.1.1: expressions', () => {
  it.each([...LITERALS, ...EXPRESSIONS, ...CASES])('parses %s', (source, tree) => {
    const { options } = parseRequestTarget(`/X?$filter=${source}`, GENEROUS_LIMITS);
    expect(options.filter).toStrictEqual(tree);
  });
});
