import type { CaseExpression, Expression } from '../../../src/engine/tree/query-tree.ts';
import { binary, int, literal, property, string, unary } from './trees.ts';

/**
 * The value of $filter → its tree (Part 2, 5.1.1.12).
 *
 * A colon may be part of a time: that of a condition is as long as it can be while a colon is left for the value.
 */
export const CASES: readonly (readonly [string, Expression])[] = [
  ['case(x eq 10:20)', when(equal(int(10, 10)), int(13, 20))],
  ['case(x eq 10:20 add 1)', when(equal(int(10, 10)), binary(16, 'add', int(13, 20), int(20, 1)))],
  ['case(x eq 10:20.5)', when(equal(int(10, 10)), literal(13, 'Edm.Decimal', '20.5'))],
  ['case(x eq 10:200)', when(equal(int(10, 10)), int(13, 200))],
  ['case(x eq -10:20)', when(equal(int(10, -10)), int(14, 20))],
  ['case(x eq - 10:20)', when(equal(unary(10, 'negate', int(12, 10))), int(15, 20))],
  ['case(x eq 10 : 20)', when(equal(int(10, 10)), int(15, 20))],
  ['case(x eq 10:20:30)', when(equal(time(10, '10:20')), int(16, 30))],
  ['case(x eq 10:20:300)', when(equal(time(10, '10:20')), int(16, 300))],
  ['case(x eq 10:20:30:40)', when(equal(time(10, '10:20:30')), int(19, 40))],
  ['case(x eq 10:20:30.5:11:50)', when(equal(time(10, '10:20:30.5')), time(21, '11:50'))],
  ["case(x eq 10:20 : 'a:b')", when(equal(time(10, '10:20')), string(18, 'a:b'))],
  ['case(x:10:20)', when(property(5, 'x'), time(7, '10:20'))],
  ['case(x:10:20:30)', when(property(5, 'x'), time(7, '10:20:30'))],
  ['case((x eq 10:20):y)', when(binary(8, 'eq', property(6, 'x'), time(11, '10:20')), property(18, 'y'))],
  ['case(x eq 2024-02-29:10:20)', when(equal(literal(10, 'Edm.Date', '2024-02-29')), time(21, '10:20'))],
  [
    'case(x eq 10:2024-02-29T10:20Z)',
    when(equal(int(10, 10)), literal(13, 'Edm.DateTimeOffset', '2024-02-29T10:20Z')),
  ],
  [
    'case(x eq 2024-02-29T10:20%2B01:00:10:20)',
    when(equal(literal(10, 'Edm.DateTimeOffset', '2024-02-29T10:20+01:00')), time(33, '10:20')),
  ],
  [
    'case(x eq 10:case(y:11:12))',
    when(equal(int(10, 10)), caseOf(13, [property(18, 'y'), time(20, '11:12')])),
  ],
  [
    'case(case(y:10:20) eq 10:20:30)',
    when(binary(19, 'eq', caseOf(5, [property(10, 'y'), time(12, '10:20')]), time(22, '10:20')), int(28, 30)),
  ],
  [
    'case(x eq 10:20,y:11:12,x:13) eq 10:20',
    binary(
      30,
      'eq',
      caseOf(
        0,
        [equal(int(10, 10)), int(13, 20)],
        [property(16, 'y'), time(18, '11:12')],
        [property(24, 'x'), int(26, 13)],
      ),
      time(33, '10:20'),
    ),
  ],
];

function when(condition: Expression, value: Expression): CaseExpression {
  return caseOf(0, [condition, value]);
}

function caseOf(
  position: number,
  ...branches: readonly (readonly [Expression, Expression])[]
): CaseExpression {
  return {
    kind: 'case',
    position,
    branches: branches.map(([condition, value]) => ({ condition, value })),
  };
}

/** `x eq …`, where the first condition of the first case stands. */
function equal(value: Expression): Expression {
  return binary(7, 'eq', property(5, 'x'), value);
}

function time(position: number, text: string): Expression {
  return literal(position, 'Edm.TimeOfDay', text);
}
