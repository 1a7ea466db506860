import type { EntityType } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { type BoundExpression, variableOf } from '../scope/bound-tree.ts';
import type { BoundRoot } from '../scope/reads.ts';
import { badRequest, quote, type Scope } from '../scope/scope.ts';
import type { NameSegment, PathExpression, PathSegment } from '../tree/expression-tree.ts';
import { collectionOf } from '../typing/expression-type.ts';
import { qualifiedName } from '../typing/model-type.ts';
import { keySegments } from './bind-key.ts';
import { dedupeRoot } from './dedupe-root.ts';
import { bindRootCall } from './root-calls.ts';

/** Where a path from `$root` starts (Part 2, 5.1.1.14.5), and the segments that lead on from there. */
export function bindRoot(
  { segments: [first, ...rest], position }: PathExpression,
  scope: Scope,
): readonly [BoundExpression, readonly PathSegment[]] {
  const imported = first?.kind === 'name' ? scope.model.imports.get(first.name) : undefined;
  if (first?.kind === 'name' && imported?.kind === 'function')
    return [bindRootCall(first, imported, scope), rest];
  const entityType = first?.kind === 'name' ? typeAt(first, scope.model) : undefined;
  if (first?.kind !== 'name' || entityType === undefined) throw unknownRoot(first, scope, position);
  const [keyed, behind] = withKeySegment(first, rest, entityType, scope);
  const root = dedupeRoot(keyed, scope) ?? createRoot(keyed, entityType, scope);
  return [root.variable, behind];
}

/** A key may be the segment behind the name of a set (4.3.6). */
function withKeySegment(
  first: NameSegment,
  rest: readonly PathSegment[],
  type: EntityType,
  scope: Scope,
): readonly [NameSegment, readonly PathSegment[]] {
  const isSet = scope.model.entitySets.has(first.name) && first.arguments === undefined;
  const key = isSet ? keySegments(type, rest, scope) : undefined;
  return key === undefined ? [first, rest] : [{ ...first, arguments: key }, rest.slice(key.length)];
}

function typeAt({ name, arguments: key, key: second }: NameSegment, model: Model): EntityType | undefined {
  if (second !== undefined) return undefined;
  const set = model.entitySets.get(name);
  return set?.entityType ?? (key === undefined ? model.singletons.get(name)?.entityType : undefined);
}

function createRoot(segment: NameSegment, entityType: EntityType, scope: Scope): BoundRoot {
  const { aliases, model } = scope;
  const isCollection = model.entitySets.has(segment.name) && segment.arguments === undefined;
  const type = qualifiedName(entityType);
  const root: BoundRoot = {
    read: { segment, aliases, entityType, properties: new Set(), related: new Map(), calls: new Map() },
    variable: variableOf(isCollection ? collectionOf(type) : type, segment.position),
  };
  scope.roots.push(root);
  return root;
}

function unknownRoot(segment: PathSegment | undefined, scope: Scope, position: number): Error {
  const name = segment?.kind === 'name' ? segment.name : '';
  return badRequest(
    scope,
    position,
    `expected an entity set or a singleton behind $root, found ${quote(name)}`,
  );
}
