import type { Row } from '../../contract/row.ts';
import { type Callable, type CallableImport, callablesBoundTo, type EntityType } from '../../model/edm.ts';
import { castLiteral, commonType, promote } from '../operators/coerce.ts';
import {
  type BoundExpression,
  type BoundRoot,
  badRequest,
  bind,
  type ComputedParameters,
  call,
  type FunctionCall,
  notImplemented,
  quote,
  readsOf,
  type Scope,
  someExpression,
  variableOf,
} from '../scope/scope.ts';
import type { Expression, NameSegment } from '../tree/query-tree.ts';
import {
  type ExpressionType,
  isCombination,
  type ModelType,
  qualifiedName,
  structuredOf,
  typeName,
  typeOfUse,
} from '../typing/expression-type.ts';

/** Binds the call of a function that is bound to an entity which is read, or to nothing; others are NotImplemented. */
export function bindFunctionCall(
  owner: BoundExpression,
  segment: NameSegment,
  scope: Scope,
): BoundExpression {
  const { name, position } = segment;
  const { model } = scope;
  if (!model.callables.some((each) => isNamed(each, name))) {
    throw badRequest(scope, position, `expected a property, found the unknown function ${quote(name)}`);
  }
  const type = structuredOf(owner.type);
  const bound =
    type?.kind === 'entity' ? callablesBoundTo(type, 'entity').filter((each) => isNamed(each, name)) : [];
  const imported =
    bound.length === 0 && owner === scope.instance
      ? [...scope.model.imports.values()].find(({ overloads }) =>
          overloads.some((each) => isNamed(each, segment.name)),
        )
      : undefined;
  if (imported === undefined) return bindCallFor(owner, { segment, imported, overloads: bound }, scope);
  if (isConstantCall(segment, scope)) return bindRootCall(segment, imported, scope);
  return bindCallFor(owner, { segment, imported, overloads: imported.overloads }, scope);
}

/** The overloads of a call. */
interface Called extends Pick<FunctionCall, 'segment' | 'imported'> {
  readonly overloads: readonly Callable[];
}

/** A call for each of the entities. */
function bindCallFor(
  owner: BoundExpression,
  { segment, imported, overloads }: Called,
  scope: Scope,
): BoundExpression {
  const { aliases } = scope;
  const type = structuredOf(owner.type);
  const calls = readsOf(owner, scope)?.calls;
  if (calls === undefined || segment.key !== undefined || !isEntity(type)) throw notCallable(segment, scope);
  const callable = chooseOverload(overloads, segment, scope);
  const { returns } = callable;
  if (returns === undefined || returns.type.kind === 'entity' || returns.type.name === 'Edm.Stream') {
    throw notCallable(segment, scope);
  }
  const computed = computedParameters(callable, segment, { ...scope, calls });
  const called = { type, name: memberName(type, segment), segment, aliases, imported, computed };
  if (computed.size > 0 && owner !== scope.row) throw notCallable(segment, scope);
  calls.set(called.name, called);
  return memberOf(owner, called.name, typeOfUse(returns), segment.position);
}

function isEntity(type: ModelType | undefined): type is EntityType {
  return type !== undefined && 'key' in type && !type.open && !isCombination(type);
}

function memberOf(
  owner: BoundExpression,
  name: string,
  type: ExpressionType,
  position: number,
): BoundExpression {
  if (owner.kind === 'row') return { kind: 'property', name, type, position };
  return call(name, type, position, [owner], (row: Row) => row[name] ?? null);
}

/** No property has a name with parentheses. */
function memberName(type: EntityType, { name, arguments: given }: NameSegment): string {
  const identity = JSON.stringify(given, (key, value: unknown) => (key === 'position' ? undefined : value));
  return `${qualifiedName(type)}/${name}(${identity})`;
}

/** Whether the expression needs the result of a call. */
export function readsCall(expression: BoundExpression, calls: ReadonlyMap<string, FunctionCall>): boolean {
  return someExpression(expression, (node) => 'name' in node && calls.has(node.name));
}

/** Binds the call of a function that is bound to nothing, whose result is the same for all rows. */
export function bindRootCall(segment: NameSegment, imported: CallableImport, scope: Scope): BoundExpression {
  const known = dedupeRoot(segment, scope);
  if (known !== undefined) return known.variable;
  const { aliases, roots } = scope;
  const { returns } = chooseOverload(imported.overloads, segment, scope);
  if (!isConstantCall(segment, scope)) {
    throw notImplemented(scope, segment.position, 'a computed parameter after $root');
  }
  if (returns === undefined || returns.type.name === 'Edm.Stream' || segment.key !== undefined) {
    throw notCallable(segment, scope);
  }
  const variable = variableOf(typeOfUse(returns), segment.position);
  roots.push({ read: { imported, segment, aliases }, variable });
  return variable;
}

/** Chooses the overload that has the parameters which are given (CSDL 4.01, 12.2). */
function chooseOverload(overloads: readonly Callable[], segment: NameSegment, scope: Scope): Callable {
  const [first] = overloads;
  if (first === undefined) throw notCallable(segment, scope);
  const given = (segment.arguments ?? []).map(({ name }) => name ?? '');
  const fitting = fittingOverload(overloads, given);
  if (fitting === undefined) throw wrongParameters(overloads, given, segment, scope);
  return fitting;
}

function wrongParameters(
  overloads: readonly Callable[],
  given: readonly string[],
  { name, position }: NameSegment,
  scope: Scope,
): Error {
  const found = given.length === 0 ? 'none' : given.join(', ');
  const expected = overloads.map((each) => `(${parameterNames(each)})`).join(' or ');
  return badRequest(scope, position, `${quote(name)} expects the parameters ${expected}, found ${found}`);
}

/** The names of the parameters, with a question mark behind those that may be left out. */
export function parameterNames({ parameters }: Callable): string {
  return parameters.map(({ name, optional }) => `${name}${optional ? '?' : ''}`).join(', ');
}

function isNamed(callable: Callable, name: string): boolean {
  return callable.kind === 'function' && (callable.name === name || qualifiedName(callable) === name);
}

function notCallable({ name, position }: NameSegment, scope: Scope): Error {
  return notImplemented(scope, position, `the function ${quote(name)} in an expression`);
}

/** The overload that has the parameters which are given, and needs no others (CSDL 4.01, 12.2). */
export function fittingOverload(
  overloads: readonly Callable[],
  given: readonly string[],
): Callable | undefined {
  return overloads.find(
    ({ parameters }) =>
      given.every((name) => parameters.some((parameter) => parameter.name === name)) &&
      parameters.every(({ name, optional }) => optional || given.includes(name)),
  );
}

const CONSTANTS: ReadonlySet<string> = new Set(['literal', 'list', 'object']);

/** Whether the URL says all parameters. */
function isConstantCall({ arguments: given = [] }: NameSegment, scope: Scope): boolean {
  return given.every(({ value }) => isConstant(value, scope));
}

function isConstant(value: Expression, { aliases }: Pick<Scope, 'aliases'>): boolean {
  const meant = value.kind === 'alias' ? aliases.get(value.name) : value;
  return meant === undefined || CONSTANTS.has(meant.kind);
}

/**
 * Binds parameters computed from a row. They are needed before the query runs, and can refer to that row
 * only.
 */
function computedParameters(
  { parameters }: Callable,
  { arguments: given = [] }: NameSegment,
  scope: Scope,
): ComputedParameters {
  const computed = given.filter(({ value }) => !isConstant(value, scope));
  return new Map(
    computed.flatMap(({ name, value }) => {
      const parameter = parameters.find((each) => each.name === name);
      if (parameter === undefined) return [];
      const bound = requireOfRow(bind(value, scope), scope);
      const type = typeOfUse(parameter);
      return [
        [parameter.name, { value: fitting(bound, type, scope), nullable: parameter.nullable }] as const,
      ];
    }),
  );
}

function fitting(value: BoundExpression, type: BoundExpression['type'], scope: Scope): BoundExpression {
  const cast = castLiteral(value, type, scope);
  if (commonType(cast.type, type) === type) return promote(cast, type);
  throw badRequest(
    scope,
    value.position,
    `expected a parameter of ${typeName(type)}, found ${quote(typeName(value.type))}`,
  );
}

/** Rejects values that are loaded or computed after the calls, and variables of lambda operators. */
function requireOfRow(value: BoundExpression, scope: Scope): BoundExpression {
  const { calls = new Map(), computed, outer, these, rollupNodes = [], roots } = scope;
  const elsewhere = [outer, these, ...rollupNodes, ...roots].map((each) => each?.variable.cell);
  const isMissing = (node: BoundExpression) =>
    ('name' in node &&
      (calls.has(node.name) ||
        (node.kind === 'property' && computed.get(node.name)?.expression.kind === 'property'))) ||
    (node.kind === 'variable' && elsewhere.includes(node.cell));
  if (scope.instance === scope.row && scope.variables.size === 0 && !someExpression(value, isMissing))
    return value;
  throw notImplemented(scope, value.position, 'a parameter that is not computed from the entity alone');
}

/** The root that was bound for the same text at another place: it reads the same. */
export function dedupeRoot(segment: NameSegment, { roots, aliases }: Scope): BoundRoot | undefined {
  return roots.find(
    ({ read }) =>
      read.aliases === aliases &&
      read.segment.name === segment.name &&
      textOf(read.segment.arguments) === textOf(segment.arguments),
  );
}

function textOf(given: NameSegment['arguments']): string | undefined {
  return JSON.stringify(given, (name, value: unknown) => (name === 'position' ? undefined : value));
}
