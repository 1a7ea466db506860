import type { Row } from '../../contract/row.ts';
import type { Callable, EntityType } from '../../model/edm.ts';
import { isA } from '../../model/edm.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { call } from '../scope/call.ts';
import type { FunctionCall } from '../scope/reads.ts';
import { readsOf } from '../scope/related-reads.ts';
import { badRequest, quote, type Scope } from '../scope/scope.ts';
import { someExpression } from '../scope/some-expression.ts';
import type { NameSegment } from '../tree/expression-tree.ts';
import { isCombination } from '../typing/combination-type.ts';
import type { ExpressionType } from '../typing/expression-type.ts';
import { type ModelType, qualifiedName, structuredType, typeOfUse } from '../typing/model-type.ts';
import { computedParameters, isConstantCall } from './computed-parameters.ts';
import { chooseOverload, isNamed, notCallable } from './function-overload.ts';
import { bindRootCall, importOf, overloadsOf } from './root-calls.ts';

/** Binds the call of a function that is bound to an entity which is read, or to nothing; others are NotImplemented. */
export function bindFunctionCall(
  owner: BoundExpression,
  segment: NameSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const { name, position } = segment;
  const { model } = scope;
  const known = model.callables.filter((each) => isNamed(each, name));
  if (known.length === 0) {
    throw badRequest(scope, position, `expected a property, found the unknown function ${quote(name)}`);
  }
  const type = structuredType(model, owner.type);
  const bound = type !== undefined && 'key' in type ? known.filter((each) => isBoundTo(each, type)) : [];
  const imported = bound.length === 0 && owner === scope.instance ? importOf(segment, scope) : undefined;
  if (imported === undefined) return bindCallFor(owner, { segment, imported, overloads: bound }, scope, bind);
  if (isConstantCall(segment, scope)) return bindRootCall(segment, imported, scope);
  return bindCallFor(owner, { segment, imported, overloads: overloadsOf(imported, model) }, scope, bind);
}

/** What is called. */
interface Called extends Pick<FunctionCall, 'segment' | 'imported'> {
  readonly overloads: readonly Callable[];
}

/** A call for each of the entities. */
function bindCallFor(
  owner: BoundExpression,
  { segment, imported, overloads }: Called,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const { model, aliases } = scope;
  const type = structuredType(model, owner.type);
  const calls = readsOf(owner, scope)?.calls;
  if (calls === undefined || segment.key !== undefined || !isEntity(type)) throw notCallable(segment, scope);
  const callable = chooseOverload(overloads, segment, scope);
  const { returns } = callable;
  if (returns === undefined || returns.type.kind === 'entity' || returns.type.name === 'Edm.Stream') {
    throw notCallable(segment, scope);
  }
  const computed = computedParameters(callable, segment, { ...scope, calls }, bind);
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

function isBoundTo({ binding }: Callable, type: EntityType): boolean {
  return binding?.collection === false && isA(type, binding.entityType);
}

/** No property has a name with parentheses. */
function memberName(type: EntityType, { name, arguments: given }: NameSegment): string {
  const told = JSON.stringify(given, (key, value: unknown) => (key === 'position' ? undefined : value));
  return `${qualifiedName(type)}/${name}(${told})`;
}

/** Whether the expression needs the result of a call. */
export function readsCall(expression: BoundExpression, calls: ReadonlyMap<string, FunctionCall>): boolean {
  return someExpression(expression, (node) => 'name' in node && calls.has(node.name));
}
