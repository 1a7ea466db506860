import type { Row } from '../../../contract/entity-source.ts';
import type { OuterInstance } from '../../../engine/bind/scope.ts';
import type { compileQuery } from '../../../engine/compile/compile-query.ts';
import type { ExpandItem } from '../../../engine/tree/options-tree.ts';
import type { EntityType } from '../../../model/edm.ts';
import type { Expansion } from '../../payload/body/entity-content.ts';
import type { ContextProjection } from '../../payload/context-url.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { prepareRoots } from './load-roots.ts';
import type { Loading, Wanted } from './loading.ts';
import type { NestedQueryOf } from './nested-query.ts';
import type { InstanceOf } from './outer-instance.ts';
import type { wantedFor } from './wanted.ts';

/** `$expand` at any level. */
interface AnyExpander {
  /** The properties that the related entities are found by. */
  readonly properties: readonly string[];
  /** The resources that the related entities are of, and whatever else is read for them. */
  readonly resources: readonly string[];
  /** What is read of the related entities themselves. */
  readonly wanted: ReadonlyMap<string, Wanted>;
  /** How the related entities are written. */
  readonly content: ReadonlyMap<string, Expansion>;
  /** What a context URL says of them. */
  readonly projection: ContextProjection['expand'];
}

/** `$expand`, compiled: adds related entities to the entities of an answer (Part 1, 11.2.5.2). */
export interface Expander extends AnyExpander {
  /** Options within read undeclared properties of the entities. */
  readonly dynamic: boolean;
  /** The entities as rows with the related entities under the names of the navigation properties. */
  readonly expand: (loading: Loading, entities: readonly EntityResource[]) => Promise<readonly Row[]>;
}

/** The same where `$it` may be another entity than those that are expanded. */
export interface NestedExpander extends AnyExpander {
  readonly expand: (
    loading: Loading,
    entities: readonly EntityResource[],
    instanceOf: InstanceOf,
  ) => Promise<readonly Row[]>;
}

/** What is done with the related entities once they are loaded. */
export interface CompiledRelated {
  readonly type: EntityType;
  readonly options: Omit<NonNullable<ExpandItem['options']>, 'expand'>;
  readonly query: ReturnType<typeof compileQuery>;
  readonly nested: NestedExpander | undefined;
  /** `$it` of the options. */
  readonly outer: OuterInstance;
  /** `$levels` leads on from them. */
  readonly goesDeeper: boolean;
  readonly wanted: ReturnType<typeof wantedFor>;
  readonly loadRoots: ReturnType<typeof prepareRoots>;
  /** How the rest of them can be asked for where an answer shows a part. */
  readonly queryOf: NestedQueryOf | undefined;
}
