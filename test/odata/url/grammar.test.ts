import { describe, expect, it } from 'vitest';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { GRAMMAR } from './grammar.cases.ts';
import { GENEROUS_LIMITS } from './limits.ts';

describe.each(Object.entries(GRAMMAR))('ABNF, %s', (_, { before, after = '', accepted, refused }) => {
  const parse = (text: string) => parseRequestTarget(before + text + after, GENEROUS_LIMITS);

  it.each(accepted)('has %s', (text) => {
    expect(() => parse(text)).not.toThrow();
  });

  it.each(refused)('has not %s', (text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'BadRequest' }));
  });
});
