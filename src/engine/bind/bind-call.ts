import { CANONICAL_FUNCTIONS } from '../functions/catalogue.ts';
import type { CallSite, ParameterType, Signature } from '../functions/signature.ts';
import { bindTypeFunction, isTypeFunction } from '../functions/type.ts';
import { readLiteral } from '../operators/coerce.ts';
import { equalityOf } from '../operators/equality.ts';
import { unifyCollections } from '../operators/structured-literal.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import { type BoundExpression, constant } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import { badRequest, notImplemented, quote, type Scope } from '../scope/scope.ts';
import { readAs } from '../scope/untyped.ts';
import type { CallExpression } from '../tree/expression-tree.ts';
import {
  type ExpressionType,
  isCollection,
  isInteger,
  isNumeric,
  isUntyped,
} from '../typing/expression-type.ts';
import { bindIsDefined } from './is-defined.ts';

/** A canonical function (5.1.1.4): its overload is chosen by the types of the arguments. */
export function bindCall(node: CallExpression, scope: Scope, bind: BindExpression): BoundExpression {
  if (isTypeFunction(node.name)) {
    return bindTypeFunction(node, scope, bind);
  }
  if (node.name === 'isdefined') {
    return bindIsDefined(node, scope, bind);
  }
  const overloads = CANONICAL_FUNCTIONS.get(node.name);
  if (overloads === undefined) {
    throw badRequest(scope, node.position, `expected a canonical function, found ${quote(node.name)}`);
  }
  const found = node.arguments.map((argument) => bind(argument, scope));
  const bound = overloads.flatMap((overload) => {
    const args = matchArguments(found, overload, scope);
    return args === undefined ? [] : [bindOverload(node, overload, args, scope)];
  });
  const [first] = bound;
  if (first === undefined) {
    throw wrongArguments(node, overloads, found, scope);
  }
  return found.some(({ type }) => isUntyped(type)) ? firstNotNull(bound, first) : first;
}

/** Where only the values tell their types, they tell which overload is meant: the others come to null. */
function firstNotNull(bound: readonly BoundExpression[], first: BoundExpression): BoundExpression {
  const { type, position } = first;
  const candidates = bound.filter((candidate) => candidate.type === type);
  if (candidates.length === 1) return first;
  const branches = candidates.map((value) => ({ condition: isNotNull(value), value }));
  return { kind: 'case', type, position, branches };
}

function isNotNull(left: BoundExpression): BoundExpression {
  const { type: as, position } = left;
  const right = constant(null, 'null', position);
  return { kind: 'comparison', type: 'Edm.Boolean', position, operator: 'ne', left, right, as };
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
    current: scope.current,
    equalityOf: (type) => equalityOf(type, scope.model),
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
  scope: Scope,
): readonly BoundExpression[] | undefined {
  if (args.length !== parameters.length) return undefined;
  const taken = args.flatMap((argument, index) => matchArgument(argument, parameters[index], scope) ?? []);
  if (taken.length < args.length) return undefined;
  const [first, second] = taken;
  const areCollections = parameters[0] === 'collection' && parameters[1] === 'collection';
  return areCollections && first !== undefined && second !== undefined
    ? unifyCollections(first, second, scope)
    : taken;
}

function matchArgument(
  argument: BoundExpression,
  parameter: ParameterType | undefined,
  scope: Scope,
): BoundExpression | undefined {
  switch (parameter) {
    case undefined:
      return undefined;
    case 'numeric':
      return acceptedBy(parameter, readAs(argument, 'Edm.Decimal'));
    case 'collection':
      return acceptedBy(parameter, readAs(argument, 'Collection(Edm.Untyped)'));
    default: {
      const read = readLiteral(readAs(argument, parameter), parameter, scope);
      return read && acceptedBy(parameter, read);
    }
  }
}

function acceptedBy(parameter: ParameterType, argument: BoundExpression): BoundExpression | undefined {
  return accepts(parameter, argument.type) ? argument : undefined;
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
  const expected = overloads.map(({ parameters }) => `(${parameters.join(', ')})`).join(' or ');
  const found = `(${args.map(({ type }) => type).join(', ')})`;
  return badRequest(scope, node.position, `${quote(node.name)} expects ${expected}, found ${found}`);
}
