import { bindExpression } from '../bind/bind.ts';
import { bindKeyPart, isStream } from '../bind/bind-property.ts';
import { compareKeys, type Key, type Ordering, orderingOf } from '../compile/compare.ts';
import { compileValue } from '../compile/compile.ts';
import { type KeyReader, keyReader } from '../compile/key-reader.ts';
import { memberNumber } from '../operators/bind-comparison.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import type { Expression, OrderByItem } from '../tree/expression-tree.ts';
import { type ExpressionType, isCollection, isGeography, isPlainNumber } from '../typing/expression-type.ts';
import { enumerationType, structuredType } from '../typing/model-type.ts';

/** What a row is sorted by; null where the expression is null. */
export type SortKey = Key | null;

/** One term of `$orderby`: what it reads, and which of two keys comes first. */
export interface OrderTerm {
  readonly read: KeyReader;
  readonly compare: (left: SortKey, right: SortKey) => number;
}

/** An order of rows: the first term, which most rows are told apart by, and the others. */
export interface RowOrder {
  readonly first: OrderTerm;
  readonly rest: readonly OrderTerm[];
}

/**
 * Compiles `$orderby` (Part 1, 11.2.6.2): null is least, false is less than true, strings go by code unit.
 *
 * The properties of the key are the last terms, so that pages of equal rows do not overlap (11.2.6.3).
 */
export function compileOrder(
  items: readonly OrderByItem[],
  key: readonly string[],
  scope: Scope,
): RowOrder | undefined {
  const named = items.map((item) => compileItem(item, scope));
  const [first, ...rest] = [...named, ...key.map((name) => keyTerm(name, scope))];
  return items.length === 0 || first === undefined ? undefined : { first, rest };
}

function compileItem({ expression, descending }: OrderByItem, scope: Scope): OrderTerm {
  refuseStream(expression, scope);
  return term(sortable(bindExpression(expression, scope), scope), descending);
}

/** Streams have no order (11.2.6.2), whatever else expressions may do with them. */
function refuseStream(expression: Expression, scope: Scope): void {
  const type = structuredType(scope.model, scope.instance.type);
  if (type === undefined || expression.kind !== 'path' || expression.root !== undefined) return;
  const [first, ...more] = expression.segments;
  if (first?.kind === 'name' && more.length === 0 && isStream(type, first.name)) {
    throw unsortable(expression.position, 'Edm.Stream', scope);
  }
}

function unsortable(position: number, found: ExpressionType, scope: Scope): Error {
  return badRequest(scope, position, `expected a single primitive value to sort by, found ${found}`);
}

/** Enumerations go by their numbers. Collections, structured values and shapes have no order. */
function sortable(bound: BoundExpression, scope: Scope): BoundExpression {
  const { type, position } = bound;
  const enumeration = enumerationType(scope.model, type);
  if (enumeration !== undefined) return memberNumber(bound, enumeration);
  const isStructured = structuredType(scope.model, type) !== undefined;
  if (isCollection(type) || isStructured || isGeography(type)) throw unsortable(position, type, scope);
  return bound;
}

function keyTerm(name: string, scope: Scope): OrderTerm {
  return term(sortable(bindKeyPart(name, scope), scope), false);
}

function term(expression: BoundExpression, descending: boolean): OrderTerm {
  const ordering = orderingOf(expression.type);
  const compare = ascending(ordering, expression.type);
  return {
    read: keyReader(compileValue(expression), ordering),
    compare: descending ? (left, right) => compare(right, left) : compare,
  };
}

/** Null is least. Texts and numbers have functions of their own: each then meets one type only. */
function ascending({ compare }: Ordering, type: ExpressionType): OrderTerm['compare'] {
  if (compare !== compareKeys) {
    return nullsFirst(compare);
  }
  return type === 'Edm.String'
    ? compareTexts
    : isPlainNumber(type)
      ? compareNumbers
      : nullsFirst(compareKeys);
}

function compareTexts(left: SortKey, right: SortKey): number {
  if (left === right) {
    return 0;
  }
  if (left === null || right === null) {
    return left === null ? -1 : 1;
  }
  return left < right ? -1 : 1;
}

function compareNumbers(left: SortKey, right: SortKey): number {
  if (left === right) {
    return 0;
  }
  if (left === null || right === null) {
    return left === null ? -1 : 1;
  }
  return left < right ? -1 : left > right ? 1 : compareNaN(left, right);
}

function nullsFirst(compare: Ordering['compare']): OrderTerm['compare'] {
  return (left, right) => {
    if (left === null || right === null) {
      return Number(left !== null) - Number(right !== null);
    }
    const outcome = compare(left, right);
    return Number.isNaN(outcome) ? compareUnordered(left, right) : outcome;
  };
}

const KINDS = ['boolean', 'number', 'string', 'object'];

/** Values of types that have no order between them go by their types: truth values, numbers, texts, others. */
function compareUnordered(left: Key, right: Key): number {
  return KINDS.indexOf(kindOf(left)) - KINDS.indexOf(kindOf(right)) || compareNaN(left, right);
}

function kindOf(key: Key): string {
  return typeof key === 'bigint' ? 'number' : typeof key;
}

/** NaN has no place in the order of numbers: it goes behind null and before them. */
function compareNaN(left: Key, right: Key): number {
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}
