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

/** The resource of a URL: a path whose names are bound to the model (Part 2, 4). */
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
  /** Each entity separately (Part 2, 4.13). */
  | { readonly kind: 'each'; readonly of: CollectionResource }
  | { readonly kind: 'rawValue'; readonly of: ValueResource }
  | { readonly kind: 'references'; readonly of: CollectionResource | EntityResource };

/** The number of entities or values (Part 2, 4.8). */
export interface CountResource {
  readonly kind: 'count';
  readonly of: CollectionResource | ValueResource | CrossjoinResource;
  /** The options in the parentheses of `$count`. */
  readonly conditions: Pick<SystemQueryOptions, 'filter' | 'search'>;
}

/** The concatenated entities of several sets (Part 2, 4.14). */
export interface AllResource {
  readonly kind: 'all';
  /** Their type; undefined for all types. */
  readonly type: EntityType | undefined;
  readonly collections: readonly CollectionResource[];
}
