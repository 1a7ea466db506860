import type { PrimitiveTypeName } from '../../../model/edm.ts';
import type { CallExpression, Expression, TypeExpression } from '../../url/tree.ts';
import { qualifiedName } from '../bind-path.ts';
import { type BoundExpression, constant } from '../bound-tree.ts';
import { call } from '../call.ts';
import { convertTo } from '../convert.ts';
import { isCollection } from '../expression-type.ts';
import { PRIMITIVE_TYPES } from '../primitive.ts';
import { badRequest, notImplemented, quote, type Scope } from '../scope.ts';

type Bind = (node: Expression, scope: Scope) => BoundExpression;

export function isTypeFunction(name: string): boolean {
  return name === 'cast' || name === 'isof';
}

/**
 * `cast` and `isof` (5.1.1.10). A cast that fails is null. Without a first argument they are about the
 * entity, whose type is known.
 */
export function bindTypeFunction(node: CallExpression, scope: Scope, bind: Bind): BoundExpression {
  const [first, last] = node.arguments.length === 1 ? [undefined, node.arguments[0]] : node.arguments;
  if (last?.kind !== 'type' || node.arguments.length > 2) {
    throw badRequest(
      scope,
      node.position,
      `${quote(node.name)} expects a value and a type's name, found other arguments`,
    );
  }
  requireKnownType(last, scope);
  return first === undefined
    ? bindEntityTest(node, last, scope)
    : bindValueFunction(node, bind(first, scope), last, scope);
}

function requireKnownType({ name, collection, position }: TypeExpression, scope: Scope): void {
  if (collection) {
    throw notImplemented(scope, position, 'a collection type in an expression');
  }
  const [namespace, simple] = splitName(name);
  const isEntityType = scope.model.entityTypes.get(simple)?.namespace === namespace;
  if (!PRIMITIVE_TYPES.has(name) && name !== 'Edm.PrimitiveType' && !isEntityType) {
    throw badRequest(scope, position, `expected a type of the model, found ${quote(name)}`);
  }
}

function splitName(name: string): readonly [string, string] {
  const dot = name.lastIndexOf('.');
  return [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
}

function bindEntityTest(node: CallExpression, type: TypeExpression, scope: Scope): BoundExpression {
  if (node.name === 'cast') {
    throw notImplemented(scope, node.position, `'cast' of the entity`);
  }
  return constant(type.name === qualifiedName(scope.entityType), 'Edm.Boolean', node.position);
}

function bindValueFunction(
  node: CallExpression,
  value: BoundExpression,
  type: TypeExpression,
  scope: Scope,
): BoundExpression {
  if (isCollection(value.type)) {
    throw notImplemented(scope, node.position, `${quote(node.name)} of a collection`);
  }
  if (node.name === 'isof') {
    const answer = type.name === value.type || type.name === 'Edm.PrimitiveType';
    return call('isof', 'Edm.Boolean', node.position, [value], () => answer);
  }
  if (!isPrimitive(type.name)) {
    throw notImplemented(scope, node.position, `'cast' to ${quote(type.name)}`);
  }
  return call('cast', type.name, node.position, [value], convertTo(type.name, value.type));
}

function isPrimitive(name: string): name is PrimitiveTypeName {
  return PRIMITIVE_TYPES.has(name);
}
