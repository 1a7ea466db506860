import { type BoundExpression, constant, variableOf } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, type Scope } from '../scope/scope.ts';
import { readAs } from '../scope/untyped.ts';
import { type ExpressionType, isCollection, isUntyped, itemType } from '../typing/expression-type.ts';
import { enumerationType } from '../typing/model-type.ts';
import { hasFlags } from '../values/enumeration.ts';
import { bindComparison, logical, memberNumber, requireComparable } from './bind-comparison.ts';
import { isStructure } from './bind-equality.ts';
import { castLiteral, commonType, promote } from './coerce.ts';
import { operandsDiffer } from './operands-differ.ts';

/** `has` (5.1.1.1.10): null where an operand is. */
export function bindHas(
  left: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const type = left.type === 'null' ? right.type : left.type;
  const enumeration = enumerationType(scope.model, type);
  if (enumeration === undefined) {
    throw badRequest(scope, position, `'has' expects an enumeration, found ${left.type}`);
  }
  const flags = castLiteral(right, type, scope);
  if (commonType(left.type, flags.type) === undefined) {
    throw operandsDiffer('has', left, flags, scope, position);
  }
  const operands = [memberNumber(left, enumeration), memberNumber(flags, enumeration)];
  return call('has', 'Edm.Boolean', position, operands, hasFlags);
}

/** `in` (5.1.1.1.12): one of a list, or of the items of a collection. */
export function bindIn(
  operand: BoundExpression,
  right: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  const left = isCollection(right.type) ? castLiteral(operand, itemType(right.type), scope) : operand;
  if (right.kind !== 'list') {
    return bindInCollection(left, readAs(right, 'Collection(Edm.Untyped)'), scope, position);
  }
  if (isStructure(left, scope) || isUntyped(left.type) || right.items.some(({ type }) => isUntyped(type))) {
    const equal = right.items.map((item) => bindComparison('eq', left, item, scope, item.position));
    return logical('or', [constant(false, 'Edm.Boolean', position), ...equal], position);
  }
  const type = right.items.reduce((common, item) => {
    const shared = commonType(common, castLiteral(item, left.type, scope).type);
    if (shared === undefined || isCollection(shared)) {
      throw operandsDiffer('in', left, item, scope, item.position);
    }
    return shared;
  }, left.type);
  requireComparable(type, 'in', scope, position);
  const items = right.items.map((item) => promote(castLiteral(item, left.type, scope), type));
  return inList(promote(left, type), items, type, scope, position);
}

function inList(
  operand: BoundExpression,
  items: readonly BoundExpression[],
  as: ExpressionType,
  { model }: Scope,
  position: number,
): BoundExpression {
  const enumeration = enumerationType(model, as);
  const node = { kind: 'in', type: 'Edm.Boolean', position } as const;
  return enumeration === undefined
    ? { ...node, operand, items, as }
    : {
        ...node,
        operand: memberNumber(operand, enumeration),
        items: items.map((item) => memberNumber(item, enumeration)),
        as: 'Edm.Int64',
      };
}

function bindInCollection(
  left: BoundExpression,
  collection: BoundExpression,
  scope: Scope,
  position: number,
): BoundExpression {
  if (!isCollection(collection.type)) {
    throw badRequest(scope, collection.position, `'in' expects a list, found ${collection.type}`);
  }
  const variable = variableOf(itemType(collection.type), position);
  const predicate = bindComparison('eq', left, variable, scope, position);
  const { current } = scope;
  return {
    kind: 'lambda',
    type: 'Edm.Boolean',
    position,
    operator: 'any',
    collection,
    variable,
    predicate,
    current,
  };
}
