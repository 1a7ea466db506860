import type { Row, Value } from '../../contract/row.ts';
import {
  compileValue,
  type Evaluator,
  isPlain,
  type Key,
  keyReader,
  type Ordering,
  orderingOf,
} from '../compile/compile.ts';
import { memberNumber } from '../operators/bind-operator.ts';
import { type BoundExpression, badRequest, quote, readAs, type Scope } from '../scope/scope.ts';
import {
  type ExpressionType,
  enumerationOf,
  isCollection,
  isFloating,
  isGeography,
  isInteger,
  isNumeric,
  isStructured,
  typeName,
} from '../typing/expression-type.ts';
import { addDecimals, type DecimalValue, divideDecimals, parseDecimal } from '../values/decimal.ts';
import { type Accumulator, gatherThen, groupKey, type NewAccumulator } from './group-rows.ts';

/** An aggregation method on an expression: its value for rows, and the type of that. */
export interface Aggregate {
  readonly type: ExpressionType;
  readonly gather: NewAccumulator<Value>;
}

/** The type of counts: Edm.Decimal with the scale 0 (Data Aggregation 4.0, 3.1.3.5). */
const COUNT_TYPE: ExpressionType = 'Edm.Decimal';

/** A standard aggregation method (Data Aggregation 4.0, 3.1.3). Null is left out by all of them. */
export function bindMethod(
  method: string,
  expression: BoundExpression,
  scope: Scope,
  position: number,
): Aggregate {
  switch (method) {
    case 'sum':
      return sum(requireNumber(method, expression, scope, position));
    case 'average':
      return average(requireNumber(method, expression, scope, position));
    case 'countdistinct':
      return countDistinct(requireSingle(method, expression, scope, position), scope);
    default:
      return extreme(method, requireOrdered(method, expression, scope, position));
  }
}

/** 3.1.3.1: of a type that no sum of the values is too large for; null where there is no value. */
function sum(expression: BoundExpression): Aggregate {
  const { type } = expression;
  const isSmall = isInteger(type) && type !== 'Edm.Int64';
  return {
    type: isFloating(type) ? 'Edm.Double' : isSmall ? 'Edm.Int64' : 'Edm.Decimal',
    gather: gatherThen(compileTotal(expression), ({ total, count }) => {
      if (count === 0) return null;
      return isSmall && typeof total === 'string' ? BigInt(total) : total;
    }),
  };
}

/** 3.1.3.4: Edm.Double for floating types, else Edm.Decimal. */
function average(expression: BoundExpression): Aggregate {
  const type = isFloating(expression.type) ? 'Edm.Double' : 'Edm.Decimal';
  return {
    type,
    gather: gatherThen(compileTotal(expression), ({ total, count }) => {
      if (count === 0) return null;
      return type === 'Edm.Double' ? Number(total) / count : divideDecimals(total, count);
    }),
  };
}

interface Total {
  readonly total: DecimalValue;
  /** The number of non-null values. */
  readonly count: number;
}

function compileTotal(expression: BoundExpression): NewAccumulator<Total> {
  const value = compileValue(expression);
  return isFloating(expression.type) ? () => floatingTotal(value) : () => exactTotal(value);
}

function floatingTotal(value: Evaluator): Accumulator<Total> {
  let total = 0;
  let count = 0;
  return {
    add(row) {
      const found = value(row);
      if (found === null) return;
      total += found as number;
      count += 1;
    },
    result: () => ({ total, count }),
  };
}

function exactTotal(value: Evaluator): Accumulator<Total> {
  const sum = new ExactSum();
  let count = 0;
  return {
    add(row) {
      const found = value(row);
      if (found === null) return;
      sum.add(found as DecimalValue);
      count += 1;
    },
    result: () => ({ total: sum.total(), count }),
  };
}

/** 3.1.3.2 and 3.1.3.3: the least or the greatest value, of the same type. */
function extreme(method: string, expression: BoundExpression): Aggregate {
  const enumeration = enumerationOf(expression.type);
  const compared = enumeration === undefined ? expression : memberNumber(expression, enumeration);
  const value = compileValue(expression);
  const ordering = orderingOf(compared.type);
  const key = keyReader(compileValue(compared), ordering);
  const isBeyond = method === 'min' ? isBelow(ordering) : isAbove(ordering);
  const gather = (): Accumulator<Value> => {
    let best: Key | undefined;
    let found: Row | undefined;
    return {
      add(row) {
        const next = key(row);
        if (next === null || (best === undefined ? Number.isNaN(next) : !isBeyond(next, best))) return;
        best = next;
        found = row;
      },
      result: () => (found === undefined ? null : value(found)),
    };
  };
  return { type: expression.type, gather };
}

function isBelow(ordering: Ordering): (left: Key, right: Key) => boolean {
  if (isPlain(ordering)) return (left, right) => left < right;
  return (left, right) => ordering.compare(left, right) < 0;
}

function isAbove(ordering: Ordering): (left: Key, right: Key) => boolean {
  if (isPlain(ordering)) return (left, right) => left > right;
  return (left, right) => ordering.compare(left, right) > 0;
}

/** 3.1.3.5: how many different values there are. */
function countDistinct(expression: BoundExpression, scope: Scope): Aggregate {
  const value = compileValue(expression);
  const key = groupKey(expression, scope);
  const gather = (): Accumulator<Value> => {
    const values = new Set<unknown>();
    return {
      add(row) {
        const found = value(row);
        if (found === null) return;
        if (typeof found === 'string') scope.current.budget.chargeText(found.length);
        const before = values.size;
        values.add(key === undefined ? found : key(found));
        if (values.size > before) scope.current.budget.keep();
      },
      result: () => values.size,
    };
  };
  return { type: COUNT_TYPE, gather };
}

export const ROW_COUNT: Aggregate = {
  type: COUNT_TYPE,
  gather() {
    let count = 0;
    return {
      add() {
        count += 1;
      },
      result: () => count,
    };
  },
};

/** Sums counts of items per row; 0 without items, not null. */
export function total(expression: BoundExpression): Aggregate {
  const value = compileValue(expression);
  const gather = (): Accumulator<Value> => {
    let count = 0;
    return {
      add(row) {
        count += Number(value(row));
      },
      result: () => count,
    };
  };
  return { type: COUNT_TYPE, gather };
}

/** Throws unless the expression is numeric. */
function requireNumber(
  method: string,
  found: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const expression = readAs(found, 'Edm.Decimal');
  if (!isNumeric(expression.type)) throw unfit(method, 'a number', expression, scope, position);
  return expression;
}

/** Throws unless the expression is a single value. */
function requireSingle(
  method: string,
  expression: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (isCollection(expression.type)) throw unfit(method, 'a single value', expression, scope, position);
  return expression;
}

/** Throws unless the expression has an order. */
function requireOrdered(
  method: string,
  expression: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const { type } = expression;
  const hasNone = isCollection(type) || isGeography(type) || isStructured(type);
  if (hasNone) throw unfit(method, 'a primitive value', expression, scope, position);
  return expression;
}

function unfit(
  method: string,
  expected: string,
  { type }: BoundExpression,
  scope: Scope,
  position: number,
): Error {
  return badRequest(scope, position, `${quote(method)} expects ${expected}, found ${typeName(type)}`);
}

const MOST_PLACES = 9;
const POWERS: readonly number[] = Array.from({ length: MOST_PLACES + 1 }, (_, places) => 10 ** places);
/** Below, a number with so many places is the shortest decimal form of one double only. */
const EXACT_BELOW = 1e15;

/**
 * Adds numbers and exact decimals up without rounding.
 *
 * As long as all of them have few places it counts in units of the smallest of them, in integers that
 * doubles hold; what is beyond that is added digit by digit.
 */
class ExactSum {
  #units = 0;
  #places = 0;
  #rest: DecimalValue = 0;

  add(value: DecimalValue): void {
    const units = typeof value === 'number' ? this.#unitsOf(value) : undefined;
    const sum = units === undefined ? Number.NaN : this.#units + units;
    if (Math.abs(sum) < EXACT_BELOW) this.#units = sum;
    else this.#rest = addDecimals(this.#rest, value);
  }

  total(): DecimalValue {
    const counted = parseDecimal(`${this.#units}e-${this.#places}`) ?? 0;
    return this.#rest === 0 ? counted : addDecimals(counted, this.#rest);
  }

  /** The value in units of the sum, which are made smaller where it needs more places. */
  #unitsOf(value: number): number | undefined {
    for (let places = this.#places; places <= MOST_PLACES; places++) {
      const power = POWERS[places] ?? Number.NaN;
      const units = Math.round(value * power);
      if (Math.abs(units) >= EXACT_BELOW) return undefined;
      if (units / power === value) return this.#refine(places) ? units : undefined;
    }
    return undefined;
  }

  #refine(places: number): boolean {
    const units = this.#units * 10 ** (places - this.#places);
    if (Math.abs(units) >= EXACT_BELOW) return false;
    this.#units = units;
    this.#places = places;
    return true;
  }
}
