import { describe, expect, it } from 'vitest';
import { OVER_PRODUCTS, OVER_SALES } from './apply.cases.ts';
import { products, sales } from './apply-sales.ts';

describe.each(Object.entries(OVER_SALES))('Data Aggregation 4.0, %s', (_section, cases) => {
  it.each(cases)('%s', ($apply, results) => {
    expect(sales({ $apply })).toStrictEqual(results);
  });
});

describe.each(Object.entries(OVER_PRODUCTS))('Data Aggregation 4.0, %s', (_section, cases) => {
  it.each(cases)('%s', ($apply, results) => {
    expect(products({ $apply })).toStrictEqual(results);
  });
});
