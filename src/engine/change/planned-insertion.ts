import { CONCURRENT_CALLS, mapConcurrently } from '../../core/work.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import { insertInSet, type ReferentialConstraints, referentialConstraints } from '../../model/link-change.ts';
import type { InsertOperation } from '../../model/operation.ts';
import type { EntityInput, NestedEntities } from '../input/entity-input.ts';
import { mayView } from '../load/load.ts';
import type { EntityService } from '../resource/load-context.ts';
import { collectionOf, entityByKey, relatedResource } from '../resource/navigation-source.ts';
import { type CollectionResource, type EntityResource, notImplemented } from '../resource/resource.ts';
import { completeInput } from './bound-input.ts';
import type { ChangeContext } from './compensation.ts';
import { assertLinkedOnce, type PlannedLink, planLink } from './planned-link.ts';

/** The collection and operation for a new entity. */
export interface InsertPlace {
  readonly collection: CollectionResource;
  readonly operation: InsertOperation;
}

/** An entity that is to be created, with others that must be there before it or can only be after it. */
export interface DeepInput {
  readonly body: EntityInput;
  /** Of these, the entity has the keys. */
  readonly before: readonly RelatedInsertion[];
  /** The entities that have the key of this one, in their path or in a property. */
  readonly after: readonly RelatedInsertion[];
  /** The links to entities that are there already. */
  readonly links: readonly PlannedLink[];
}

export interface Insertion extends InsertPlace, DeepInput {}

/** Entities that are to be created behind a navigation property of another one. */
export interface RelatedInsertion {
  readonly property: NavigationProperty;
  readonly keys: readonly ReferentialConstraints[];
  /** True if the caller may view them. */
  readonly isVisible: boolean;
  readonly insertions: readonly Insertion[];
}

/**
 * Checks what is to be created, and who may do it, before the first of it is sent (Part 1, 11.4.2.2).
 * NotImplemented where the upstream has no operation for a part of it.
 */
export async function planInsertion(
  site: ChangeContext,
  place: InsertPlace,
  body: EntityInput,
): Promise<Insertion> {
  return { ...place, ...(await planDeepInput(site, entityByKey(place.collection, {}), body)) };
}

/** Plans what else is created with an entity that is created where its own URL says; `owner` is not there yet. */
export async function planDeepInput(
  site: ChangeContext,
  owner: EntityResource,
  body: EntityInput,
): Promise<DeepInput> {
  const embedded = body.nested.filter(({ property }) => property.origin.kind === 'embedded');
  const others = body.nested.filter((each) => !embedded.includes(each) && each.entities.length > 0);
  const related = await Promise.all(others.map((nested) => planRelated(site, owner, body, nested)));
  const bound = body.bindings.flatMap(({ property, links }) =>
    links.map((written) => ({ property, written })),
  );
  const links = await mapConcurrently(bound, CONCURRENT_CALLS, ({ property, written }) =>
    planLink(site, owner, property, written),
  );
  assertLinkedOnce(links);
  const isBefore = ({ property }: RelatedInsertion) => property.constraints.length > 0;
  return {
    body: { ...body, nested: embedded },
    before: related.filter(isBefore),
    after: related.filter((each) => !isBefore(each)),
    links,
  };
}

/** Entities within another one: `owner` may be one that is not there yet. */
export async function planRelated(
  site: ChangeContext,
  owner: EntityResource,
  { entityType }: Pick<EntityInput, 'entityType'>,
  { property, entities }: NestedEntities,
): Promise<RelatedInsertion> {
  const { service, context } = site;
  const place = relatedPlace(service, owner, entityType, property);
  service.source.permit?.(place.collection.resource, 'Insert', context);
  const insertions = await mapConcurrently(entities, CONCURRENT_CALLS, async (entity) =>
    planInsertion(site, place, await completeInput(site, place.operation, entity)),
  );
  const keys = referentialConstraints(entityType, property);
  const isVisible = mayView(service.source, place.collection.resource, context);
  return { property, keys, isVisible, insertions };
}

/** Below the entity's path, or in the set of the related entities where a foreign key or a link says whose they are. */
function relatedPlace(
  { model }: EntityService,
  owner: EntityResource,
  entityType: EntityType,
  property: NavigationProperty,
): InsertPlace {
  if (property.origin.kind === 'path' && property.collection) {
    const below = relatedResource(model, owner, property);
    const insert = below.origin.kind === 'operations' ? below.origin.operations.insert : undefined;
    if (below.kind === 'collection' && insert?.verbatim === false) {
      return { collection: below, operation: insert };
    }
  }
  const set = property.target;
  const operation = insertInSet(entityType, property);
  if (set === undefined || operation === undefined) {
    throw notImplemented(`"${property.name}" in a body`, property.name);
  }
  return { collection: collectionOf(set), operation };
}
