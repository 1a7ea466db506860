import type { CallExpression, Expression } from '../url/tree.ts';
import type { BoundExpression } from './bound-tree.ts';
import { call } from './call.ts';
import { readLiteral } from './coerce.ts';
import { type ExpressionType, isCollection, isInteger, isNumeric } from './expression-type.ts';
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
  { parameters }: Signature,
): readonly BoundExpression[] | undefined {
  const taken = args.flatMap((argument, index) => matchArgument(argument, parameters[index]) ?? []);
  return args.length === parameters.length && taken.length === args.length ? taken : undefined;
}

function matchArgument(
  argument: BoundExpression,
  parameter: ParameterType | undefined,
): BoundExpression | undefined {
  switch (parameter) {
    case undefined:
      return undefined;
    case 'numeric':
    case 'collection':
      return accepts(parameter, argument.type) ? argument : undefined;
    default: {
      const read = readLiteral(argument, parameter);
      return read !== undefined && accepts(parameter, read.type) ? read : undefined;
    }
  }
}

/** The null literal fits everywhere; an Int32 is any integer, as the number of characters is one. */
function accepts(parameter: ParameterType, type: ExpressionType): boolean {
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
  if (args.length > 0 && args.every(({ type }) => isCollection(type)) && !takesCollections(overloads)) {
    return notImplemented(scope, node.position, `${quote(node.name)} of collections`);
  }
  const expected = overloads.map(({ parameters }) => `(${parameters.join(', ')})`).join(' or ');
  const found = `(${args.map(({ type }) => type).join(', ')})`;
  return badRequest(scope, node.position, `${quote(node.name)} expects ${expected}, found ${found}`);
}

function takesCollections(overloads: readonly Signature[]): boolean {
  return overloads.some(({ parameters }) => parameters.includes('collection'));
}

function unknownFunction(node: CallExpression, scope: Scope): Error {
  return node.name.startsWith('geo.')
    ? notImplemented(scope, node.position, quote(node.name))
    : badRequest(scope, node.position, `expected a canonical function, found ${quote(node.name)}`);
}
