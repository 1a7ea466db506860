import { isA } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { BoundExpression, OrderOperator } from '../scope/bound-tree.ts';
import { readsOf } from '../scope/related-reads.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import {
  collectionOf,
  type ExpressionType,
  isCollection,
  isUntyped,
  itemType,
} from '../typing/expression-type.ts';
import { qualifiedName, structuredType } from '../typing/model-type.ts';
import { commonType } from './coerce.ts';
import { equalityOf } from './equality.ts';
import { operandsDiffer } from './operands-differ.ts';

/** Whether it is a collection, an entity or a complex value: those are equal or not, and have no order. */
export function isStructure({ kind, type }: BoundExpression, { model }: Scope): boolean {
  return kind === 'object' || isCollection(type) || structuredType(model, type) !== undefined;
}

/** `eq` and `ne` of structures (5.1.1.1.1 and 5.1.1.1.2); all other operators are a BadRequest. */
export function compareStructures(
  operator: OrderOperator,
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (operator !== 'eq' && operator !== 'ne') {
    const found = isStructure(left, scope) ? left.type : right.type;
    throw badRequest(scope, position, `'${operator}' expects values that have an order, found ${found}`);
  }
  const as = sharedType(left.type, right.type, scope.model);
  if (as === undefined) throw operandsDiffer(operator, left, right, scope, position);
  for (const operand of [left, right]) noteKey(operand, as, scope);
  const same = equalityOf(as, scope.model);
  return { kind: 'comparison', type: 'Edm.Boolean', position, operator, left, right, as, same };
}

/** The type that both are compared as; undefined where no value of the one can be one of the other. */
function sharedType(left: ExpressionType, right: ExpressionType, model: Model): ExpressionType | undefined {
  if (isUntyped(left) || isUntyped(right)) return 'Edm.Untyped';
  if (isCollection(left) && isCollection(right)) {
    const items = sharedType(itemType(left), itemType(right), model);
    return items && collectionOf(items);
  }
  const [one, other] = [structuredType(model, left), structuredType(model, right)];
  if (one === undefined || other === undefined) return commonType(left, right);
  if (isA(one, other)) return qualifiedName(other);
  return isA(other, one) ? qualifiedName(one) : undefined;
}

/** Entities are told apart by their keys, which have to be fetched. */
function noteKey(operand: BoundExpression, as: ExpressionType, scope: Scope): void {
  const type = structuredType(scope.model, itemType(as));
  if (type === undefined || !('key' in type)) return;
  const reads = readsOf(operand, scope);
  for (const name of type.key) reads?.properties.add(name);
}
