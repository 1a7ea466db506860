import { describe, expect, it } from 'vitest';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { PATHS } from './resource-path.cases.ts';

describe('OData 4.01 Part 2, 4: resource paths', () => {
  it.each(PATHS)('parses %s', (target, path) => {
    expect(parseRequestTarget(target).path).toStrictEqual(path);
  });
});
