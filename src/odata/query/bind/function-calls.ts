import type { Row } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { Callable } from '../../../model/operation.ts';
import type { Expression, NameSegment } from '../../url/tree.ts';
import type { BoundExpression } from './bound-tree.ts';
import { call } from './call.ts';
import type { ExpressionType } from './expression-type.ts';
import { isDerivedFrom, qualifiedName, structuredType, typeOfUse } from './model-type.ts';
import { fittingOverload } from './overload.ts';
import { readsOf } from './related-reads.ts';
import { badRequest, notImplemented, quote, type Scope } from './scope.ts';

/** A function that expressions call for each entity (Part 2, 5.1.1.15): it is called before the query runs. */
export interface FunctionCall {
  /** It is called for entities of this type. */
  readonly type: EntityType;
  /** The name of the rows' member that has the result. */
  readonly name: string;
  readonly segment: NameSegment;
  /** What aliases in the parameters stand for. */
  readonly aliases: ReadonlyMap<string, Expression>;
}

/** Binds the call of a function that is bound to an entity which is read; of anything else it is NotImplemented. */
export function bindFunctionCall(
  owner: BoundExpression,
  segment: NameSegment,
  scope: Scope,
): BoundExpression {
  const { name, position, key } = segment;
  const known = scope.model.callables.filter((each) => isNamed(each, name));
  if (known.length === 0) {
    throw badRequest(scope, position, `expected a property, found the unknown function ${quote(name)}`);
  }
  const type = structuredType(scope.model, owner.type);
  const calls = readsOf(owner, scope)?.calls;
  const isOfEntity = type !== undefined && 'key' in type && !type.open;
  if (!isOfEntity || calls === undefined || key !== undefined) throw notCallable(segment, scope);
  const returns = overloadOf(known, segment, type, scope).returns;
  if (returns === undefined || returns.type.kind === 'entity' || returns.type.name === 'Edm.Stream') {
    throw notCallable(segment, scope);
  }
  const called = { type, name: memberName(type, segment), segment, aliases: scope.aliases };
  calls.set(called.name, called);
  return memberOf(owner, called.name, typeOfUse(scope.model, returns), position);
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

function isNamed(callable: Callable, name: string): boolean {
  return callable.kind === 'function' && (callable.name === name || qualifiedName(callable) === name);
}

function notCallable({ name, position }: NameSegment, scope: Scope): Error {
  return notImplemented(scope, position, `the function ${quote(name)} in an expression`);
}

/** The overload for the rows' type that has the parameters which are given (CSDL 4.01, 12.2). */
function overloadOf(
  known: readonly Callable[],
  segment: NameSegment,
  type: EntityType,
  scope: Scope,
): Callable {
  const bound = known.filter((callable) => isBoundTo(callable, type, scope.model));
  const [first] = bound;
  if (first === undefined) throw notCallable(segment, scope);
  const given = (segment.arguments ?? []).map(({ name }) => name ?? '');
  const fitting = fittingOverload(bound, given);
  if (fitting !== undefined) return fitting;
  const expected = first.parameters.map(({ name, optional }) => `${name}${optional ? '?' : ''}`).join(', ');
  const found = given.length === 0 ? 'none' : given.join(', ');
  throw badRequest(
    scope,
    segment.position,
    `${quote(segment.name)} expects the parameters (${expected}), found ${found}`,
  );
}

function isBoundTo({ binding }: Callable, type: EntityType, model: Model): boolean {
  const to = binding?.collection === false ? model.entityTypes.get(binding.entityType) : undefined;
  return to !== undefined && isDerivedFrom(model, type, to);
}

/** No property has a name with parentheses. */
function memberName(type: EntityType, { name, arguments: given }: NameSegment): string {
  const told = JSON.stringify(given, (key, value: unknown) => (key === 'position' ? undefined : value));
  return `${qualifiedName(type)}/${name}(${told})`;
}

/** Whether the expression needs the result of a call. */
export function readsCall(node: unknown, calls: ReadonlyMap<string, FunctionCall>): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('kind' in node && 'name' in node && calls.has(String(node.name))) return true;
  return Object.entries(node).some(([key, value]) => key !== 'cell' && readsCall(value, calls));
}
