import type { EntityType } from '../../model/edm.ts';
import { comparableType } from '../../model/readable-property.ts';
import type { OrderByItem } from '../url/tree.ts';
import { bindExpression } from './bind.ts';
import type { BoundExpression } from './bound-tree.ts';
import { compareKeys, type Key, type Ordering, orderingOf } from './compare.ts';
import { compileValue } from './compile.ts';
import { type ExpressionType, isCollection, isPlainNumber } from './expression-type.ts';
import { type KeyReader, keyReader } from './key-reader.ts';
import { badRequest, notImplemented, type Scope } from './scope.ts';

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
 * The key's properties are the last terms, so that pages of equal rows do not overlap (11.2.6.3).
 */
export function compileOrder(items: readonly OrderByItem[], scope: Scope): RowOrder | undefined {
  const named = items.map((item) => compileItem(item, scope));
  const [first, ...rest] = [...named, ...keyTerms(scope.entityType, scope.reads)];
  return items.length === 0 || first === undefined ? undefined : { first, rest };
}

function compileItem(item: OrderByItem, scope: Scope): OrderTerm {
  const bound = bindExpression(item.expression, scope);
  requireSortable(bound, scope);
  return term(bound, item.descending);
}

function requireSortable({ type, position }: BoundExpression, scope: Scope): void {
  if (isCollection(type)) {
    throw badRequest(scope, position, `expected a single value to sort by, found ${type}`);
  }
  if (type === 'Edm.Binary') {
    throw notImplemented(scope, position, 'sorting by Edm.Binary');
  }
}

function keyTerms(type: EntityType, reads: Set<string>): readonly OrderTerm[] {
  return type.key.map((name) => {
    reads.add(name);
    const keyType = comparableType(type.structuralProperties.get(name)) ?? 'Edm.String';
    return term({ kind: 'property', name, type: keyType, position: 0 }, false);
  });
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
    return Number.isNaN(outcome) ? compareNaN(left, right) : outcome;
  };
}

/** NaN has no place in the order of numbers: it goes behind null and before them. */
function compareNaN(left: Key, right: Key): number {
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}
