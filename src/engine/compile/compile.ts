import { TYPE, type Value } from '../../contract/row.ts';
import {
  type Apply,
  type BoundCall,
  type BoundCase,
  type BoundExpression,
  type BoundFilter,
  type BoundLambda,
  type BoundLogical,
  type BoundObject,
  countNodes,
} from '../scope/bound-tree.ts';
import type { Evaluator, Predicate } from '../values/query-run.ts';
import { compileComparison, compileIn, isCheap } from './comparison.ts';

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
      return propertyValue(node.name);
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
      return compileComparison(node, compileValue);
    case 'in':
      return compileIn(node, compileValue);
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

function propertyValue(name: string): Evaluator {
  return (row) => row[name] ?? null;
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
    return unaryValue(apply, first);
  }
  return third === undefined ? binaryValue(apply, first, second) : ternaryValue(apply, first, second, third);
}

function unaryValue(apply: Apply, first: Evaluator): Evaluator {
  return (row) => {
    const value = first(row);
    return value === null ? null : apply(value, null, null);
  };
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

/** Whether `any` or `all` is true: `any` of nothing is false, `all` of nothing is true (5.1.1.13). */
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
