import type { Row, Value } from '../../../contract/entity-source.ts';
import { mapped } from '../../../contract/work.ts';
import type { OuterInstance } from '../../../engine/bind/scope.ts';
import { compileQuery } from '../../../engine/compile/compile-query.ts';
import { COLLECTION_OPTIONS, refuseMisplaced } from '../../../engine/query/options.ts';
import type { ExpandItem, QueryOptions } from '../../../engine/tree/options-tree.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import { relatedResourceName } from '../../../model/resource-grants.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import type { Expansion } from '../../payload/body/entity-content.ts';
import type { ContextProjection } from '../../payload/context-url.ts';
import type { CollectionControl } from '../../payload/json/collection-control.ts';
import type { Limits } from '../limits.ts';
import type { EntityResource } from '../resource/resource.ts';
import { type BoundExpand, bindExpand } from './bind-expand.ts';
import type { CompiledRelated, Expander, NestedExpander } from './expander.ts';
import { isOfType } from './is-of-type.ts';
import { prepareRoots } from './load-roots.ts';
import type { Loading, Wanted } from './loading.ts';
import { nestedQuery } from './nested-query.ts';
import { type InstanceOf, outerInstance, outermost } from './outer-instance.ts';
import { isTransient, relatedContent, relatedProjection } from './related-content.ts';
import { propertiesBehind, type Related } from './related-rows.ts';
import { expandResults, firstPages, runRelated } from './run-related.ts';
import { wantedFor } from './wanted.ts';

/** What names mean in `$expand`. */
interface ExpandContext {
  readonly model: Model;
  readonly limits: Limits;
  readonly aliases: QueryOptions['aliases'];
}

interface ExpandScope extends ExpandContext {
  readonly outer: OuterInstance;
}

/** How deep `$levels=max` goes. */
const DEEPEST_LEVEL = 8;

/** The same for `*`, which multiplies at each level; the parser takes no higher number. */
const DEEPEST_STAR = 4;

/** Undefined where nothing is to be expanded. What cannot be is a BadRequest or NotImplemented. */
export function compileExpand(
  context: ExpandContext,
  type: EntityType,
  items: readonly ExpandItem[] = [],
): Expander | undefined {
  const outer = outerInstance(type);
  const nested = compileItems({ ...context, outer }, type, items);
  return nested && outermost(context.model, type, nested, outer);
}

function compileItems(
  scope: ExpandScope,
  type: EntityType,
  items: readonly ExpandItem[],
): NestedExpander | undefined {
  if (items.length === 0) return undefined;
  const expanded = bindExpand(scope.model, type, items).map((bound) => compileNavigation(scope, bound));
  return {
    properties: [...new Set(expanded.flatMap(({ properties }) => properties))],
    resources: expanded.flatMap(({ resources }) => resources),
    wanted: new Map(expanded.map(({ navigation, wanted }) => [navigation.name, wanted])),
    content: new Map(expanded.map(({ navigation, content }) => [navigation.name, content])),
    projection: expanded.map(({ projection }) => projection),
    async expand(loading, entities, instanceOf) {
      const columns = await Promise.all(expanded.map(({ expand }) => expand(loading, entities, instanceOf)));
      const withAdded = ({ known }: EntityResource, index: number): Row => {
        const added = expanded.flatMap(({ navigation }, item) => {
          const value = columns[item]?.[index];
          return value === undefined ? [] : [[navigation.name, value] as const];
        });
        return { ...known, ...Object.fromEntries(added) };
      };
      const { budget } = loading.context;
      return budget.run(mapped(entities, budget, withAdded));
    },
  };
}

/** One navigation property to be expanded. */
interface Expanded {
  readonly navigation: NavigationProperty;
  readonly properties: readonly string[];
  readonly resources: readonly string[];
  readonly wanted: Wanted;
  readonly content: Expansion;
  readonly projection: ContextProjection['expand'][number];
  /** The value of the navigation property, for each of the entities; undefined for those that have none. */
  readonly expand: (
    loading: Loading,
    entities: readonly EntityResource[],
    instanceOf: InstanceOf,
  ) => Promise<readonly (Value | undefined)[]>;
}

function compileNavigation(scope: ExpandScope, bound: BoundExpand): Expanded {
  const { model } = scope;
  const { item, owner, navigation } = bound;
  const compiled = compileRelated(scope, bound);
  const { options, wanted } = compiled;
  const isCounted = item.form === 'count' || options.count === true;
  const controls = new WeakMap<object, CollectionControl>();
  return {
    navigation,
    properties: propertiesBehind(owner, navigation),
    resources: [relatedResourceName(navigation) ?? [], wanted.related ?? []].flat(),
    wanted,
    content: {
      ...relatedContent(model, bound, compiled),
      control: (row) => controls.get(row[navigation.name] as object) ?? {},
    },
    projection: relatedProjection(bound, compiled),
    async expand(loading, entities, instanceOf) {
      // Entities of other types than the one that has the property have nothing there.
      const owners = entities.filter((entity) => isOfType(model, entity, owner));
      const found = await runRelated(loading, owners, bound, compiled, instanceOf);
      const results = firstPages(loading, owners, bound, compiled, found);
      const rows = await expandResults(loading, owners, bound, results, compiled.nested, instanceOf);
      for (const [index, each] of rows.entries()) {
        const { count, nextLink } = results[index] ?? {};
        controls.set(each, { count: isCounted ? (count ?? each.length) : undefined, nextLink });
      }
      const values = new Map(owners.map((each, index) => [each, rows[index] ?? []]));
      return entities.map((entity) => relatedValue(navigation, values.get(entity)));
    },
  };
}

function compileRelated(scope: ExpandScope, bound: BoundExpand): CompiledRelated {
  const { model, limits, outer } = scope;
  const { item, navigation, target, cast } = bound;
  const type = cast ?? target;
  const { expand, ...options } = item.options ?? {};
  // A nested alias hides that of the whole query.
  const aliases = new Map([...scope.aliases, ...(options.aliases ?? [])]);
  if (!navigation.collection) {
    refuseMisplaced(options, COLLECTION_OPTIONS, `the single-valued "${navigation.name}" in $expand`);
  }
  const query = compileQuery(model, type, { ...options, aliases }, limits.query, outer);
  const loadRoots = prepareRoots(model, query.roots);
  if (isTransient(query) && expand !== undefined) {
    refuseMisplaced({ expand }, ['expand'], `what $apply has made of "${navigation.name}"`);
  }
  const deeper = nextLevel(bound);
  const nested = compileItems({ ...scope, aliases }, type, [...(expand ?? []), ...deeper]);
  const wanted = wantedFor(model, type, query, nested);
  const queryOf = nestedQuery(bound, deeper, aliases, limits);
  return { type, options, query, nested, outer, goesDeeper: deeper.length > 0, wanted, loadRoots, queryOf };
}

/** Undefined for an entity that has no such property. */
function relatedValue({ collection }: NavigationProperty, found: Related | undefined): Value | undefined {
  return collection || found === undefined ? found : (found[0] ?? null);
}

/** `$levels` expands the same again in what was expanded, as long as it has the same navigation property. */
function nextLevel({ item, isStar, target, cast, navigation }: BoundExpand): readonly ExpandItem[] {
  const { levels = 1 } = item;
  const left = Math.min(levels, isStar ? DEEPEST_STAR : DEEPEST_LEVEL) - 1;
  if (left < 1) return [];
  if (isStar) return [{ ...item, levels: left }];
  const goesOn = (cast ?? target).navigationProperties.has(navigation.name);
  return goesOn ? [{ ...item, path: [navigation.name], levels: left }] : [];
}
