import type { RequestBudget } from '../../contract/request-budget.ts';
import { isInherited, type Row, TYPE, type Value, valueReader } from '../../contract/row.ts';
import type { Work } from '../../core/work.ts';
import { distantDate } from '../../model/type-use.ts';
import {
  type Apply,
  type BoundCall,
  type BoundCase,
  type BoundComparison,
  type BoundExpression,
  type BoundFilter,
  type BoundIn,
  type BoundLambda,
  type BoundLogical,
  type BoundObject,
  countNodes,
  type OrderOperator,
  plainValue,
  type Selection,
  someExpression,
} from '../scope/scope.ts';
import { type ExpressionType, isPlainNumber } from '../typing/expression-type.ts';
import { dateKey, dateTimeKey, durationOf, timeKey } from '../values/date-time.ts';
import { compareDecimals, type DecimalValue } from '../values/decimal.ts';

/** The value of an expression for a row. */
export type Evaluator = (row: Row) => Value;

/** Evaluates a condition for a row, without null. */
export type Predicate = (row: Row) => boolean;

/**
 * Compiles an expression to a function of one row.
 *
 * All names are resolved and all constants computed before, so that the function looks nothing up; it
 * throws only where the standard says that evaluation fails (a division by zero, a negative length).
 */
export function compileValue(node: BoundExpression): Evaluator {
  switch (node.kind) {
    case 'constant':
      return () => node.value;
    case 'property':
      return valueReader(node.name);
    case 'row':
      return (row) => row;
    case 'variable':
      return () => node.cell.value;
    case 'filter':
      return filteredItems(node, compileValue(node.collection), compileTrue(node.predicate));
    case 'list':
      return listValue(node.items.map(compileValue));
    case 'object':
      return objectValue(node);
    case 'call':
      return callValue(node);
    case 'case':
      return caseValue(node);
    case 'not':
    case 'logical':
    case 'comparison':
    case 'in':
    case 'lambda':
      return booleanValue(compileTrue(node), compileFalse(node));
  }
}

/**
 * Compiles a Boolean expression to the question whether it is true.
 *
 * With {@link compileFalse} as its counterpart this is the three-valued logic of 5.1.1.1.7 to 5.1.1.1.9
 * without a third value: what is neither true nor false is null. `$filter` asks only for true.
 */
export function compileTrue(node: BoundExpression): Predicate {
  switch (node.kind) {
    case 'not':
      return compileFalse(node.operand);
    case 'logical':
      return node.operator === 'and'
        ? every(predicates(node, compileTrue))
        : some(predicates(node, compileTrue));
    case 'comparison':
      return compileComparison(node);
    case 'in':
      return compileIn(node);
    case 'lambda':
      return compileLambda(node, compileValue(node.collection), compileTrue(node.predicate));
    case 'call':
      return compileTextTest(node) ?? isTrue(callValue(node));
    default:
      return isTrue(compileValue(node));
  }
}

/** Compiles a Boolean expression to the question whether it is false. */
function compileFalse(node: BoundExpression): Predicate {
  switch (node.kind) {
    case 'not':
      return compileTrue(node.operand);
    case 'logical':
      return node.operator === 'and'
        ? some(predicates(node, compileFalse))
        : every(predicates(node, compileFalse));
    case 'comparison':
    case 'in':
      return isNot(compileTrue(node));
    case 'lambda':
      return noneButNull(compileValue(node.collection), compileTrue(node));
    default:
      return isFalse(compileValue(node));
  }
}

/** Comparisons of a property with a constant come first: they take less time and never fail. */
function predicates(
  node: BoundLogical,
  compile: (operand: BoundExpression) => Predicate,
): readonly Predicate[] {
  const cheap = node.operands.filter(isCheap);
  const dear = node.operands.filter((operand) => !isCheap(operand));
  return [...cheap, ...dear].map(compile);
}

function every(all: readonly Predicate[]): Predicate {
  return chain(all, (first, second) => (row) => first(row) && second(row));
}

function some(all: readonly Predicate[]): Predicate {
  return chain(all, (first, second) => (row) => first(row) || second(row));
}

/** Combines predicates from the left, halving the list so that long chains do not nest deeply. */
function chain(
  all: readonly Predicate[],
  combine: (first: Predicate, second: Predicate) => Predicate,
): Predicate {
  const [first, second] = all;
  if (first === undefined || second === undefined) {
    return first ?? (() => true);
  }
  const middle = Math.ceil(all.length / 2);
  return combine(chain(all.slice(0, middle), combine), chain(all.slice(middle), combine));
}

function isTrue(value: Evaluator): Predicate {
  return (row) => value(row) === true;
}

function isFalse(value: Evaluator): Predicate {
  return (row) => value(row) === false;
}

function isNot(predicate: Predicate): Predicate {
  return (row) => !predicate(row);
}

function booleanValue(whenTrue: Predicate, whenFalse: Predicate): Evaluator {
  return (row) => (whenTrue(row) ? true : whenFalse(row) ? false : null);
}

function listValue(items: readonly Evaluator[]): Evaluator {
  return (row) => items.map((item) => item(row));
}

function objectValue({ members, derived }: BoundObject): Evaluator {
  const evaluators = members.map(({ name, value }) => [name, compileValue(value)] as const);
  const type = derived === undefined ? {} : { [TYPE]: derived };
  return (row) => ({ ...Object.fromEntries(evaluators.map(([name, value]) => [name, value(row)])), ...type });
}

/** A lambda operator is null where its collection is null, and else true or false (5.1.1.13). */
function noneButNull(collection: Evaluator, holds: Predicate): Predicate {
  return (row) => collection(row) !== null && !holds(row);
}

/** 5.1.1.2 and 5.1.1.4: with a null operand or argument the result is null. */
function callValue(node: BoundCall): Evaluator {
  const apply = node.evaluate as Apply;
  const [first, second, third] = node.arguments.map(compileValue);
  if (first === undefined) {
    return () => apply(null, null, null);
  }
  if (second === undefined) {
    return (row) => {
      const value = first(row);
      return value === null ? null : apply(value, null, null);
    };
  }
  return third === undefined ? binaryValue(apply, first, second) : ternaryValue(apply, first, second, third);
}

function binaryValue(apply: Apply, first: Evaluator, second: Evaluator): Evaluator {
  return (row) => {
    const left = first(row);
    const right = left === null ? null : second(row);
    return right === null ? null : apply(left, right, null);
  };
}

function ternaryValue(apply: Apply, first: Evaluator, second: Evaluator, third: Evaluator): Evaluator {
  return (row) => {
    const [one, two, three] = [first(row), second(row), third(row)];
    return one === null || two === null || three === null ? null : apply(one, two, three);
  };
}

function caseValue(node: BoundCase): Evaluator {
  const branches = node.branches.map(({ condition, value }) => ({
    holds: compileTrue(condition),
    value: compileValue(value),
  }));
  return (row) => branches.find(({ holds }) => holds(row))?.value(row) ?? null;
}

/** `any` of an empty collection is false, `all` is true (5.1.1.13). */
function compileLambda(
  { operator, variable: { cell }, predicate, current }: BoundLambda,
  collection: Evaluator,
  holds: Predicate,
): Predicate {
  const isAny = operator === 'any';
  const nodes = countNodes(predicate);
  return (row) => {
    const items = collection(row);
    if (items === null) return false;
    let found = 0;
    for (const item of items as readonly Value[]) {
      found += 1;
      cell.value = item;
      if (holds(row) === isAny) {
        current.budget.chargeItems(found, nodes);
        return isAny;
      }
    }
    current.budget.chargeItems(found, nodes);
    return !isAny;
  };
}

const BESIDE_ITEMS: ReadonlySet<BoundExpression['kind']> = new Set(['row', 'property', 'lambda', 'filter']);

/**
 * Selects the items of which one decides an `any` or `all`; undefined if that takes more than the items themselves.
 */
export function compileDeciding(lambda: BoundLambda): Selection | undefined {
  const { operator, collection, variable, predicate, current } = lambda;
  // A property is one of the row around; operators inside have variables of their own.
  const isOther = (node: BoundExpression): boolean =>
    (BESIDE_ITEMS.has(node.kind) && node !== collection) ||
    (node.kind === 'variable' && node.cell !== variable.cell);
  if (someExpression(predicate, isOther)) return undefined;
  const holds = compileTrue(predicate);
  const nodes = countNodes(predicate);
  const { cell } = variable;
  function* deciding(budget: RequestBudget, rows: readonly Row[]): Work<readonly Row[]> {
    const found: Row[] = [];
    for (const row of rows) {
      budget.chargeItems(1, nodes);
      cell.value = row;
      if (holds(row) === (operator === 'any')) found.push(row);
      if (budget.isDue()) yield;
    }
    return found;
  }
  return async (budget, given) => {
    const rows = await budget.rows(given);
    return budget.run(current.during(budget, () => deciding(budget, rows)));
  };
}

/** The items that pass a `/$filter` (5.1.1.15). */
function filteredItems(
  { variable: { cell }, predicate, current }: BoundFilter,
  collection: Evaluator,
  holds: Predicate,
): Evaluator {
  const nodes = countNodes(predicate);
  return (row) => {
    const items = collection(row) as readonly Value[] | null;
    if (items === null) return null;
    current.budget.chargeItems(items.length, nodes);
    return items.filter((item) => {
      cell.value = item;
      return holds(row);
    });
  };
}

/**
 * contains, startswith or endswith of a property and a constant, which are the commonest filters, as one
 * function; undefined for everything else.
 */
function compileTextTest(node: BoundCall): Predicate | undefined {
  const [property, part] = node.arguments;
  return property?.kind === 'property' && part?.kind === 'constant' && typeof part.value === 'string'
    ? TESTS.get(node.name)?.(property.name, part.value)
    : undefined;
}

const TESTS: ReadonlyMap<string, (name: string, part: string) => Predicate> = new Map([
  ['contains', contains],
  ['startswith', startsWith],
  ['endswith', endsWith],
]);

function contains(name: string, part: string): Predicate {
  return (row) => {
    const text = row[name];
    return typeof text === 'string' && text.includes(part);
  };
}

function startsWith(name: string, part: string): Predicate {
  return (row) => {
    const text = row[name];
    return typeof text === 'string' && text.startsWith(part);
  };
}

function endsWith(name: string, part: string): Predicate {
  return (row) => {
    const text = row[name];
    return typeof text === 'string' && text.endsWith(part);
  };
}

type Operand = Key | null;

/**
 * A comparison (5.1.1.1.1 to 5.1.1.1.6): null is equal to null only, and neither greater nor less than
 * anything, so that no comparison is null.
 */
function compileComparison(node: BoundComparison): Predicate {
  const { left, right, operator } = node;
  const ordering = orderingOfOperands(node);
  if (isPlain(ordering) && left.kind === 'property' && right.kind === 'constant' && !isInherited(left.name)) {
    return COMPARE_PROPERTY[operator](left.name, right.value as Operand);
  }
  const first = keyReader(compileValue(left), ordering);
  const second =
    right.kind === 'constant'
      ? constantReader(right.value, ordering)
      : keyReader(compileValue(right), ordering);
  return isPlain(ordering)
    ? COMPARE_VALUES[operator](first, second)
    : compareOrdered(operator, ordering, first, second);
}

/** Takes hardly any time and cannot fail: a property against a constant, by JavaScript's own operators. */
function isCheap(node: BoundExpression): boolean {
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
function compileIn(node: BoundIn): Predicate {
  const ordering = orderingOf(node.as);
  const operand = keyReader(compileValue(node.operand), ordering);
  const constants = node.items.flatMap((item) => (item.kind === 'constant' ? [item.value] : []));
  if (constants.length === node.items.length && ordering.compare === compareKeys) {
    return isOneOf(operand, constants, ordering);
  }
  const tests = node.items
    .map((item) => keyReader(compileValue(item), ordering))
    .map((item) => compareOrdered('eq', ordering, operand, item));
  return (row) => tests.some((test) => test(row));
}

function isOneOf(operand: KeyReader, constants: readonly Value[], ordering: Ordering): Predicate {
  const keys = constants.map((value) => constantKey(value, ordering));
  // A set finds NaN in itself, which is equal to nothing.
  const found = new Set(keys.filter((item) => !Number.isNaN(item)));
  return (row) => found.has(operand(row));
}

/** The comparison key of a row; null if the expression is null. */
export type KeyReader = (row: Row) => Key | null;

export function keyReader(value: Evaluator, { key }: Ordering): KeyReader {
  return key === undefined
    ? (value as KeyReader)
    : (row) => {
        const found = value(row);
        return found === null ? null : key(found);
      };
}

/** Values that JavaScript's operators order like OData: strings by code unit, false before true. */
export type Key = string | number | bigint | boolean;

/** The comparison of values of a type. */
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

/** Applies an operator to the outcome of a comparison. NaN equals nothing, not even itself. */
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
