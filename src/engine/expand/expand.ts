import type { Row, Value } from '../../contract/row.ts';
import { mapped } from '../../contract/work.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import { isRowOf } from '../load/is-of-type.ts';
import { prepareRoots } from '../load/load-roots.ts';
import { propertiesBehind, type Related } from '../load/related-rows.ts';
import { wantedFor } from '../load/wanted.ts';
import { compileQuery } from '../pipeline/compile-query.ts';
import { COLLECTION_OPTIONS, refuseMisplaced } from '../query/options.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { OuterInstance, QueryLimits } from '../scope/scope.ts';
import type { ExpandItem, QueryOptions } from '../tree/options-tree.ts';
import { type BoundExpand, bindExpand, bindStreams, expandedName } from './bind-expand.ts';
import { propertiesOfStream, readStreams } from './expand-streams.ts';
import { expandWithin } from './expand-within.ts';
import type { CompiledRelated, Expanded, Expander, NestedExpander, SaidOfCollection } from './expander.ts';
import { outerInstance, outermost } from './outer-instance.ts';
import { expandResults, firstPages, runRelated } from './run-related.ts';

/** What names mean in `$expand`. */
interface ExpandContext {
  readonly model: Model;
  readonly limits: QueryLimits;
  readonly aliases: QueryOptions['aliases'];
}

interface ExpandScope extends ExpandContext {
  readonly outer: OuterInstance;
}

/** Undefined where nothing is to be expanded. What cannot be is a BadRequest or NotImplemented. */
export function compileExpand(
  context: ExpandContext,
  type: EntityType,
  items: readonly ExpandItem[] = [],
): Expander | undefined {
  const outer = outerInstance(type);
  const nested = compileItems({ ...context, outer }, type, items);
  return nested && outermost(type, nested, outer);
}

function compileItems(
  scope: ExpandScope,
  type: EntityType,
  items: readonly ExpandItem[],
): NestedExpander | undefined {
  if (items.length === 0) return undefined;
  const all = bindExpand(scope.model, type, items).map((bound) => compileNavigation(scope, bound));
  const isWithin = ({ item: { bound } }: Expanded) => bound.within.length > 0;
  const expanded = all.filter((each) => !isWithin(each));
  const withinValues = expandWithin(all.filter(isWithin));
  const streams = bindStreams(scope.model, type, items);
  const ofStreams = streams.flatMap((stream) => propertiesOfStream(type, stream));
  return {
    properties: [...new Set([...all.flatMap(({ properties }) => properties), ...ofStreams])],
    streams: streams.map(({ name }) => name),
    resources: all.flatMap(({ resources }) => resources),
    items: all.map(({ item }) => item),
    async expand(loading, entities, instanceOf) {
      const values = await withinValues?.(loading, entities, instanceOf);
      const columns = await Promise.all(expanded.map(({ expand }) => expand(loading, entities, instanceOf)));
      const contents = await readStreams(loading, entities, streams);
      const withAdded = ({ known }: EntityResource, index: number): Row => {
        const added = expanded.flatMap(({ item: { bound } }, column) => {
          const value = columns[column]?.[index];
          return value === undefined ? [] : [[expandedName(bound), value] as const];
        });
        return { ...(values?.(known) ?? known), ...Object.fromEntries(added), ...contents[index] };
      };
      const { budget } = loading.context;
      return budget.run(mapped(entities, budget, withAdded));
    },
  };
}

function compileNavigation(scope: ExpandScope, bound: BoundExpand): Expanded {
  const { item, owner, navigation } = bound;
  const compiled = compileRelated(scope, bound);
  const { options, wanted } = compiled;
  const isCounted = item.form === 'count' || options.count === true;
  const said = new WeakMap<object, SaidOfCollection>();
  const saidOf = (related: Value | undefined) => said.get(related as object) ?? {};
  return {
    item: { ...compiled, saidOf },
    properties:
      bound.within.length > 0
        ? [...owner.key, ...bound.within.slice(0, 1)]
        : propertiesBehind(owner, navigation),
    resources: [relatedResourceName(navigation) ?? [], wanted.related ?? []].flat(),
    async expand(loading, entities, instanceOf) {
      // Entities of other types than the one that has the property have nothing there.
      const { budget } = loading.context;
      const isOwner = await budget.run(
        mapped(entities, budget, (each) => isRowOf(each.entityType, each.known, owner)),
      );
      const owners = entities.filter((_, index) => isOwner[index]);
      const found = await runRelated(loading, owners, compiled, instanceOf);
      const results = await budget.run(firstPages(loading, owners, compiled, found));
      const rows = await expandResults(loading, owners, bound, results, compiled.nested, instanceOf);
      if (isCounted || results.some(({ nextLink }) => nextLink !== undefined)) {
        const note = (each: Related, index: number): void => {
          const { count, nextLink } = results[index] ?? {};
          said.set(each, { count: isCounted ? (count ?? each.length) : undefined, nextLink });
        };
        await budget.run(mapped(rows, budget, note));
      }
      // The owners are in the order of the entities.
      const next = rows.values();
      const shown = (_: EntityResource, index: number) =>
        relatedValue(navigation, isOwner[index] ? (next.next().value ?? []) : undefined);
      return budget.run(mapped(entities, budget, shown));
    },
  };
}

function compileRelated(scope: ExpandScope, bound: BoundExpand): CompiledRelated {
  const { model, limits, outer } = scope;
  const { item, navigation, type } = bound;
  const { expand, ...options } = item.options ?? {};
  // A nested alias hides that of the whole query.
  const aliases = new Map([...scope.aliases, ...(options.aliases ?? [])]);
  if (!navigation.collection) {
    refuseMisplaced(options, COLLECTION_OPTIONS, `the single-valued "${navigation.name}" in $expand`);
  }
  const query = compileQuery(model, type, { ...options, aliases }, limits, outer);
  const loadRoots = prepareRoots(model, query.roots);
  if (query.results?.transient === true && expand !== undefined) {
    refuseMisplaced({ expand }, ['expand'], `what $apply has made of "${navigation.name}"`);
  }
  const deeper = nextLevel(bound);
  const nested = compileItems({ ...scope, aliases }, type, [...(expand ?? []), ...deeper]);
  const wanted = wantedFor(type, query, nested);
  return { bound, type, options, query, nested, outer, deeper, aliases, wanted, loadRoots };
}

/** Undefined for an entity that has no such property. */
function relatedValue({ collection }: NavigationProperty, found: Related | undefined): Value | undefined {
  return collection || found === undefined ? found : (found[0] ?? null);
}

/** `$levels` expands the same again in what was expanded, as long as it has the same navigation property. */
function nextLevel({ item, isStar, type, navigation }: BoundExpand): readonly ExpandItem[] {
  const left = (item.levels ?? 1) - 1;
  if (left < 1) return [];
  if (isStar) return [{ ...item, levels: left }];
  const goesOn = type.navigationProperties.has(navigation.name);
  return goesOn ? [{ ...item, path: [navigation.name], levels: left }] : [];
}
