import type {
  ActionResource,
  CollectionResource,
  CrossjoinResource,
  EntityResource,
  StreamResource,
  ValueResource,
} from '../../../engine/resource/resource.ts';
import type { SystemQueryOptions } from '../../../engine/tree/query-tree.ts';
import type { EntityType } from '../../../model/edm.ts';

/** What a URL addresses: a resource path whose names are bound to the model (Part 2, 4). */
export type Resource =
  | { readonly kind: 'serviceDocument' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'batch' }
  | CollectionResource
  | EntityResource
  | ValueResource
  | StreamResource
  | ActionResource
  | CountResource
  | CrossjoinResource
  | AllResource
  /** Each of the entities by itself (Part 2, 4.13). */
  | { readonly kind: 'each'; readonly of: CollectionResource }
  | { readonly kind: 'rawValue'; readonly of: ValueResource }
  | { readonly kind: 'references'; readonly of: CollectionResource | EntityResource };

/** How many entities or values there are (Part 2, 4.8). */
export interface CountResource {
  readonly kind: 'count';
  readonly of: CollectionResource | ValueResource | CrossjoinResource;
  /** What the segment says in parentheses of those that are counted. */
  readonly conditions: Pick<SystemQueryOptions, 'filter' | 'search'>;
}

/** The entities of several sets, one behind the other (Part 2, 4.14). */
export interface AllResource {
  readonly kind: 'all';
  /** The type that all of them are of; undefined for any. */
  readonly type: EntityType | undefined;
  readonly collections: readonly CollectionResource[];
}
