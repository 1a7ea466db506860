import { feedsBehind } from '../../../model/change-feed.ts';
import {
  type EntitySet,
  type EntityType,
  isA,
  isComparable,
  isReadable,
  type NavigationPlace,
  type NavigationProperty,
  readableProperties,
  requiredFilter,
  type Singleton,
  type StreamOperations,
  type StructuralProperty,
} from '../../../model/edm.ts';
import {
  addedLink,
  isInsertedDeep,
  isUpdatedDeep,
  type LinkPlace,
  linkedInsert,
  removedLink,
} from '../../../model/link-change.ts';
import type { Model } from '../../../model/model.ts';
import type {
  InsertOperation,
  ListOperation,
  OperationParameter,
  SentType,
  UpdateOperation,
} from '../../../model/operation.ts';
import { takenProperties } from '../../../model/sent-type.ts';
import { LIST_MEDIA_TYPES } from '../negotiation/format.ts';
import type { JsonObject } from './csdl-members.ts';
import { unlessEmpty } from './csdl-property.ts';

/** What can be done with an entity set (vocabulary Org.OData.Capabilities.V1), as the document has it. */
export function capabilities(model: Model, set: EntitySet): JsonObject {
  const { etag, alternateKeys = [] } = set.entityType;
  // Each part is named in a URL as the property is.
  const keys = alternateKeys.map((parts) => ({ Key: parts.map((name) => ({ Name: name, Alias: name })) }));
  return {
    ...readRestrictions(set),
    ...queryRestrictions(model, set.entityType, set.list),
    '@Capabilities.InsertRestrictions': insertRestrictions(set),
    '@Capabilities.UpdateRestrictions': updateRestrictions(set),
    '@Capabilities.DeleteRestrictions': {
      Deletable: set.delete !== undefined,
      NonDeletableNavigationProperties: namesWithout(set, removedLink),
    },
    ...deepSupport(set),
    ...navigationRestrictions(model, set.name, set.entityType),
    '@Capabilities.ChangeTracking': changeTracking(set),
    '@Core.OptimisticConcurrency': etag === undefined ? undefined : [etag],
    '@Core.AlternateKeys': unlessEmpty(keys),
  };
}

export function singletonCapabilities(model: Model, singleton: Singleton): JsonObject {
  return {
    '@Capabilities.UpdateRestrictions': updateRestrictions(singleton),
    ...expandRestrictions(model, singleton.entityType),
    ...navigationRestrictions(model, singleton.name, singleton.entityType),
  };
}

function insertRestrictions(set: EntitySet): JsonObject {
  const { entityType: type, insert } = set;
  const fixed = insert?.fixed?.map(({ property }) => property) ?? [];
  const sent = insert === undefined || insert.verbatim ? [] : requiredProperties(type, insert.sent);
  return {
    Insertable: insert !== undefined,
    NonInsertableProperties: unlessEmpty(insert?.nonInsertableProperties ?? []),
    RequiredProperties: unlessEmpty([...new Set([...fixed, ...sent])]),
    NonInsertableNavigationProperties: insert && unlessEmpty(insertedApart(set)),
    Description: insert && type.stream && mediaInsertion(type.stream, insert),
  };
}

/** The way in which media entities are created: not each API takes their stream (Part 1, 11.4.8.1). */
function mediaInsertion({ put }: StreamOperations, { media }: InsertOperation): string {
  if (media?.only === true) return 'POST takes the stream of the new entity.';
  if (media !== undefined) return 'POST takes the stream of the new entity, or the entity as JSON.';
  const afterwards = put === undefined ? '' : ' PUT to its /$value takes the stream afterwards.';
  return `POST takes the new entity as JSON, not its stream.${afterwards}`;
}

/** What must be said though reads may have null for it: what may not be null goes without saying. */
function requiredProperties(type: EntityType, sent: SentType | undefined): readonly string[] {
  return [...takenProperties(type, sent).values()]
    .filter(({ required, nullable, collection }) => required && !nullable && !collection)
    .filter(({ name, defaultValue }) => defaultValue === undefined && !type.key.includes(name))
    .filter(({ name }) => type.structuralProperties.get(name)?.nullable)
    .map(({ name }) => name);
}

function updateRestrictions(place: EntitySet | Singleton): JsonObject {
  const { update } = place;
  return {
    ...updateMethods(update),
    NonUpdatableProperties: unlessEmpty(update?.nonUpdatableProperties ?? []),
    NonUpdatableNavigationProperties: update && namesWithout(place, addedLink),
  };
}

/** Clients cannot assume that changes are tracked for filters on other properties than these, or with others expanded. */
function changeTracking({ changes, entityType: type }: EntitySet): JsonObject | undefined {
  if (changes === undefined) return undefined;
  const expandable = [...type.navigationProperties.values()].filter(
    (navigation) => feedsBehind(type, navigation) !== undefined,
  );
  return {
    Supported: true,
    FilterableProperties: unlessEmpty([...readableProperties(type).keys()]),
    ExpandableProperties: unlessEmpty(expandable.map(({ name }) => name)),
  };
}

/** Nothing where a set can be read as a whole and by key: that is what the vocabulary takes for granted. */
function readRestrictions({ list, read }: EntitySet): JsonObject {
  if (list !== undefined && read !== undefined) return {};
  const byKey = { Readable: read !== undefined };
  return {
    '@Capabilities.ReadRestrictions': { Readable: list !== undefined, ReadByKeyRestrictions: byKey },
  };
}

/** Which properties `$filter` and `$orderby` cannot take, and what `$expand` can. */
function queryRestrictions(
  model: Model,
  type: EntityType,
  list: Pick<ListOperation, 'fixed' | 'over'> = {},
): JsonObject {
  const { structuralProperties } = type;
  const properties = [...structuralProperties.values()].filter(({ aliasOf }) => aliasOf === undefined);
  const unfiltered = properties.filter((property) => !isReadable(property)).map(({ name }) => name);
  const unsorted = properties.filter((property) => !isSortable(property)).map(({ name }) => name);
  return {
    '@Capabilities.FilterRestrictions': filterRestrictions(unfiltered, requiredFilter(list)),
    '@Capabilities.SortRestrictions': unsorted.length === 0 ? undefined : { NonSortableProperties: unsorted },
    ...expandRestrictions(model, type),
  };
}

/** Streams can be expanded where entities have them, those of derived types among them; there is no saying so else. */
function expandRestrictions(model: Model, type: EntityType): JsonObject {
  const types = [...model.entityTypes.values()].filter((other) => isA(other, type));
  const streams = types.flatMap(({ stream, streams: others }) => [stream, ...(others?.values() ?? [])]);
  const hasStreams = streams.some((stream) => stream?.get !== undefined);
  return { '@Capabilities.ExpandRestrictions': hasStreams ? { StreamsExpandable: true } : undefined };
}

/** Where a list has parameters that only a filter can give, there is no read without one. */
function filterRestrictions(
  unfiltered: readonly string[],
  fixed: readonly OperationParameter[],
): JsonObject | undefined {
  if (unfiltered.length + fixed.length === 0) return undefined;
  return {
    RequiresFilter: fixed.length > 0 || undefined,
    RequiredProperties: unlessEmpty(fixed.map(({ property }) => property)),
    NonFilterableProperties: unlessEmpty(unfiltered),
  };
}

/** Part 1, 11.2.6.2; a complex property is sorted by what is in it. */
function isSortable(property: StructuralProperty): boolean {
  const { type, collection } = property;
  if (!isReadable(property) || collection) return false;
  return type.kind !== 'primitive' || type.name === 'Edm.Untyped' || isComparable(type.name);
}

/** What can be done by way of navigation properties, at every place below a set or a singleton. */
function navigationRestrictions(model: Model, resource: string, type: EntityType): JsonObject {
  const own = [...type.navigationProperties.values()].filter(({ origin }) => origin.kind !== 'path');
  const places = [...model.entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap(({ origin }) => (origin.kind === 'path' ? origin.places : []))
    .filter(({ path }) => path.startsWith(`${resource}/`));
  const restricted = new Map<string, Partial<NavigationPlace>>([
    ...own.map((property) => [property.name, linkedChanges(type, property)] as const),
    ...places.map((place) => [place.path.slice(resource.length + 1), place] as const),
  ]);
  if (restricted.size === 0) return {};
  const properties = [...restricted].map(([path, place]) => restrictedProperty(path, place));
  return { '@Capabilities.NavigationRestrictions': { RestrictedProperties: properties } };
}

/**
 * The capabilities behind a link: entities can be changed as in their set, and those of a collection created and
 * deleted.
 */
function linkedChanges(owner: EntityType, navigation: NavigationProperty): Partial<NavigationPlace> {
  const { origin, target, collection } = navigation;
  const set = origin.kind === 'link' ? target : undefined;
  const insert = linkedInsert(owner, navigation);
  return { insert, update: set?.update, delete: collection ? set?.delete : undefined };
}

function restrictedProperty(path: string, place: Partial<NavigationPlace>): JsonObject {
  return {
    NavigationProperty: path,
    InsertRestrictions: { Insertable: place.insert !== undefined },
    UpdateRestrictions: updateMethods(place.update),
    DeleteRestrictions: { Deletable: place.delete !== undefined },
  };
}

/** Whether related entities are created and changed together with one of the set; no request names them by Content-ID. */
function deepSupport(set: EntitySet): JsonObject {
  const navigations = [...set.entityType.navigationProperties.values()];
  if (navigations.length === 0) return {};
  const support = (isSupported: boolean): JsonObject => ({
    Supported: isSupported,
    ContentIDSupported: false,
  });
  return {
    '@Capabilities.DeepInsertSupport': support(navigations.some((each) => isInsertedDeep(set, each))),
    '@Capabilities.DeepUpdateSupport': support(navigations.some((each) => isUpdatedDeep(set, each))),
  };
}

/** The navigation properties behind which nothing is created together with an entity. */
function insertedApart(set: EntitySet): readonly string[] {
  const navigations = [...set.entityType.navigationProperties.values()];
  return navigations.filter((navigation) => !isInsertedDeep(set, navigation)).map(({ name }) => name);
}

/** The navigation properties whose links there is no such change of; undefined where there is one of all. */
function namesWithout(
  { entityType: type, update }: EntitySet | Singleton,
  changeOf: (place: LinkPlace) => unknown,
): readonly string[] | undefined {
  const fixed = [...type.navigationProperties.values()].filter(
    (navigation) => changeOf({ type, update, navigation }) === undefined,
  );
  return unlessEmpty(fixed.map(({ name }) => name));
}

/** Both methods wherever there is an update: where the upstream has one of them, it serves the other. */
function updateMethods(update: UpdateOperation | undefined): JsonObject {
  if (update === undefined) return { Updatable: false };
  return {
    Updatable: true,
    Upsertable: update.inserts === true || update.replacing?.inserts === true || undefined,
    UpdateMethod: 'PATCH,PUT',
  };
}

/** What goes for the whole service: it must not claim more than requests find. */
export function containerAnnotations({ entitySets }: Model): JsonObject {
  return {
    '@Core.ODataVersions': '4.0 4.01',
    '@Core.ConventionalIDs': true,
    '@Core.DereferenceableIDs': [...entitySets.values()].every(({ read }) => read !== undefined),
    '@Capabilities.SupportedFormats': LIST_MEDIA_TYPES,
    '@Capabilities.AsynchronousRequestsSupported': true,
    '@Capabilities.BatchSupported': true,
    '@Capabilities.BatchContinueOnErrorSupported': true,
    '@Capabilities.BatchSupport': BATCH_SUPPORT,
    '@Capabilities.BatchSupport@Core.LongDescription': CHANGE_SET_PROMISE,
    '@Capabilities.KeyAsSegmentSupported': true,
    '@Aggregation.ApplySupportedDefaults': {
      Transformations: TRANSFORMATIONS,
      Rollup: 'MultipleHierarchies',
      From: true,
    },
  };
}

const BATCH_SUPPORT = {
  Supported: true,
  ContinueOnErrorSupported: true,
  ReferencesInRequestBodiesSupported: true,
  ReferencesAcrossChangeSetsSupported: true,
  EtagReferencesSupported: true,
  RequestDependencyConditionsSupported: true,
  SupportedFormats: ['multipart/mixed', 'application/json'],
} as const;

/** The upstream has no transactions: what a change set promises instead is said in words. */
const CHANGE_SET_PROMISE =
  'All members of a change set are checked before the first is carried out. There are no transactions: where ' +
  'one fails all the same, what others created, changed and deleted is put back where that is possible, and the ' +
  'error says what cannot be undone.';

/** The transformations of `$apply` that every collection takes (Data Aggregation 4.0, 3). */
const TRANSFORMATIONS: readonly string[] = [
  'addnested',
  'aggregate',
  'ancestors',
  'bottomcount',
  'bottompercent',
  'bottomsum',
  'compute',
  'concat',
  'descendants',
  'filter',
  'groupby',
  'identity',
  'join',
  'nest',
  'orderby',
  'outerjoin',
  'search',
  'skip',
  'top',
  'topcount',
  'toppercent',
  'topsum',
  'traverse',
];
