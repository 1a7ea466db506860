import type { EntityType } from '../../model/edm.ts';
import { fetched, type Projection } from '../query/projection.ts';
import { contentOfResults } from '../results/result-content.ts';
import { instanceType } from '../results/result-scope.ts';
import type { Scope } from '../scope/scope.ts';
import type { SystemQueryOptions } from '../tree/options-tree.ts';
import { narrowed } from './narrow-content.ts';

/** The type of the instances that the options behind `$apply` are about. */
export function resultEntityType(scope: Scope): EntityType {
  const type = instanceType(scope);
  return 'key' in type ? type : { ...type, key: [] };
}

/** What was fetched, and what names meant, before `$apply`. */
interface Fetched {
  readonly entityType: EntityType;
  readonly scope: Scope;
}

/**
 * What a query with `$apply` reads and shows: it reads what the transformations do, and shows what they have
 * made. Where the entities are still what they were they have what was selected, too.
 */
export function projectResults(
  projection: Projection,
  { select }: SystemQueryOptions,
  scope: Scope,
  before: Fetched,
): Projection {
  const { selected } = projection;
  const named = new Set(select?.map(({ path: [name] }) => name));
  const isAll = select === undefined || named.has('*');
  const isShown = (name: string) =>
    selected.includes(name) || named.has(name) || (isAll && !scope.computed.has(name));
  const results = narrowed(contentOfResults(scope, isShown), select);
  const computed = new Map([...results.computed].filter(([name]) => selected.includes(name)));
  return {
    ...projection,
    ...(results.transient && fetched([], before.entityType, before.scope)),
    related: before.scope.related,
    selected: selected.filter((name) => !results.nested.has(name)),
    computed,
    exact: false,
    results,
  };
}
