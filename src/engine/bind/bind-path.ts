import { bindAggregateFunction } from '../aggregate/aggregate-function.ts';
import { bindHierarchyFunction, hierarchyQuestion } from '../aggregate/hierarchy-function.ts';
import { bindRollupNode, isRollupNode } from '../aggregate/rollup-node.ts';
import { bindCount, bindFilter, bindLambda } from '../operators/bind-collection.ts';
import type { BindExpression } from '../scope/bind-expression.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import { badRequest, notImplemented, quote, type Scope, sameCast } from '../scope/scope.ts';
import { castStructured } from '../scope/structured-cast.ts';
import type { LambdaSegment, NameSegment, PathExpression, PathSegment } from '../tree/expression-tree.ts';
import { structuredType } from '../typing/model-type.ts';
import { bindKey, entityTypeOf, keySegments } from './bind-key.ts';
import { bindProperty } from './bind-property.ts';
import { bindRoot } from './bind-root.ts';
import { bindFunctionCall } from './function-calls.ts';

/** firstMemberExpr (5.1.1.15): from the instance, or from what the path names instead, segment by segment. */
export function bindPath(path: PathExpression, scope: Scope, bind: BindExpression): BoundExpression {
  const [start, segments] = startOf(path, scope, bind);
  if (segments.length === 0) return { ...start, position: path.position };
  refuseSameCast(segments, scope);
  return bindSegments(start, segments, scope, bind);
}

/** The same type cast twice in a row is a slip: the grammar has one (Part 2, 5.1.1.15). */
function refuseSameCast(segments: readonly PathSegment[], scope: Scope): void {
  const again = segments.find((segment, index) => {
    const before = segments[index - 1];
    const isCast = segment.kind === 'name' && segment.arguments === undefined && segment.name.includes('.');
    return (
      isCast && before?.kind === 'name' && before.name === segment.name && before.arguments === undefined
    );
  });
  if (again?.kind === 'name') throw sameCast(again.name, again.position, scope);
}

/** A segment leads on from what the segments before it lead to; a key has one for each of its parts (4.3.6). */
function bindSegments(
  owner: BoundExpression,
  segments: readonly PathSegment[],
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const [segment, ...rest] = segments;
  if (segment === undefined) return owner;
  const type = entityTypeOf(owner, scope);
  const key = type && keySegments(type, segments, scope);
  if (key === undefined || segment.kind !== 'name') {
    return bindSegments(bindSegment(owner, segment, scope, bind), rest, scope, bind);
  }
  const entity = bindKey(owner, { ...segment, arguments: key }, scope, bind);
  return bindSegments(entity, segments.slice(key.length), scope, bind);
}

function startOf(
  path: PathExpression,
  scope: Scope,
  bind: BindExpression,
): readonly [BoundExpression, readonly PathSegment[]] {
  const { root, alias, segments, position } = path;
  const these = root === '$these' && isAboutAll(segments) ? scope.these : undefined;
  if (these !== undefined) {
    these.isAskedFor = true;
    return [these.variable, segments];
  }
  if (alias !== undefined) return [bind({ kind: 'alias', position, name: alias }, scope), segments];
  if (root === '$root') return bindRoot(path, scope);
  if (root === '$these') {
    throw notImplemented(scope, position, `a path from ${quote(root)}`);
  }
  if (root !== undefined) return [root === '$it' ? scope.it : scope.instance, segments];
  const [first, ...rest] = segments;
  const variable = first?.kind === 'name' ? scope.variables.get(first.name) : undefined;
  return variable === undefined ? [scope.instance, segments] : [variable, rest];
}

/** Whether the path asks something of the instances together, and is not the set itself. */
function isAboutAll([first]: readonly PathSegment[]): boolean {
  return first !== undefined && first.kind !== 'name';
}

function bindSegment(
  owner: BoundExpression,
  segment: PathSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  switch (segment.kind) {
    case 'name':
      return bindName(owner, segment, scope, bind);
    case 'lambda':
      return bindLambda(owner, segment, scope, bind);
    case 'count':
      return bindCount(owner, segment, scope, bind);
    case 'filter':
      return bindFilter(owner, segment, scope, bind);
    case 'aggregate':
      return bindAggregateFunction(owner, segment, scope, bind);
    default:
      throw notImplemented(scope, segment.position, `${quote(segmentName(segment))} in an expression`);
  }
}

function bindName(
  owner: BoundExpression,
  segment: NameSegment,
  scope: Scope,
  bind: BindExpression,
): BoundExpression {
  const { name, position } = segment;
  if (segment.arguments !== undefined) {
    const question = owner === scope.instance ? hierarchyQuestion(name) : undefined;
    if (question !== undefined) return bindHierarchyFunction(question, segment, scope, bind);
    if (owner === scope.instance && isRollupNode(name)) return bindRollupNode(segment, scope, bind);
    return isNavigation(owner, name, scope)
      ? bindKey(bindProperty(owner, name, scope, position), segment, scope, bind)
      : bindFunctionCall(owner, segment, scope, bind);
  }
  if (!NAME.test(name)) throw badRequest(scope, position, `expected a name, found ${quote(name)}`);
  return name.includes('.')
    ? castStructured(owner, name, scope, position)
    : bindProperty(owner, name, scope, position);
}

/** What may be meant for a key of entities has other characters, too. */
const NAME = /^[\p{L}\p{Nl}_][^~-]*$/u;

function isNavigation({ type }: BoundExpression, name: string, { model }: Scope): boolean {
  return structuredType(model, type)?.navigationProperties.get(name)?.collection === true;
}

function segmentName(segment: Exclude<PathSegment, NameSegment | LambdaSegment>): string {
  switch (segment.kind) {
    case 'system':
      return `$${segment.name}`;
    case 'annotation':
      return `@${segment.term}`;
    default:
      return `$${segment.kind}`;
  }
}
