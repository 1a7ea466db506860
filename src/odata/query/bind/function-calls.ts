import type { Row } from '../../../contract/entity-source.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { Callable } from '../../../model/operation.ts';
import type { Expression, NameSegment } from '../../url/tree.ts';
import type { BoundExpression } from './bound-tree.ts';
import { call } from './call.ts';
import type { ExpressionType } from './expression-type.ts';
import { chooseOverload, isNamed, notCallable } from './function-overload.ts';
import { isDerivedFrom, qualifiedName, structuredType, typeOfUse } from './model-type.ts';
import { readsOf } from './related-reads.ts';
import { bindRootCall, importOf } from './root-calls.ts';
import { badRequest, quote, type Scope } from './scope.ts';

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

/** Binds the call of a function that is bound to an entity which is read, or to nothing; others are NotImplemented. */
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
  const bound =
    type !== undefined && 'key' in type ? known.filter((each) => isBoundTo(each, type, scope.model)) : [];
  const imported = bound.length === 0 && owner === scope.instance ? importOf(segment, scope) : undefined;
  if (imported !== undefined) return bindRootCall(segment, imported, scope);
  const calls = readsOf(owner, scope)?.calls;
  const isOfEntity = type !== undefined && 'key' in type && !type.open;
  if (!isOfEntity || calls === undefined || key !== undefined) throw notCallable(segment, scope);
  const { returns } = chooseOverload(bound, segment, scope);
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
