import type { Value } from '../../contract/row.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';
import { type BoundExpression, constant } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, quote, type Scope } from '../scope/scope.ts';
import {
  collectionOf,
  type ExpressionType,
  isCollection,
  isFloating,
  isNumeric,
  isUntyped,
  itemType,
  widerType,
} from '../typing/expression-type.ts';
import { enumerationType } from '../typing/model-type.ts';
import { memberNames, parseEnumeration } from '../values/enumeration.ts';
import { parsePrimitive } from '../values/primitive.ts';
import { convertTo } from './convert.ts';

/** The types that a string literal may stand for (OData 4.01 Part 1, 13.2.1, items 9a and 9b). */
const LITERAL_TYPES: ReadonlySet<ExpressionType> = new Set<ExpressionType>([
  'Edm.Date',
  'Edm.DateTimeOffset',
  'Edm.Duration',
  'Edm.Guid',
  'Edm.TimeOfDay',
]);

/**
 * Reads a string literal as a value of the type that is expected in its place; leaves everything else
 * alone. A string that is no such value is a BadRequest.
 */
export function castLiteral(
  expression: BoundExpression,
  type: ExpressionType,
  scope: Scope,
): BoundExpression {
  const found = readLiteral(expression, type, scope);
  if (found === undefined) {
    const text = expression.kind === 'constant' ? String(expression.value) : '';
    throw badRequest(
      scope,
      expression.position,
      `expected ${describeType(type, scope)}, found ${quote(text)}`,
    );
  }
  return found;
}

/** The type, with its members where it is an enumeration. */
function describeType(type: ExpressionType, { model }: Scope): string {
  const enumeration = enumerationType(model, type);
  return enumeration === undefined ? type : `a member of ${type} (${memberNames(enumeration)})`;
}

/** As {@link castLiteral}, with undefined for a string that is no value of the type. */
export function readLiteral(
  expression: BoundExpression,
  type: ExpressionType,
  { model }: Scope,
): BoundExpression | undefined {
  if (expression.kind !== 'constant' || expression.type !== 'Edm.String') {
    return expression;
  }
  const enumeration = enumerationType(model, type);
  if (enumeration === undefined && !isLiteralType(type)) {
    return expression;
  }
  const text = String(expression.value);
  const value =
    enumeration === undefined
      ? parsePrimitive(type as PrimitiveTypeName, text)
      : parseEnumeration(enumeration, text);
  return value === undefined ? undefined : constant(value, type, expression.position);
}

function isLiteralType(type: ExpressionType): type is PrimitiveTypeName {
  return LITERAL_TYPES.has(type);
}

/** Two operands and the type they share. */
interface Unified {
  readonly left: BoundExpression;
  readonly right: BoundExpression;
  readonly type: ExpressionType;
}

/** Brings two operands to one type (5.1.1.18), or gives undefined where they have none in common. */
export function unify(left: BoundExpression, right: BoundExpression, scope: Scope): Unified | undefined {
  const first = atMidnight(castLiteral(left, right.type, scope), right.type);
  const second = atMidnight(castLiteral(right, left.type, scope), left.type);
  const type = commonType(first.type, second.type);
  return type === undefined ? undefined : { left: promote(first, type), right: promote(second, type), type };
}

/** A date is compared with a point in time as its midnight in UTC is, which the standard leaves open. */
function atMidnight(expression: BoundExpression, other: ExpressionType): BoundExpression {
  if (expression.type !== 'Edm.Date' || other !== 'Edm.DateTimeOffset') return expression;
  return call('cast', other, expression.position, [expression], convertTo(other, expression.type));
}

/** The type both belong to; undefined where there is none. The null literal belongs to every type. */
export function commonType(left: ExpressionType, right: ExpressionType): ExpressionType | undefined {
  if (left === right || right === 'null') {
    return left;
  }
  if (left === 'null') {
    return right;
  }
  if (isCollection(left) || isCollection(right)) {
    const items =
      isCollection(left) && isCollection(right) ? commonType(itemType(left), itemType(right)) : undefined;
    return items && collectionOf(items);
  }
  if (isUntyped(left) || isUntyped(right)) {
    return 'Edm.Untyped';
  }
  return isNumeric(left) && isNumeric(right) ? widerType(left, right) : undefined;
}

/** Int64 and Decimal may hold what is not a JavaScript number: Double and Single need one. */
export function promote(expression: BoundExpression, type: ExpressionType): BoundExpression {
  if (!isFloating(type) || (expression.type !== 'Edm.Int64' && expression.type !== 'Edm.Decimal')) {
    return expression;
  }
  return expression.kind === 'constant'
    ? constant(toNumber(expression.value), type, expression.position)
    : {
        kind: 'call',
        name: 'promote',
        type,
        position: expression.position,
        arguments: [expression],
        evaluate: toNumber,
      };
}

function toNumber(value: Value): number {
  return Number(value);
}
