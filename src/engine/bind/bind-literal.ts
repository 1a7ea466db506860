import type { Value } from '../../contract/row.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';
import { isDistant } from '../../model/literal-form.ts';
import { castLiteral } from '../operators/coerce.ts';
import { type BoundExpression, constant } from '../scope/bound-tree.ts';
import { badRequest, notImplemented, quote, type Scope } from '../scope/scope.ts';
import type { Literal } from '../tree/expression-tree.ts';
import { enumerationType, qualifiedName } from '../typing/model-type.ts';
import { parseGeography } from '../values/geo-literal.ts';
import { parsePrimitive } from '../values/primitive.ts';

/** primitiveLiteral: its text becomes a value of its type. */
export function bindLiteral(literal: Literal, scope: Scope): BoundExpression {
  switch (literal.type) {
    case 'null':
      return constant(null, 'null', literal.position);
    case 'Edm.Geography':
      return bindGeography(literal, scope);
    case 'Edm.Geometry':
      throw notImplemented(scope, literal.position, `a literal of type ${literal.type}`);
    case 'qualified':
      return bindEnumeration(literal, scope);
    default:
      return constant(literalValue(literal, literal.type, scope), literal.type, literal.position);
  }
}

function bindGeography({ text, position }: Literal, scope: Scope): BoundExpression {
  const found = parseGeography(text);
  if (found === undefined) {
    throw notImplemented(scope, position, `the geography ${quote(text)}`);
  }
  return constant(found.value, found.type, position);
}

function literalValue(literal: Literal, type: PrimitiveTypeName, scope: Scope): Value {
  const value =
    parsePrimitive(type, literal.text) ?? (isDistant(type, literal.text) ? literal.text : undefined);
  if (value === undefined) {
    throw badRequest(scope, literal.position, `expected ${type}, found ${quote(literal.text)}`);
  }
  return value;
}

/** enumLiteral, such as `Sales.Pattern'Yellow'`: no other type is written in front of a literal. */
function bindEnumeration({ typeName = '', text, position }: Literal, scope: Scope): BoundExpression {
  const type = enumerationType(scope.model, typeName);
  if (type === undefined) {
    throw badRequest(scope, position, `expected an enumeration type of the model, found ${quote(typeName)}`);
  }
  return castLiteral(constant(text, 'Edm.String', position), qualifiedName(type), scope);
}
