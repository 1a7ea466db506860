import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { Row } from '../../../src/contract/row.ts';
import { finished } from '../../../src/core/work.ts';
import { writeCollection } from '../../../src/odata/payload/json/json.ts';
import { budget } from '../../support/budget.ts';
import { animals, FULL } from './shapes.ts';

/** Rows whose names are of that length, by their places from 0 to before 1. */
function rowsOf(lengthAt: (place: number) => number): readonly Row[] {
  const count = 5_000;
  return Array.from({ length: count }, (_, index) => ({
    Id: index,
    Name: 'n'.repeat(lengthAt(index / count)),
  }));
}

describe('a long list', () => {
  const allocated = vi.spyOn(Buffer, 'allocUnsafeSlow');
  afterEach(() => allocated.mockClear());
  afterAll(() => allocated.mockRestore());

  it.each([
    ['short', () => 20],
    ['long', () => 500],
    ['growing', (place: number) => 20 + 300 * place],
    ['shrinking', (place: number) => 320 - 300 * place],
  ])('is written to the memory that it is sent from where its rows are %s', (_, lengthAt) => {
    const shape = animals(['Id', 'Name'], { format: FULL });
    const body = finished(writeCollection(shape, rowsOf(lengthAt), {}, budget()));
    const taken = allocated.mock.calls.reduce((sum, [size]) => sum + size, 0);
    // A second copy of it would take twice as much.
    expect(taken).toBeLessThan(1.9 * body.length);
  });
});
