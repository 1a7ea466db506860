import type { Row, Value } from '../../contract/row.ts';
import { distantDate } from '../../model/type-use.ts';
import {
  type BoundComparison,
  type BoundExpression,
  type BoundIn,
  type OrderOperator,
  plainValue,
} from '../scope/bound-tree.ts';
import { type ExpressionType, isPlainNumber } from '../typing/expression-type.ts';
import { dateKey, dateTimeKey, durationOf, timeKey } from '../values/date-time.ts';
import { compareDecimals, type DecimalValue } from '../values/decimal.ts';
import type { Evaluator, Predicate } from '../values/query-run.ts';

type Compile = (node: BoundExpression) => Evaluator;
type Operand = Key | null;

/**
 * A comparison (5.1.1.1.1 to 5.1.1.1.6): null is equal to null only, and neither greater nor less than
 * anything, so that no comparison is null.
 */
export function compileComparison(node: BoundComparison, compile: Compile): Predicate {
  const { left, right, operator } = node;
  const ordering = orderingOfOperands(node);
  if (isPlain(ordering) && left.kind === 'property' && right.kind === 'constant') {
    return COMPARE_PROPERTY[operator](left.name, right.value as Operand);
  }
  const first = keyReader(compile(left), ordering);
  const second =
    right.kind === 'constant' ? constantReader(right.value, ordering) : keyReader(compile(right), ordering);
  return isPlain(ordering)
    ? COMPARE_VALUES[operator](first, second)
    : compareOrdered(operator, ordering, first, second);
}

/** Takes hardly any time and cannot fail: a property against a constant, by JavaScript's own operators. */
export function isCheap(node: BoundExpression): boolean {
  return (
    node.kind === 'comparison' &&
    node.left.kind === 'property' &&
    node.right.kind === 'constant' &&
    isPlain(orderingOfOperands(node))
  );
}

/** Decimals that are numbers on both sides, such as an Int32 and 1.5, need no exact arithmetic. */
function orderingOfOperands({ left, right, as, same }: BoundComparison): Ordering {
  if (same !== undefined)
    return { key: undefined, compare: (one, other) => (same(one, other) ? 0 : Number.NaN) };
  if (as === 'Edm.Date' && (isDistantDate(left) || isDistantDate(right))) return DISTANT_DATES;
  return orderingOf(isNumber(left) && isNumber(right) ? 'Edm.Double' : as);
}

function isDistantDate(node: BoundExpression): boolean {
  return node.kind === 'constant' && distantDate(String(node.value)) !== undefined;
}

function isNumber(node: BoundExpression): boolean {
  return isPlainNumber(node.type) || (node.kind === 'constant' && typeof node.value === 'number');
}

function constantKey(value: Value, { key }: Ordering): Operand {
  return value === null || key === undefined ? (value as Operand) : key(value);
}

function constantReader(value: Value, ordering: Ordering): KeyReader {
  const found = constantKey(value, ordering);
  return () => found;
}

const isNever: Predicate = () => false;

/** The comparisons by operator, so that each function holds one operator only. */
const COMPARE_PROPERTY: Readonly<Record<OrderOperator, (name: string, constant: Operand) => Predicate>> = {
  eq: (name, constant) => (row) => row[name] === constant,
  ne: (name, constant) => (row) => row[name] !== constant,
  gt: whereNotNull((name, constant) => (row) => {
    const value = row[name] as Operand;
    return value !== null && value > constant;
  }),
  ge: whereNotNull((name, constant) => (row) => {
    const value = row[name] as Operand;
    return value !== null && value >= constant;
  }),
  lt: whereNotNull((name, constant) => (row) => {
    const value = row[name] as Operand;
    return value !== null && value < constant;
  }),
  le: whereNotNull((name, constant) => (row) => {
    const value = row[name] as Operand;
    return value !== null && value <= constant;
  }),
};

function whereNotNull(compare: (name: string, constant: Key) => Predicate) {
  return (name: string, constant: Operand): Predicate =>
    constant === null ? isNever : compare(name, constant);
}

const COMPARE_VALUES: Readonly<Record<OrderOperator, (left: KeyReader, right: KeyReader) => Predicate>> = {
  eq: (left, right) => (row) => left(row) === right(row),
  ne: (left, right) => (row) => left(row) !== right(row),
  gt: (left, right) => bothNotNull(left, right, (first, second) => first > second),
  ge: (left, right) => bothNotNull(left, right, (first, second) => first >= second),
  lt: (left, right) => bothNotNull(left, right, (first, second) => first < second),
  le: (left, right) => bothNotNull(left, right, (first, second) => first <= second),
};

function bothNotNull(
  left: KeyReader,
  right: KeyReader,
  holds: (first: Key, second: Key) => boolean,
): Predicate {
  return (row) => {
    const first = left(row);
    const second = right(row);
    return first !== null && second !== null && holds(first, second);
  };
}

function compareOrdered(
  operator: OrderOperator,
  { compare }: Ordering,
  left: KeyReader,
  right: KeyReader,
): Predicate {
  const bothNull = operator === 'eq';
  const oneNull = operator === 'ne';
  return (row) => {
    const first = left(row);
    const second = right(row);
    if (first === null || second === null) {
      return first === second ? bothNull : oneNull;
    }
    return verdict(operator, compare(first, second));
  };
}

/** `in` (5.1.1.1.12): equal to one of the items. */
export function compileIn(node: BoundIn, compile: Compile): Predicate {
  const ordering = orderingOf(node.as);
  const operand = keyReader(compile(node.operand), ordering);
  const constants = node.items.flatMap((item) => (item.kind === 'constant' ? [item.value] : []));
  if (constants.length === node.items.length && ordering.compare === compareKeys) {
    return isOneOf(operand, constants, ordering);
  }
  const tests = node.items
    .map((item) => keyReader(compile(item), ordering))
    .map((item) => compareOrdered('eq', ordering, operand, item));
  return (row) => tests.some((test) => test(row));
}

function isOneOf(operand: KeyReader, constants: readonly Value[], ordering: Ordering): Predicate {
  const keys = constants.map((value) => constantKey(value, ordering));
  // A set finds NaN in itself, which is equal to nothing.
  const found = new Set(keys.filter((item) => !Number.isNaN(item)));
  return (row) => found.has(operand(row));
}

/** What a row is compared and sorted by; null where the expression is null. */
export type KeyReader = (row: Row) => Key | null;

export function keyReader(value: Evaluator, { key }: Ordering): KeyReader {
  return key === undefined
    ? (value as KeyReader)
    : (row) => {
        const found = value(row);
        return found === null ? null : key(found);
      };
}

/** What JavaScript's own operators order as OData does: strings by code unit, false before true. */
export type Key = string | number | bigint | boolean;

/** How the values of a type are compared. */
export interface Ordering {
  /** Turns a value into one that `compare` understands; undefined where values are keys already. */
  readonly key: ((value: Value) => Key) | undefined;
  /** Negative, zero or positive; NaN where the two have no order. */
  readonly compare: (left: Key, right: Key) => number;
}

const PLAIN: Ordering = { key: undefined, compare: compareKeys };
const DECIMAL: Ordering = {
  key: undefined,
  compare: (left, right) => compareDecimals(left as DecimalValue, right as DecimalValue),
};
/** Values whose types only they can tell: those of different types have no order, and are not equal. */
const UNTYPED: Ordering = {
  key: (value) => plainValue(value) as Key,
  compare: (left, right) =>
    isNumberKey(left) === isNumberKey(right) ? compareAlike(left, right) : Number.NaN,
};

const ORDERINGS: ReadonlyMap<ExpressionType, Ordering> = new Map<ExpressionType, Ordering>([
  ['Edm.Decimal', DECIMAL],
  ['Edm.Untyped', UNTYPED],
  ['Edm.Binary', byKey(bytesOf)],
  ['Edm.Guid', byKey((text) => text.toLowerCase())],
  ['Edm.DateTimeOffset', byKey(dateTimeKey)],
  ['Edm.TimeOfDay', byKey(timeKey)],
  ['Edm.Duration', byKey(durationOf)],
]);

/** Dates where one is a literal that no value has the form of, so that its text alone does not say where it belongs. */
const DISTANT_DATES = byKey(dateKey);

/** The order of a type's values (5.1.1.1). */
export function orderingOf(type: ExpressionType): Ordering {
  return ORDERINGS.get(type) ?? PLAIN;
}

function compareAlike(left: Key, right: Key): number {
  const isAlike = isNumberKey(left) || (typeof left === typeof right && typeof left !== 'object');
  return isAlike ? compareKeys(left, right) : Number.NaN;
}

function isNumberKey(key: Key): boolean {
  return typeof key === 'number' || typeof key === 'bigint';
}

/** Text with the order of the bytes. */
function bytesOf(text: string): string {
  return Buffer.from(text, 'base64url').toString('latin1');
}

export function isPlain(ordering: Ordering): boolean {
  return ordering === PLAIN;
}

function byKey(key: (text: string) => Key): Ordering {
  return { key: (value) => key(String(value)), compare: compareKeys };
}

export function compareKeys(left: Key, right: Key): number {
  if (left < right) {
    return -1;
  }
  return left > right ? 1 : left === right ? 0 : Number.NaN;
}

/** What an operator says to the outcome of a comparison. NaN is equal to nothing, itself included. */
function verdict(operator: OrderOperator, outcome: number): boolean {
  switch (operator) {
    case 'eq':
      return outcome === 0;
    case 'ne':
      return outcome !== 0;
    case 'gt':
      return outcome > 0;
    case 'ge':
      return outcome >= 0;
    case 'lt':
      return outcome < 0;
    case 'le':
      return outcome <= 0;
  }
}
