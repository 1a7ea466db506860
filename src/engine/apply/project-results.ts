import type { EntityType } from '../../model/edm.ts';
import { fetched, type Projection } from '../query/projection.ts';
import { contentOfResults, type NestedContent, type ResultContent } from '../results/result-content.ts';
import { instanceType } from '../results/result-scope.ts';
import type { Scope } from '../scope/scope.ts';
import type { SelectItem, SystemQueryOptions } from '../tree/options-tree.ts';
import { asEntityType } from '../typing/model-type.ts';

/** The type of the instances that the options behind `$apply` are about. */
export function resultEntityType(scope: Scope): EntityType {
  const type = instanceType(scope);
  return asEntityType(type);
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

/** The content where `$select` names parts of the instances that others hold: `Author/LastName`. */
function narrowed(content: ResultContent, select: readonly SelectItem[] | undefined): ResultContent {
  if (select === undefined) return content;
  const nested = [...content.nested].map(
    ([name, each]) => [name, narrowedTo(each, partsOf(name, select))] as const,
  );
  return { ...content, nested: new Map(nested) };
}

/** What is asked of a property; undefined for all of it. */
function partsOf(name: string, select: readonly SelectItem[]): readonly SelectItem[] | undefined {
  const items = select.filter(({ path }) => path[0] === name || path[0] === '*');
  const parts = items.flatMap(({ path: [, ...path], options }): readonly SelectItem[] =>
    path.length > 0 ? [{ path, options, position: 0 }] : (options?.select ?? []),
  );
  const isWhole = items.some(({ path, options }) => path.length === 1 && options?.select === undefined);
  return isWhole ? undefined : parts;
}

function narrowedTo(content: NestedContent, parts: readonly SelectItem[] | undefined): NestedContent {
  if (parts === undefined || parts.some(({ path }) => path[0] === '*')) return content;
  const names = new Set(parts.map(({ path: [name] }) => name));
  const selected = parts.map(({ path }) => path.join('/'));
  const isSelected = (path: string) => selected.some((each) => path === each || path.startsWith(`${each}/`));
  const shown = content.shown.filter((name) => names.has(name));
  const nested = new Map([...content.nested].filter(([name]) => names.has(name)));
  const paths = content.paths.includes('*')
    ? selected.filter((path) => shown.includes(path.split('/', 1)[0] ?? ''))
    : content.paths.filter(isSelected);
  return { ...content, ...narrowed({ ...content, nested }, parts), shown, paths };
}
