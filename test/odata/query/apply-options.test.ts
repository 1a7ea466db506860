import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/contract/row.ts';
import { compiledSales, countSales, type Query, sales } from './apply-sales.ts';
import { errorOf } from './sample.ts';

const times = (number: number, text: string): string => Array<string>(number).fill(text).join('/');

const BY_COUNTRY = 'groupby((Customer/Country),aggregate($count as N,Amount with sum as Total))';
const US = { Customer: { Country: 'US' }, N: 5, Total: 19.02 };
const NL = { Customer: { Country: 'NL' }, N: 3, Total: 5.01 };

describe('Part 1, 11.2.1: the options behind $apply are about its results', () => {
  it.each<[Query, readonly Row[]]>([
    [{ $orderby: 'N' }, [NL, US]],
    [{ $orderby: 'Customer/Country' }, [NL, US]],
    [{ $orderby: '$it/N' }, [NL, US]],
    [{ $filter: 'N gt 4' }, [US]],
    [{ $filter: "Customer/Country eq 'NL' and Total lt 6" }, [NL]],
    [{ $skip: '1' }, [NL]],
    [{ $top: '1', $orderby: 'Total' }, [NL]],
    [{ $compute: 'Total divby N as Mean', $filter: 'Mean lt 2' }, [{ ...NL, Mean: 1.67 }]],
    [{ $search: 'x' }, []],
    [{ $compute: 'N as M', $filter: 'isdefined(M)', $top: '1' }, [{ ...US, M: 5 }]],
  ])('%o', (query, results) => {
    expect(sales({ $apply: BY_COUNTRY, ...query })).toStrictEqual(results);
  });

  it.each<[Query, readonly unknown[]]>([
    [{ $filter: 'N lt $these/aggregate(N with max)' }, ['NL']],
    [{ $filter: 'N mul $these/$count eq 10' }, ['US']],
    [{ $orderby: 'Total sub $these/aggregate(Total with sum)' }, ['NL', 'US']],
    [{ $filter: 'not $these/any(t:t/N gt N)' }, ['US']],
    [{ $filter: '$these/all(t:t/N ge N)' }, ['NL']],
    [{ $compute: 'N divby $these/aggregate(N with sum) as Share', $filter: 'Share gt 0.5' }, ['US']],
  ])('$these are all of them: %o', (query, countries) => {
    const rows = sales({ $apply: BY_COUNTRY, ...query });
    expect(rows.map(({ Customer }) => (Customer as Row)['Country'])).toEqual(countries);
  });

  it('$these are all instances where there is no $apply', () => {
    const above = { $filter: 'Amount gt $these/aggregate(Amount with average)' };
    expect(sales(above).map(({ Id }) => Id)).toEqual(['S3', 'S4', 'S5']);
    expect(countSales(above)).toBe(3);
  });

  it.each([
    ['not $these/any(s:s/Amount gt Amount)', ['S4', 'S7']],
    [
      "$these/any(s:s/Customer/Name eq 'Ben' and s/Product/Name eq Product/Name)",
      ['S1', 'S3', 'S4', 'S5', 'S7', 'S8'],
    ],
    ['$these/$count($filter=Amount gt 4) eq Pieces', ['S2', 'S6']],
    ['Pieces lt $these/$filter(Amount lt 4)/aggregate(Pieces with max)', ['S1', 'S5', 'S8']],
    ['$these/any() and $these/all(s:s/Id ge Id)', ['S1']],
  ])('$these can be gone through: %s', ($filter, ids) => {
    expect(sales({ $filter }).map(({ Id }) => Id)).toEqual(ids);
    expect(compiledSales({ $filter, $select: 'At' }).properties).toEqual(
      expect.arrayContaining([...new Set($filter.match(/\b(?:Amount|Pieces|Id)\b/g))]),
    );
  });

  it('counts them', () => {
    expect(compiledSales({ $apply: BY_COUNTRY, $count: 'true', $top: '0' }).run([])).toEqual({
      rows: [],
      count: 0,
    });
    expect(countSales({ $apply: BY_COUNTRY })).toBe(2);
    expect(countSales({ $apply: BY_COUNTRY, $filter: 'N gt 4' })).toBe(1);
    expect(countSales({ $apply: 'filter(Pieces eq 1)', $filter: 'Amount gt 2' })).toBe(2);
  });

  it('leaves rows alone, and runs any number of times', () => {
    const $apply =
      'orderby(Amount)/compute(Pieces add 1 as More)/concat(top(1),aggregate(More with sum as More))';
    const query = compiledSales({ $apply, $select: 'More' });
    const rows = Object.freeze([{ Id: 'a', Pieces: 1, Amount: 2 }].map((row) => Object.freeze(row)));
    const results = [{ Id: 'a', Pieces: 1, Amount: 2, More: 2 }, { More: 2 }];
    expect([query.run(rows).rows, query.run([]).rows, query.run(rows).rows]).toEqual([
      results,
      [{ More: null }],
      results,
    ]);
  });
});

const decimal = { type: { kind: 'primitive', name: 'Edm.Decimal' }, collection: false };
const of = (name: string) => ({ type: { kind: 'primitive', name: `Edm.${name}` }, collection: false });
const EVERYTHING = ['Id', 'Amount', 'Pieces', 'Weight', 'At', 'ShipTo'];

function shapeOf(query: Query) {
  const { properties, selected, computed, results } = compiledSales(query);
  const nested = [...(results?.nested ?? [])].map(([name, { paths }]) => `${name}(${paths.join(',')})`);
  const { transient, paths } = results ?? {};
  return { properties, selected, computed: Object.fromEntries(computed), transient, paths, nested };
}

describe('what a query with $apply reads and shows', () => {
  it.each<[Query, object]>([
    [
      { $apply: BY_COUNTRY },
      {
        properties: ['Id', 'Amount', 'Customer'],
        selected: ['N', 'Total'],
        computed: { N: decimal, Total: decimal },
        transient: true,
        paths: ['N', 'Total'],
        nested: ['Customer(Country)'],
      },
    ],
    [
      { $apply: BY_COUNTRY, $select: 'N,Customer' },
      {
        properties: ['Id', 'Amount', 'Customer'],
        selected: ['N'],
        computed: { N: decimal },
        transient: true,
        paths: ['N'],
        nested: ['Customer(Country)'],
      },
    ],
    [
      { $apply: BY_COUNTRY, $select: 'Twice', $compute: 'N mul 2 as Twice' },
      {
        properties: ['Id', 'Amount', 'Customer'],
        selected: ['Twice'],
        computed: { Twice: decimal },
        transient: true,
        paths: ['Twice'],
        nested: [],
      },
    ],
    [
      { $apply: 'filter(Pieces gt 1)', $select: 'Amount' },
      {
        properties: ['Id', 'Amount', 'Pieces'],
        selected: ['Amount'],
        computed: {},
        transient: false,
        paths: ['*'],
        nested: [],
      },
    ],
    [
      { $apply: 'compute(year(At) as Year)' },
      {
        properties: EVERYTHING,
        selected: [...EVERYTHING, 'Year'],
        computed: { Year: of('Int32') },
        transient: false,
        paths: ['*', 'Year'],
        nested: [],
      },
    ],
    [
      { $apply: 'groupby((ShipTo/City,Pieces),aggregate(At with max as Pieces2,Weight with average as W))' },
      {
        properties: ['Id', 'Pieces', 'Weight', 'At', 'ShipTo'],
        selected: ['ShipTo', 'Pieces', 'Pieces2', 'W'],
        computed: { Pieces2: of('DateTimeOffset'), W: of('Double') },
        transient: true,
        paths: ['ShipTo/City', 'Pieces', 'Pieces2', 'W'],
        nested: [],
      },
    ],
    [
      { $apply: 'aggregate(Pieces with sum as Pieces,Pieces with min as Least,Weight with sum as W)' },
      {
        properties: ['Id', 'Pieces', 'Weight'],
        selected: ['Pieces', 'Least', 'W'],
        computed: { Pieces: of('Int64'), Least: of('Int32'), W: of('Double') },
        transient: true,
        paths: ['Pieces', 'Least', 'W'],
        nested: [],
      },
    ],
    [
      { $apply: 'nest(identity as All)' },
      {
        properties: [...EVERYTHING, 'Customer', 'Product'],
        selected: [],
        computed: {},
        transient: true,
        paths: [],
        nested: ['All(*)'],
      },
    ],
  ])('%o', (query, shape) => {
    expect(shapeOf(query)).toStrictEqual(shape);
  });
});

const ROWS = 'The request comes to more than 500000 rows to combine (QUERY_ROWS): ask for less at a time.';

describe('a mistake in $apply', () => {
  it.each<[apply: string, message: string]>([
    ['aggregate(Foo with sum as X)', "expected a property of Shop.Sale, found 'Foo' at position 10"],
    ['aggregate(Id with sum as X)', "'sum' expects a number, found Edm.String at position 10"],
    [
      'aggregate(At with average as X)',
      "'average' expects a number, found Edm.DateTimeOffset at position 10",
    ],
    ['aggregate(ShipTo with max as X)', "'max' expects a primitive value, found Shop.Place at position 10"],
    ['aggregate($count as N,Amount with sum as N)', "expected an unused name, found 'N' at position 22"],
    ['aggregate($count as __proto__)', "expected a name, found '__proto__' at position 10"],
    ['compute(Amount as Pieces)', "expected an unused name, found 'Pieces' at position 8"],
    [
      'groupby((Pieces),aggregate($count as Pieces))',
      "expected aliases that are no grouping properties, found 'Pieces' at position 0",
    ],
    ['groupby((Foo))', "expected a property of Shop.Sale, found 'Foo' at position 9"],
    [
      'groupby((Pieces))/filter(Amount gt 1)',
      "expected a property of Shop.Sale after groupby, found 'Amount' at position 25",
    ],
    [
      'groupby((Customer/Country))/groupby((Customer/Name))',
      "expected a property of Shop.Customer after groupby, found 'Name' at position 37",
    ],
    [
      'concat(identity,aggregate($count as N))/filter(Customer/Name eq null)',
      "expected a property of Shop.Sale after concat, found 'Customer' at position 47",
    ],
    ['addnested(ShipTo,identity as Id)', "expected an unused name, found 'Id' at position 0"],
    ['addnested(ShipTo,identity as A,identity as A)', "expected an unused name, found 'A' at position 0"],
    ['addnested(Product/Sales,identity as Name)', "expected an unused name, found 'Name' at position 0"],
    [
      'addnested(Customer/Sales,identity as A)',
      "expected a property of Shop.Customer, found 'Sales' at position 0",
    ],
    [
      'addnested(Pieces,identity as A)',
      "'addnested' expects entities or complex values, found Edm.Int32 at position 0",
    ],
    ['groupby((rollup(Pieces,$all)))', 'expected a path at position 23, found $all)))'],
    ['topcount(1.5,Amount)', "'topcount' expects a positive integer, found 1.5 at position 9"],
    ['topcount(-1,Amount)', "'topcount' expects a positive integer, found -1 at position 9"],
    ['topcount(Pieces,Amount)', "expected nothing after null, found 'Pieces' at position 9"],
    ['toppercent(101,Amount)', "'toppercent' expects a positive number up to 100, found 101 at position 11"],
    ['topcount(0,Amount)', "'topcount' expects a positive integer, found 0 at position 9"],
    ['bottomcount(0,Amount)', "'bottomcount' expects a positive integer, found 0 at position 12"],
    ['toppercent(0,Amount)', "'toppercent' expects a positive number up to 100, found 0 at position 11"],
    [
      'bottompercent(0,Amount)',
      "'bottompercent' expects a positive number up to 100, found 0 at position 14",
    ],
    ["topsum('x',Amount)", "'topsum' expects a number, found Edm.String at position 7"],
    ['topsum(1,Id)', "'topsum' expects a number to add up, found Edm.String at position 9"],
    [
      'concat(aggregate(Id with max as M),aggregate(Amount with max as M))',
      "expected 'M' of one type, found Edm.String and Edm.Decimal at position 0",
    ],
    ['join(Amount as A)', "'join' expects entities or complex values, found Edm.Decimal at position 0"],
    ['join(Customer as Amount)', "expected an unused name, found 'Amount' at position 0"],
    ["filter(isdefined('x'))", "'isdefined' expects a path to a property at position 7"],
    ['filter(isdefined(Foo))', "expected a property of Shop.Sale, found 'Foo' at position 17"],
    ['nest(identity as A,identity as A)', "expected an unused name, found 'A' at position 0"],
    ['filter(Amount)', '$apply expects Edm.Boolean, found Edm.Decimal at position 7'],
    [
      `groupby((${Array.from({ length: 10 }, () => 'rollup($all,Id,Pieces)').join(',')}))`,
      'expected at most 1000 nodes in the query (a multiple of QUERY_NODES), found more at position 78',
    ],
  ])('%s', ($apply, message) => {
    expect(errorOf(() => sales({ $apply }))).toEqual({
      code: 'BadRequest',
      message: `$apply: ${message}`,
      target: '$apply',
    });
  });

  it.each<[Query, message: string]>([
    [
      { $select: 'Amount' },
      "$select: expected a property of Shop.Sale after groupby, found 'Amount' at position 0",
    ],
    [
      { $filter: 'Pieces gt 1' },
      "$filter: expected a property of Shop.Sale after groupby, found 'Pieces' at position 0",
    ],
    [
      { $orderby: 'Id' },
      "$orderby: expected a property of Shop.Sale after groupby, found 'Id' at position 0",
    ],
    [{ $compute: 'N add 1 as Total' }, "$compute: expected an unused name, found 'Total' at position 0"],
  ])('shows behind it: %o', (query, message) => {
    const [target] = Object.keys(query);
    expect(errorOf(() => sales({ $apply: BY_COUNTRY, ...query }))).toEqual({
      code: 'BadRequest',
      message,
      target,
    });
  });

  it.each([
    [times(20, 'concat(identity,identity)'), ROWS],
    [`groupby((Id),${times(18, 'concat(identity,identity)')})`, ROWS],
    [times(20, 'concat(nest(identity as A),nest(identity as A))'), ROWS],
    [
      times(7, 'nest(identity as A,identity as B)'),
      '$apply: expected results that hold instances in at most 100 properties, found more at position 170',
    ],
  ])('shows where transformations multiply instances without end: %s', ($apply, expected) => {
    expect(errorOf(() => sales({ $apply }))).toMatchObject({ code: 'BadRequest', message: expected });
  });

  it('shows while it runs', () => {
    expect(errorOf(() => sales({ $apply: 'topcount($these/$count sub 9,Amount)' }))).toEqual({
      code: 'BadRequest',
      message: "$apply: 'topcount' expects a positive integer, found -1 at position 23",
      target: '$apply',
    });
  });
});

describe('a transformation that is not evaluated', () => {
  it.each<[apply: string, message: string]>([
    ['aggregate(Forecast)', "the custom aggregate 'Forecast' at position 10"],
    ['aggregate(Amount with Shop.median as X)', "the aggregation method 'Shop.median' at position 10"],
    ['groupby((rollup(Regions)))', "the leveled hierarchy 'Regions' at position 9"],
    ['identity/Shop.TopTwo(Count=1)', "the transformation 'Shop.TopTwo' at position 9"],
    ['filter($these/Amount eq 1)', "a path from '$these' at position 7"],
    ['filter($these eq null)', "a path from '$these' at position 7"],
  ])('%s', ($apply, message) => {
    expect(errorOf(() => sales({ $apply }))).toEqual({
      code: 'NotImplemented',
      message: `$apply: ${message} is not implemented`,
      target: '$apply',
    });
  });
});
