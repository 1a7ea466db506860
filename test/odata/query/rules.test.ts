import { describe, expect, it } from 'vitest';
import { errorOf, resultOf, runQuery, THING, THINGS } from './sample.ts';
import { ANIMALS, animals, compiled } from './zoo.ts';

/** An expression over the sample thing, and its value. */
type ValueCase = readonly [expression: string, value: unknown];

/** Rules of OData 4.01 Part 2, 5.1.1, that are easily got wrong: what `../rules.cases.ts` does not have of them. */
const RULES: Readonly<Record<string, readonly ValueCase[]>> = {
  'a comparison with null is true or false, and never null (5.1.1.1.1 to 5.1.1.1.6)': [
    ['null ge null', false],
  ],
  'a function of null is null (5.1.1.4), as is arithmetic with it (5.1.1.2)': [
    [`contains(Id,Nothing)`, null],
    ['round(NoNumber)', null],
    ['year(NoTime)', null],
    ['substring(Id,NoNumber)', null],
    ['1 divby NoNumber', null],
  ],
  'NaN is equal to nothing, INF to itself, true is greater than false (5.1.1.1)': [
    ['NaN ne NaN', true],
    ['INF gt 1e300', true],
  ],
  'the case of letters matters to functions of strings (5.1.1.5)': [
    [`startswith('Abc','a')`, false],
    [`endswith('abC','c')`, false],
    [`indexof('Abc','a')`, -1],
    [`tolower('ÄSS')`, 'äss'],
  ],
  'substring counts from zero, from the end where the start is negative, and gives what is left (5.1.1.5.7)':
    [[`substring('abc',-2)`, 'bc']],
  'div of integers cuts off, divby does not and never fails, mod has the sign of the left (5.1.1.2.4 to 5.1.1.2.6)':
    [
      ['0 divby 0', Number.NaN],
      ['7 mod -2', 1],
    ],
  'halves are rounded away from zero (5.1.1.9.1)': [
    ['round(0.5)', 1],
    ['round(-2.5)', -3],
    ['round(2.4)', 2],
  ],
  'numbers are promoted (5.1.1.18), string literals cast where a type is expected (Part 1, 13.2.1 #9)': [
    ['Small add 0.5', 7.5],
    ['Big eq 9007199254740993.0', true],
    [`Span eq 'PT26H'`, true],
  ],
  'dates and times are read in the offset that they are written in (5.1.1.8)': [
    ['hour(2024-02-29T23:30:00+02:00)', 23],
    ['day(2024-03-01T00:30:00-05:00)', 1],
    ['date(2024-02-29T23:30:00-10:00)', '2024-02-29'],
    ['time(2024-02-29T23:30:00-10:00)', '23:30:00'],
    ['totaloffsetminutes(2024-02-29T23:30:00-10:00)', -600],
    ['fractionalseconds(2024-02-29T23:30:00.25Z)', 0.25],
  ],
  'a cast that fails is null (5.1.1.10.1)': [['cast(5,Edm.Date)', null]],
  'operators bind from has and in over -, not, mul, add, gt, eq, and to or (5.1.1.17)': [
    ['not false and false', false],
  ],
};

describe.each(Object.entries(RULES))('%s', (_rule, cases) => {
  it.each(cases)('%s', (expression, value) => {
    expect(resultOf(expression)).toEqual(value);
  });
});

describe('a path behind null is null, at every depth (5.1.1.15)', () => {
  it('is seen in a filter', () => {
    expect(animals({ $filter: 'Home/Geo/Height eq null' })).toBe('bcd');
  });
});

describe('the variable of all hides a property (5.1.1.13)', () => {
  const rows = ANIMALS.slice(3);

  it.each([['Tags/all(Name:Name ne null)', 1]])('%s', ($filter, count) => {
    expect(compiled({ $filter }).run(rows).rows).toHaveLength(count);
  });
});

describe('geography has no order (5.1.1.1)', () => {
  it.each([{ $filter: `Spot gt geography'SRID=4326;Point(0 0)'` }])('%o', (query) => {
    expect(errorOf(() => compiled(query))).toMatchObject({ code: 'BadRequest' });
  });
});

describe('strings are no numbers (5.1.1.18), and nothing is divided by zero (5.1.1.2.6)', () => {
  it.each(['Id eq 5', '7 mod 0 eq 1'])('%s', ($filter) => {
    expect(errorOf(() => runQuery({ $filter }, [THING], THINGS))).toMatchObject({ code: 'BadRequest' });
  });
});
