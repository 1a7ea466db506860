import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/contract/row.ts';
import { idsOf } from './sample.ts';

const ROWS: readonly Row[] = ['İ', 'i\u0307', 'İzmir', 'AMBER', 'amb', ''].map((Title, index) => ({
  UserId: 1,
  Id: String(index),
  Title,
  Body: null,
}));

describe('Part 2, 5.1.8: $search in upper and lower case', () => {
  it.each([
    ['"İ"', ['0', '1', '2']],
    ['"i\u0307"', ['0', '1', '2']],
    ['"\u0307zm"', ['2']],
    ['"İZMİR"', []],
    ['"amber"', ['3']],
    ['"AMB"', ['3', '4']],
  ])('%s', ($search, ids) => {
    expect(idsOf({ $search }, ROWS)).toEqual(ids);
  });
});
