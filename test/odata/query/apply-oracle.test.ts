import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/contract/row.ts';
import { sales } from './apply-sales.ts';

type Method = 'sum' | 'min' | 'max' | 'average' | 'countdistinct';

/** Amounts are cents, so that the oracle can add them up in whole numbers. */
const cents = (row: Row) => (row['Amount'] === null ? [] : [Math.round(Number(row['Amount']) * 100)]);

const METHODS: Readonly<Record<Method, (values: readonly number[]) => number | null>> = {
  sum: (values) => (values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / 100),
  min: (values) => (values.length === 0 ? null : Math.min(...values) / 100),
  max: (values) => (values.length === 0 ? null : Math.max(...values) / 100),
  average: (values) =>
    values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length / 100,
  countdistinct: (values) => new Set(values).size,
};

/** Rows that agree in all of the names, in the order of their first. */
function groups(rows: readonly Row[], names: readonly string[]): readonly (readonly Row[])[] {
  const agree = (left: Row, right: Row) => names.every((name) => left[name] === right[name]);
  const firsts = rows.filter((row, index) => rows.findIndex((other) => agree(row, other)) === index);
  return firsts.map((first) => rows.filter((row) => agree(first, row)));
}

const pick = (row: Row | undefined, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row?.[name] ?? null]));

const aggregated = (rows: readonly Row[], method: Method): Row => ({
  N: rows.length,
  Value: METHODS[method](rows.flatMap(cents)),
});

const row = fc.record({
  Id: fc.constantFrom('a', 'b', 'c'),
  Pieces: fc.option(fc.integer({ min: 0, max: 3 })),
  Amount: fc.option(fc.integer({ min: -300, max: 300 }).map((value) => value / 100)),
});
const rows = fc.array(row, { maxLength: 40 });
const names = fc.uniqueArray(fc.constantFrom('Id', 'Pieces', 'Amount'), { minLength: 1, maxLength: 3 });
const method = fc.constantFrom(...(Object.keys(METHODS) as Method[]));

/** An average may have more digits than a double. */
const rounded = (results: readonly Row[]) =>
  results.map((each) =>
    'Value' in each && each['Value'] !== null
      ? { ...each, Value: Number(Number(each['Value']).toFixed(9)) }
      : each,
  );

describe('groups and aggregates', () => {
  it('are what the definitions of Data Aggregation 4.0, 3.1.3 and 3.2.3, make of them', () => {
    fc.assert(
      fc.property(rows, names, method, (all, by, how) => {
        const expected = groups(all, by).map((group) => ({
          ...pick(group[0], by),
          ...aggregated(group, how),
        }));
        const $apply = `groupby((${by.join(',')}),aggregate($count as N,Amount with ${how} as Value))`;
        expect(rounded(sales({ $apply }, all))).toEqual(rounded(expected));
      }),
      { numRuns: 300 },
    );
  });

  it('of all levels of a rollup are those of each level', () => {
    fc.assert(
      fc.property(rows, names, method, (all, by, how) => {
        const levels = by.map((_, index) => by.slice(0, by.length - index));
        const expected = [
          ...levels.flatMap((level) =>
            groups(all, level).map((group) => ({ ...pick(group[0], level), ...aggregated(group, how) })),
          ),
          ...(all.length > 0 ? [aggregated(all, how)] : []),
        ];
        const $apply = `groupby((rollup($all,${by.join(',')})),aggregate($count as N,Amount with ${how} as Value))`;
        expect(rounded(sales({ $apply }, all))).toEqual(rounded(expected));
      }),
      { numRuns: 200 },
    );
  });

  it('take the fewest of the highest values that come to a part of the sum', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 100 }), (all, percent) => {
        const positive = all.filter((each) => Number(each.Amount) >= 0);
        const sorted = positive.flatMap(cents).toSorted((left, right) => right - left);
        const total = sorted.reduce((sum, value) => sum + value, 0);
        const enough = sorted.findIndex((_, index) => {
          const sum = sorted.slice(0, index).reduce((before, value) => before + value, 0);
          return sum * 100 >= total * percent;
        });
        const count = enough < 0 ? positive.length : enough;
        const results = sales({ $apply: `toppercent(${percent},Amount)` }, positive);
        expect(results.flatMap(cents)).toEqual(sorted.slice(0, count));
      }),
      { numRuns: 300 },
    );
  });
});
