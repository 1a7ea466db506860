import type { Row, Value } from '../../contract/row.ts';
import type { EntitySet, EntityType } from '../../model/edm.ts';
import type { prepareRoots } from '../load/load-roots.ts';
import type { CompiledQuery } from '../pipeline/compile-query.ts';
import type { Loading, Wanted } from '../resource/loading.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { OuterInstance } from '../scope/scope.ts';
import type { ExpandItem, QueryOptions } from '../tree/options-tree.ts';
import type { BoundExpand } from './bind-expand.ts';

/** Loads entities for an answer that may show parts of the collections within it; they are whole without `pages`. */
export interface ExpandLoading extends Loading {
  readonly pages?: NestedPages | undefined;
}

/** Cuts the collections within an answer into pages. */
export interface NestedPages {
  readonly cut: (
    rows: readonly Row[],
    entitySet: EntitySet | undefined,
    expanded: CompiledRelated,
    owner: EntityResource,
  ) => NestedPage;
}

/** What an answer shows of a collection within it. */
export interface NestedPage {
  readonly rows: readonly Row[];
  /** Where the rest can be asked for, in the words of whoever cuts; undefined where nothing is left. */
  readonly nextLink: string | undefined;
}

/** The property names, resources and items that expanding takes at any level. */
interface AnyExpander {
  /** The properties that the related entities are found by. */
  readonly properties: readonly string[];
  /** The resources that the related entities are of, and whatever else is read for them. */
  readonly resources: readonly string[];
  /** The navigation properties that are expanded, in the order of the query. */
  readonly items: readonly CompiledExpand[];
  /** The names of the streams that are shown within the entities. */
  readonly streams: readonly string[];
}

/** `$expand`, compiled: adds related entities to the entities of an answer (Part 1, 11.2.5.2). */
export interface Expander extends AnyExpander {
  /** Options within read undeclared properties of the entities. */
  readonly dynamic: boolean;
  /** The entities as rows with the related entities under the names of the navigation properties. */
  readonly expand: (loading: ExpandLoading, entities: readonly EntityResource[]) => Promise<readonly Row[]>;
}

/** What `$it` is for an entity: the instance that it was expanded from, at last. */
export type InstanceOf = (entity: EntityResource) => Row;

/** An expander for which `$it` may be another entity than those that are expanded. */
export interface NestedExpander extends AnyExpander {
  readonly expand: (
    loading: ExpandLoading,
    entities: readonly EntityResource[],
    instanceOf: InstanceOf,
  ) => Promise<readonly Row[]>;
}

/** One navigation property to be expanded. */
export interface CompiledExpand extends CompiledRelated {
  /** What an answer says of a collection of related entities that this has added to a row. */
  readonly saidOf: (related: Value | undefined) => SaidOfCollection;
}

/** What is said of a collection within an answer, beside its entities. */
export interface SaidOfCollection {
  /** How many there are on all pages, where the query asks for it. */
  readonly count?: number | undefined;
  readonly nextLink?: string | undefined;
}

/** What is done with the related entities once they are loaded. */
export interface CompiledRelated {
  readonly bound: BoundExpand;
  readonly type: EntityType;
  readonly options: Omit<NonNullable<ExpandItem['options']>, 'expand'>;
  readonly query: CompiledQuery;
  readonly nested: NestedExpander | undefined;
  /** `$it` of the options. */
  readonly outer: OuterInstance;
  /** What `$levels` expands within them again. */
  readonly deeper: readonly ExpandItem[];
  /** The parameter aliases that are known to the options. */
  readonly aliases: QueryOptions['aliases'];
  readonly wanted: Wanted;
  readonly loadRoots: ReturnType<typeof prepareRoots>;
}

/** How one navigation property is expanded. */
export interface Expanded {
  readonly item: CompiledExpand;
  readonly properties: readonly string[];
  readonly resources: readonly string[];
  /** The value of the navigation property, for each of the entities; undefined for those that have none. */
  readonly expand: (
    loading: ExpandLoading,
    entities: readonly EntityResource[],
    instanceOf: InstanceOf,
  ) => Promise<readonly (Value | undefined)[]>;
}
