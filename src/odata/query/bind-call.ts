import type { CallExpression, Expression } from '../url/tree.ts';
import type { BoundExpression } from './bound-tree.ts';
import { call } from './call.ts';
import { isCollection, isInteger, isNumeric } from './expression-type.ts';
import { CANONICAL_FUNCTIONS } from './functions/catalogue.ts';
import type { CallSite, ParameterType, Signature } from './functions/signature.ts';
import { bindTypeFunction, isTypeFunction } from './functions/type.ts';
import { badRequest, notImplemented, quote, type Scope } from './scope.ts';

/** Binds an expression: calls are bound by the binder of everything else. */
type Bind = (node: Expression, scope: Scope) => BoundExpression;

/** A canonical function (5.1.1.4): its overload is chosen by the types of the arguments. */
export function bindCall(node: CallExpression, scope: Scope, bind: Bind): BoundExpression {
  if (isTypeFunction(node.name)) {
    return bindTypeFunction(node, scope, bind);
  }
  const overloads = CANONICAL_FUNCTIONS.get(node.name);
  if (overloads === undefined) {
    throw unknownFunction(node, scope);
  }
  const found = node.arguments.map((argument) => bind(argument, scope));
  for (const overload of overloads) {
    const args = matchArguments(found, overload);
    if (args !== undefined) {
      return bindOverload(node, overload, args, scope);
    }
  }
  throw wrongArguments(node, overloads, found, scope);
}

function bindOverload(
  node: CallExpression,
  overload: Signature,
  args: readonly BoundExpression[],
  scope: Scope,
): BoundExpression {
  const type = overload.result === 'argument' ? (args[0]?.type ?? 'null') : overload.result;
  return call(node.name, type, node.position, args, overload.prepare(callSite(node, args, scope)));
}

function callSite(node: CallExpression, args: readonly BoundExpression[], scope: Scope): CallSite {
  return {
    arguments: args,
    moment: scope.moment,
    fail: (message) => {
      throw badRequest(scope, node.position, message);
    },
    refuse: (what) => {
      throw notImplemented(scope, node.position, what);
    },
  };
}

/** The arguments as the overload takes them, or undefined where it does not. */
function matchArguments(
  args: readonly BoundExpression[],
  overload: Signature,
): readonly BoundExpression[] | undefined {
  return args.length === overload.parameters.length &&
    overload.parameters.every((parameter, index) => fits(args[index], parameter))
    ? args
    : undefined;
}

function fits(argument: BoundExpression | undefined, parameter: ParameterType): boolean {
  const type = argument?.type ?? 'null';
  switch (parameter) {
    case 'numeric':
      return isNumeric(type) || type === 'null';
    case 'collection':
      return isCollection(type) || type === 'null';
    case 'Edm.Int32':
      return isInteger(type) || type === 'null';
    default:
      return type === parameter || type === 'null';
  }
}

function wrongArguments(
  node: CallExpression,
  overloads: readonly Signature[],
  args: readonly BoundExpression[],
  scope: Scope,
): Error {
  const expected = overloads.map(({ parameters }) => `(${parameters.join(', ')})`).join(' or ');
  const found = `(${args.map(({ type }) => type).join(', ')})`;
  return badRequest(scope, node.position, `${quote(node.name)} expects ${expected}, found ${found}`);
}

function unknownFunction(node: CallExpression, scope: Scope): Error {
  return node.name.startsWith('geo.')
    ? notImplemented(scope, node.position, quote(node.name))
    : badRequest(scope, node.position, `Expected a canonical function, found ${quote(node.name)}`);
}
