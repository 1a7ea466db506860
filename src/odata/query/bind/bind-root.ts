import type { EntityType, Model } from '../../../model/edm.ts';
import type { NameSegment, PathExpression, PathSegment } from '../../url/tree.ts';
import { type BoundExpression, variableOf } from './bound-tree.ts';
import { collectionOf } from './expression-type.ts';
import { qualifiedName } from './model-type.ts';
import type { BoundRoot } from './root-reads.ts';
import { badRequest, notImplemented, quote, type Scope } from './scope.ts';

/** Where a path from `$root` starts (Part 2, 5.1.1.14.5), and the segments that lead on from there. */
export function bindRoot(
  { segments: [first, ...rest], position }: PathExpression,
  scope: Scope,
): readonly [BoundExpression, readonly PathSegment[]] {
  const entityType = first?.kind === 'name' ? typeAt(first, scope.model) : undefined;
  if (first?.kind !== 'name' || entityType === undefined) throw unknownRoot(first, scope, position);
  const known = scope.roots.find(({ read }) => read.aliases === scope.aliases && isSame(read.segment, first));
  const root = known ?? createRoot(first, entityType, scope);
  if (known === undefined) scope.roots.push(root);
  return [root.variable, rest];
}

/** The same text at another place reads the same. */
function isSame(one: NameSegment, other: NameSegment): boolean {
  return one.name === other.name && textOf(one.arguments) === textOf(other.arguments);
}

function textOf(key: NameSegment['arguments']): string | undefined {
  return JSON.stringify(key, (name, value: unknown) => (name === 'position' ? undefined : value));
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
  return {
    read: { segment, aliases, entityType, properties: new Set(), related: new Map(), calls: new Map() },
    variable: variableOf(isCollection ? collectionOf(type) : type, segment.position),
  };
}

function unknownRoot(segment: PathSegment | undefined, scope: Scope, position: number): Error {
  const name = segment?.kind === 'name' ? segment.name : '';
  if (scope.model.imports.has(name)) {
    return notImplemented(scope, position, `the function ${quote(name)} in an expression`);
  }
  return badRequest(
    scope,
    position,
    `expected an entity set or a singleton behind $root, found ${quote(name)}`,
  );
}
