import { describe, expect, it } from 'vitest';
import {
  ANIMALS,
  animals,
  compiled,
  compiledCount,
  KEEPER_TYPE,
  KEEPERS,
  keepers,
  type Query,
} from './zoo.ts';

describe('Part 2, 5.1.1.15: undeclared properties of an open type', () => {
  it.each([
    ['Extra eq 5', '1'],
    ['Extra ne 5', '2345'],
    [`Extra eq '5'`, '2'],
    ['5 eq Extra', '1'],
    ['Extra gt 4', '15'],
    [`Extra ge '5'`, '2'],
    ['not (Extra gt 4)', '234'],
    ['Extra eq null', '3'],
    ['Extra ne null', '1245'],
    ['Extra eq true', ''],
    ['Extra eq 2020-01-01', ''],
    ['Since eq 2020-01-01', '1'],
    ['Since eq 2020-01-01T01:00:00+01:00', '5'],
    [`Since eq '2020-01-01'`, '1'],
    ['year(Since) eq 2020', '15'],
    ['Extra eq Name', ''],
    ['Extra eq Name and Name eq null', ''],
    ['Nope eq Name', '5'],
    ['Extra eq Since', '3'],
    ['Extra eq Extra', '1235'],
    ['Extra in (5,null)', '13'],
    [`Name in ('Nobody','Kim')`, '1'],
    ['Extra in List', ''],
    [`'a' in List`, '2'],
    ['null in List', '2'],
    ['List/any(x:x eq 1)', '2'],
    [`List/any(x:x eq 'a' or x gt 5)`, '2'],
    ['List/$count eq 3', '2'],
    ['Extra/any()', ''],
    [`Extra/Inner eq 'x'`, '4'],
    [`contains(Extra/Inner,'x')`, '4'],
    ['Extra add 1 eq 6', '1'],
    ['Extra mul Extra gt 50', '5'],
    ['-Extra lt -7', '5'],
    ['round(Extra) eq 8', '5'],
    ['Flag', '3'],
    ['not Flag', ''],
    ['Flag and true', '3'],
    ['isof(Extra,Edm.Int32)', '1'],
    ['isof(Extra,Edm.String)', '2'],
    ["cast(Extra,Edm.String) eq '5'", '12'],
    ['cast(Extra,Edm.Int32) eq 5', '12'],
    ['length(Extra) eq 1', '2'],
    ['length(List) eq 3', '2'],
    [`substring('abc',cast(Extra,Edm.Int32)) eq ''`, '125'],
    ['case(Extra eq 5:1,true:Extra) eq 1', '1'],
    ['toString eq null', '12345'],
    ['constructor eq null', '12345'],
    ['__proto__ eq null', '12345'],
    ['__proto__/constructor eq null', '12345'],
    [`$it/Extra eq 5`, '1'],
  ])('%s', ($filter, ids) => {
    expect(keepers({ $filter })).toBe(ids);
  });

  it('is sorted by: null, truth values, numbers, texts, others', () => {
    expect(keepers({ $orderby: 'Extra' })).toBe('31524');
    expect(keepers({ $orderby: 'Extra desc' })).toBe('42513');
    expect(keepers({ $orderby: 'Extra', $top: '2' })).toBe('31');
  });

  it('never fails over values of any type', () => {
    const values = [1, 1n, 'x', true, null, [], [1], {}, { toString: 1 }, JSON.parse('{"__proto__":1}')];
    const rows = values.map((Extra, index) => ({ Id: `${index}`, Name: 'n', Extra }));
    const operands = [
      '1',
      `'x'`,
      'true',
      'null',
      'Name',
      'Extra',
      '2020-01-01',
      `duration'P1D'`,
      '1.5',
      '1e0',
    ];
    for (const operator of ['eq', 'ne', 'gt', 'ge', 'lt', 'le', 'in']) {
      const isValue = (operand: string) => operand !== 'Name' && operand !== 'Extra';
      for (const operand of operator === 'in' ? operands.filter(isValue) : operands) {
        const right = operator === 'in' ? `(${operand})` : operand;
        const query = compiled(
          { $filter: `Extra ${operator} ${right}`, $orderby: 'Extra desc' },
          KEEPER_TYPE,
        );
        expect(() => query.run(rows)).not.toThrow();
      }
    }
  });
});

describe('what is to be fetched of an open type', () => {
  const wanted = (query: Query) => {
    const { properties, dynamic, selected, exact } = compiled(query, KEEPER_TYPE);
    return { properties, dynamic, selected, exact };
  };

  it.each<[Query, ReturnType<typeof wanted>]>([
    [{}, { properties: ['Id', 'Name'], dynamic: true, selected: ['Id', 'Name'], exact: true }],
    [{ $select: '*' }, { properties: ['Id', 'Name'], dynamic: true, selected: ['Id', 'Name'], exact: true }],
    [{ $select: 'Id' }, { properties: ['Id'], dynamic: false, selected: ['Id'], exact: true }],
    [{ $select: 'Extra' }, { properties: ['Id'], dynamic: true, selected: ['Extra'], exact: false }],
    [
      { $select: 'Id', $filter: 'Extra eq 5' },
      { properties: ['Id'], dynamic: true, selected: ['Id'], exact: true },
    ],
    [
      { $select: 'Id', $orderby: 'Extra' },
      { properties: ['Id'], dynamic: true, selected: ['Id'], exact: true },
    ],
  ])('%o', (query, expected) => {
    expect(wanted(query)).toEqual(expected);
  });

  it('is asked by /$count, too', () => {
    expect(compiledCount({ $filter: 'Extra eq 5' }, KEEPER_TYPE).dynamic).toBe(true);
    expect(compiledCount({ $filter: `Name eq 'x'` }, KEEPER_TYPE).dynamic).toBe(false);
  });

  it.each<[Query, object]>([
    [{}, { Id: '1', Name: 'Kim', Extra: 5, Since: '2020-01-01' }],
    [{ $select: '*' }, { Id: '1', Name: 'Kim', Extra: 5, Since: '2020-01-01' }],
    [{ $select: 'Name,Extra' }, { Id: '1', Name: 'Kim', Extra: 5 }],
    [
      { $select: 'Name', $filter: 'Extra eq 5' },
      { Id: '1', Name: 'Kim' },
    ],
    [
      { $select: 'Id,N', $compute: 'Extra add 1 as N' },
      { Id: '1', Name: 'Kim', N: 6 },
    ],
  ])('and what of it is not to be shown is left out: %o', (query, row) => {
    expect(compiled(query, KEEPER_TYPE).run(KEEPERS).rows[0]).toEqual(row);
  });

  it('is nothing of a type that is not open', () => {
    expect(compiled({}).dynamic).toBe(false);
    expect(animals({})).toBe(ANIMALS.map(({ Id }) => Id).join(''));
  });
});
