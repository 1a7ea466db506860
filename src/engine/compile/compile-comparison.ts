import type { Value } from '../../contract/row.ts';
import { distantDate } from '../../model/literal-form.ts';
import type { BoundComparison, BoundExpression, BoundIn, OrderOperator } from '../scope/bound-tree.ts';
import { isPlainNumber } from '../typing/expression-type.ts';
import {
  compareKeys,
  DISTANT_DATES,
  isPlain,
  type Key,
  type Ordering,
  orderingOf,
  verdict,
} from './compare.ts';
import type { Evaluator, Predicate } from './evaluator.ts';
import { type KeyReader, keyReader } from './key-reader.ts';

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

/** By operator, so that each function holds one operator only. */
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
