import { bindBinary, bindUnary, requireBoolean } from '../operators/bind-operator.ts';
import { castLiteral, commonType, promote } from '../operators/coerce.ts';
import { type BoundExpression, type BoundObject, constant } from '../scope/bound-tree.ts';
import { aliasTarget, badRequest, quote, type Scope, spend } from '../scope/scope.ts';
import type {
  AliasExpression,
  CaseExpression,
  Expression,
  ListExpression,
  ObjectExpression,
} from '../tree/expression-tree.ts';
import { collectionOf, type ExpressionType } from '../typing/expression-type.ts';
import { bindCall } from './bind-call.ts';
import { bindLiteral } from './bind-literal.ts';
import { bindPath } from './bind-path.ts';

/**
 * Resolves the names of an expression and checks its types, bottom-up.
 *
 * Constant calls are computed here. Whatever has no meaning is a BadRequest that says what was expected
 * and found, and where; what is not there yet is NotImplemented.
 */
export function bindExpression(node: Expression, scope: Scope): BoundExpression {
  spend(scope, node.kind === 'literal' ? 0 : 1, node.position);
  switch (node.kind) {
    case 'literal':
      return bindLiteral(node, scope);
    case 'path':
      return bindPath(node, scope, bindExpression);
    case 'alias':
      return bindAlias(node, scope);
    case 'unary':
      return bindUnary(node, bindExpression(node.operand, scope), scope);
    case 'binary':
      return bindBinary(node, bindExpression(node.left, scope), bindExpression(node.right, scope), scope);
    case 'call':
      return bindCall(node, scope, bindExpression);
    case 'case':
      return bindCase(node, scope);
    case 'list':
      return bindList(node, scope);
    case 'object':
      return bindObject(node, scope);
    case 'type':
      throw badRequest(scope, node.position, `expected a value, found the type ${quote(node.name)}`);
  }
}

/** An expression that must be Boolean: `$filter` and its like. */
export function bindCondition(node: Expression, scope: Scope): BoundExpression {
  return requireBoolean(bindExpression(node, scope), scope.target, scope);
}

/** Parameter aliases: one without a value is null (Part 1, 11.2.6.1.3). */
function bindAlias(node: AliasExpression, scope: Scope): BoundExpression {
  const value = scope.aliases.get(node.name);
  if (value === undefined) {
    return constant(null, 'null', node.position);
  }
  if (scope.openAliases.includes(node.name)) {
    throw badRequest(
      scope,
      node.position,
      `expected a value, found that ${quote(`@${node.name}`)} refers to itself`,
    );
  }
  const openAliases = [...scope.openAliases, node.name];
  const bound = bindExpression(value, { ...scope, target: aliasTarget(node.name), openAliases });
  return { ...bound, position: node.position };
}

/** Strings among literals of another type are read as those (Part 1, 13.2.1, items 9a and 9b). */
function bindList(node: ListExpression, scope: Scope): BoundExpression {
  const written = node.items.map((item) => bindExpression(item, scope));
  const typed = written.find(({ type }) => type !== 'null' && type !== 'Edm.String');
  const items = typed === undefined ? written : written.map((item) => castLiteral(item, typed.type, scope));
  const type = items.reduce((common: ExpressionType, item) => {
    const shared = commonType(common, item.type);
    if (shared === undefined) {
      throw badRequest(scope, item.position, `expected ${common} as the items before, found ${item.type}`);
    }
    return shared;
  }, 'null');
  return { kind: 'list', type: collectionOf(type), position: node.position, items };
}

function bindObject({ members, position }: ObjectExpression, scope: Scope): BoundObject {
  const bound = members.map(({ name, value }) => ({ name, value: bindExpression(value, scope) }));
  return { kind: 'object', type: 'Edm.Untyped', position, members: bound };
}

function bindCase(node: CaseExpression, scope: Scope): BoundExpression {
  const branches = node.branches.map((branch) => ({
    condition: requireBoolean(bindExpression(branch.condition, scope), `'case'`, scope),
    value: bindExpression(branch.value, scope),
  }));
  const type = branches.reduce((common: ExpressionType, { value }) => {
    const shared = commonType(common, value.type);
    if (shared === undefined) {
      throw badRequest(
        scope,
        value.position,
        `'case' expects values of one type, found ${common} and ${value.type}`,
      );
    }
    return shared;
  }, 'null');
  const promoted = branches.map(({ condition, value }) => ({ condition, value: promote(value, type) }));
  return { kind: 'case', type, position: node.position, branches: promoted };
}
