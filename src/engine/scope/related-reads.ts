import type { NavigationProperty } from '../../model/edm.ts';
import type { BoundExpression, BoundVariable } from './bound-tree.ts';
import type { EntityReads, RelatedReads } from './reads.ts';
import { isRootCall } from './root-reads.ts';
import type { Scope } from './scope.ts';

/**
 * What is read of the value: of the fetched entity, or of one that it is related to. Undefined for a value
 * that comes whole, such as a complex one.
 */
export function readsOf(value: BoundExpression, scope: Scope): EntityReads | undefined {
  if (value === scope.it && scope.outer !== undefined) return scope.outer;
  if (value === scope.these?.variable) return scope.these.reads;
  if (value === scope.row || value === scope.it) {
    return { properties: scope.reads, related: scope.related, calls: scope.calls };
  }
  switch (value.kind) {
    case 'property':
      return scope.related.get(value.name);
    case 'variable':
      return value.of === undefined ? rootReads(value, scope) : readsOf(value.of, scope);
    case 'filter':
      return readsOf(value.collection, scope);
    case 'call': {
      const [from] = value.arguments;
      const reads = from && readsOf(from, scope);
      return SAME_ENTITIES.has(value.name) ? reads : reads?.related.get(value.name);
    }
    default:
      return undefined;
  }
}

/** What gives entities of its argument. */
const SAME_ENTITIES: ReadonlySet<string> = new Set(['cast', '$key']);

function rootReads({ cell }: BoundVariable, { roots, rollupNodes }: Scope): EntityReads | undefined {
  const node = rollupNodes?.find(({ variable }) => variable.cell === cell);
  if (node !== undefined) return node.reads;
  const source = roots.find(({ variable }) => variable.cell === cell)?.read;
  return source === undefined || isRootCall(source) ? undefined : source;
}

/** Notes that a navigation property is followed: its entities do not come with the one that has it. */
export function followNavigation({ related }: EntityReads, navigation: NavigationProperty): RelatedReads {
  const known = related.get(navigation.name);
  if (known !== undefined) return known;
  const reads = { navigation, properties: new Set<string>(), related: new Map(), calls: new Map() };
  related.set(navigation.name, reads);
  return reads;
}
