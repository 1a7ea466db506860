import type { Value } from '../../contract/row.ts';
import {
  type ExpressionType,
  isCollection,
  isFloating,
  isInteger,
  isNumeric,
  isUntyped,
} from '../typing/expression-type.ts';
import { isPrimitiveName, parsePrimitive } from '../values/primitive.ts';
import type { BoundExpression } from './bound-tree.ts';
import { call } from './call.ts';

/**
 * Reads an expression whose type only its values tell as one of a given type: a value of another type is
 * null, so that nothing fails at run time (5.1.1.15). Leaves all other expressions alone.
 */
export function readAs(expression: BoundExpression, type: ExpressionType): BoundExpression {
  if (!isUntyped(expression.type) || isUntyped(type) || type === 'null') return expression;
  return call('read', type, expression.position, [expression], (value: Value) => valueAs(value, type));
}

/** Whether a value that is not null is one that {@link readAs} takes. */
export function isReadAs(expression: BoundExpression, type: ExpressionType): BoundExpression {
  return call('isof', 'Edm.Boolean', expression.position, [expression], (value: Value) => {
    return valueAs(value, type) !== null;
  });
}

function valueAs(value: Value, type: ExpressionType): Value {
  if (isCollection(type)) return Array.isArray(value) ? value : null;
  if (isNumeric(type)) return numberAs(value, type);
  if (type === 'Edm.Boolean') return typeof value === 'boolean' ? value : null;
  if (typeof value !== 'string' || !isPrimitiveName(type)) return null;
  return parsePrimitive(type, value) ?? null;
}

function numberAs(value: Value, type: ExpressionType): Value {
  const number = plainValue(value);
  if (typeof number !== 'number' && typeof number !== 'bigint') return null;
  if (isInteger(type) && !Number.isInteger(Number(number))) return null;
  return isFloating(type) ? Number(number) : number;
}

/** A number's own value where it is an object that keeps the digits. */
export function plainValue(value: Value): Value {
  return value instanceof Number ? value.valueOf() : value;
}
