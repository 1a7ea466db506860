import type { CompiledExpand, Expander } from '../../../engine/expand/expander.ts';
import type { Projection } from '../../../engine/pipeline/compile-query.ts';
import type { ResultContent } from '../../../engine/results/result-content.ts';
import type { SystemQueryOptions } from '../../../engine/tree/options-tree.ts';
import type { ContextProjection } from '../../payload/negotiation/context-url.ts';

/** What a context URL says of `$select` and `$expand` (Part 1, 10.7 to 10.10); undefined where it says nothing. */
export function contextProjection(
  { select }: Pick<SystemQueryOptions, 'select'>,
  query: Projection,
  expander: Pick<Expander, 'items'> | undefined,
): ContextProjection | undefined {
  const expand = [...resultProjections(query.results), ...(expander?.items ?? []).map(relatedProjection)];
  const selected = select === undefined || query.results?.transient ? undefined : selectList(select, query);
  const shown = selected ?? pathsOf(query.results);
  return shown === undefined && expand.length === 0 ? undefined : { select: shown, expand };
}

/**
 * The context URL of the results of `$apply` names the properties that all of them have (Data Aggregation 4.0, 3.1.1); of
 * entities that are what they were it names what has been added, and undefined stands for nothing.
 */
function pathsOf(results: ResultContent | undefined): readonly string[] | undefined {
  const isWhole = results?.transient === false && results.paths.length === 1;
  return results === undefined || isWhole ? undefined : namedPaths(results);
}

/** What has nothing that all of the instances have is named as that (Data Aggregation 4.0, 3.1.1). */
function namedPaths({ transient, paths, nested }: ResultContent): readonly string[] {
  const isNamed = !transient || paths.length > 0 || [...nested.values()].some(({ sparse }) => !sparse);
  return isNamed ? paths : ['@Core.AnyStructure'];
}

function resultProjections(results: ResultContent | undefined): ContextProjection['expand'] {
  const shared = [...(results?.nested ?? [])].filter(([, { sparse }]) => !sparse);
  return shared.map(([path, content]) => ({
    path,
    projection: { select: namedPaths(content), expand: resultProjections(content) },
  }));
}

/** What a context URL says of related entities (10.9). */
function relatedProjection({
  bound: { item, navigation, isStar },
  options,
  query,
  nested,
  deeper,
}: CompiledExpand): ContextProjection['expand'][number] {
  return {
    path: isStar ? navigation.name : item.path.join('/'),
    recursive: deeper.length > 0,
    projection: item.form === 'ref' ? undefined : contextProjection(options, query, nested),
  };
}

type SelectItems = NonNullable<SystemQueryOptions['select']>;

/** What the context URL says of the parts of a value that is no entity (10.13 to 10.16). */
export function valueProjection({
  select,
}: Pick<SystemQueryOptions, 'select'>): ContextProjection | undefined {
  return select && { select: [...new Set(select.flatMap(itemPaths))], expand: [] };
}

/** Options within an item are written as paths, too (10.7). */
function itemPaths({ path, options }: SelectItems[number]): readonly string[] {
  const own = path.join('/');
  return options?.select?.flatMap(itemPaths).map((inner) => `${own}/${inner}`) ?? [own];
}

/** `*` stands for all declared properties. What has no values, but links, is named as well (10.7). */
function selectList(select: SelectItems, { selected, computed, results }: Projection): readonly string[] {
  const all = select.some(({ path }) => path.length === 1 && path[0] === '*');
  const shown = all ? ['*', ...computed.keys()] : selected.flatMap((name) => selectedPaths(select, name));
  return [...shown, ...withoutValues(select, [...selected, ...(results?.nested.keys() ?? [])])];
}

/** Navigation properties, stream properties and operations: what is not among those with values. */
function withoutValues(select: SelectItems, valued: readonly string[]): readonly string[] {
  const others = select.filter(({ path }) => {
    const name = propertyIn(path);
    return name !== '*' && (name === undefined || !valued.includes(name));
  });
  return [...new Set(others.map(({ path }) => path.join('/')))];
}

/** The paths by which a property was selected: parts of a complex one, or behind a type cast. */
function selectedPaths(select: SelectItems, name: string): readonly string[] {
  const items = select.filter(({ path }) => propertyIn(path) === name);
  const paths = new Set(items.flatMap(itemPaths));
  return paths.size === 0 || paths.has(name) ? [name] : [...paths];
}

/** The first name behind type casts. */
function propertyIn(path: readonly string[]): string | undefined {
  return path.find((segment) => !segment.includes('.'));
}
