import { describe, expect, it } from 'vitest';
import { EXPRESSIONS } from './expressions.cases.ts';
import { resultOf } from './sample.ts';

describe.each(Object.entries(EXPRESSIONS))('%s', (_section, cases) => {
  it.each(cases)('%s', (expression, value) => {
    expect(resultOf(expression)).toEqual(value);
  });
});
