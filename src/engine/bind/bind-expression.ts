import type { Value } from '../../contract/row.ts';
import type { PrimitiveTypeName } from '../../model/edm.ts';
import { isDistant } from '../../model/type-use.ts';
import {
  CANONICAL_FUNCTIONS,
  type CallSite,
  type ParameterType,
  type Signature,
} from '../functions/canonical-functions.ts';
import { bindTypeFunction, isTypeFunction } from '../functions/type-functions.ts';
import { bindBinary, bindUnary, requireBoolean } from '../operators/bind-operator.ts';
import { castLiteral, commonType, promote, readLiteral, unifyCollections } from '../operators/coerce.ts';
import {
  aliasTarget,
  type BoundExpression,
  type BoundObject,
  badRequest,
  call,
  constant,
  notImplemented,
  quote,
  readAs,
  type Scope,
  spend,
} from '../scope/scope.ts';
import type {
  AliasExpression,
  CallExpression,
  CaseExpression,
  Expression,
  ListExpression,
  Literal,
  ObjectExpression,
} from '../tree/query-tree.ts';
import {
  collectionOf,
  type ExpressionType,
  enumerationType,
  isCollection,
  isInteger,
  isNumeric,
  isUntyped,
  typeName,
} from '../typing/expression-type.ts';
import { parseGeography } from '../values/geography.ts';
import { parsePrimitive } from '../values/primitive.ts';
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
      return bindPath(node, scope);
    case 'alias':
      return bindAlias(node, scope);
    case 'unary':
      return bindUnary(node, bindExpression(node.operand, scope), scope);
    case 'binary':
      return bindBinary(node, bindExpression(node.left, scope), bindExpression(node.right, scope), scope);
    case 'call':
      return bindCall(node, scope);
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
      throw badRequest(
        scope,
        item.position,
        `expected ${typeName(common)} as the items before, found ${typeName(item.type)}`,
      );
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
        `'case' expects values of one type, found ${typeName(common)} and ${typeName(value.type)}`,
      );
    }
    return shared;
  }, 'null');
  const promoted = branches.map(({ condition, value }) => ({ condition, value: promote(value, type) }));
  return { kind: 'case', type, position: node.position, branches: promoted };
}

/** A canonical function (5.1.1.4): its overload is chosen by the types of the arguments. */
function bindCall(node: CallExpression, scope: Scope): BoundExpression {
  if (isTypeFunction(node.name)) {
    return bindTypeFunction(node, scope);
  }
  if (node.name === 'isdefined') {
    return bindIsDefined(node, scope);
  }
  const overloads = CANONICAL_FUNCTIONS.get(node.name);
  if (overloads === undefined) {
    throw badRequest(scope, node.position, `expected a canonical function, found ${quote(node.name)}`);
  }
  const found = node.arguments.map((argument) => bindExpression(argument, scope));
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

/** If only the values determine their types, they select the overload: the calls of the others are null. */
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
  const taken = args.flatMap((argument, index) => matchArgument(argument, parameters[index]) ?? []);
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
): BoundExpression | undefined {
  switch (parameter) {
    case undefined:
      return undefined;
    case 'numeric':
      return acceptedBy(parameter, readAs(argument, 'Edm.Decimal'));
    case 'collection':
      return acceptedBy(parameter, readAs(argument, collectionOf('Edm.Untyped')));
    default: {
      const read = readLiteral(readAs(argument, parameter), parameter);
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
  const found = `(${args.map(({ type }) => typeName(type)).join(', ')})`;
  return badRequest(scope, node.position, `${quote(node.name)} expects ${expected}, found ${found}`);
}

/** primitiveLiteral: its text becomes a value of its type. */
function bindLiteral(literal: Literal, scope: Scope): BoundExpression {
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
  return castLiteral(constant(text, 'Edm.String', position), type, scope);
}

/**
 * isdefined (Data Aggregation 4.0, 5.2): whether an instance has the property, be it null. Instances of
 * different levels of a rollup, or of different parts of a concat, have different properties.
 */
function bindIsDefined({ arguments: [path], position }: CallExpression, scope: Scope): BoundExpression {
  const last = path?.kind === 'path' ? path.segments.at(-1) : undefined;
  if (path?.kind !== 'path' || last?.kind !== 'name') {
    throw badRequest(scope, position, `'isdefined' expects a path to a property`);
  }
  const { name } = last;
  const owner = bindExpression({ ...path, segments: path.segments.slice(0, -1) }, scope);
  const property = bindExpression(path, scope);
  const yes = constant(true, 'Edm.Boolean', position);
  // What $compute adds is not in the row, and always there.
  if (owner.kind === 'row' && !isInRow(property, name)) return yes;
  const left = call('has', 'Edm.Boolean', position, [owner], (value: Value) => has(value, name));
  return {
    kind: 'comparison',
    type: 'Edm.Boolean',
    position,
    operator: 'eq',
    left,
    right: yes,
    as: 'Edm.Boolean',
  };
}

function isInRow(property: BoundExpression, name: string): boolean {
  return property.kind === 'property' && property.name === name;
}

function has(value: Value, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name);
}
