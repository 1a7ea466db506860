import { feedsBehind } from '../../../model/change-feed.ts';
import {
  type EntitySet,
  type EntityType,
  isComparable,
  isReadable,
  isTransient,
  type NavigationPlace,
  type NavigationProperty,
  readableProperties,
  requiredFilter,
  type Singleton,
  type StreamOperations,
  type StructuralProperty,
  withDerivedTypes,
} from '../../../model/edm.ts';
import {
  addedLink,
  isByKey,
  isInsertedDeep,
  isUpdatedDeep,
  type LinkPlace,
  linkedInsert,
  removedLink,
} from '../../../model/link-change.ts';
import { madeOnce } from '../../../model/maps.ts';
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

/**
 * The restrictions of an entity set (vocabulary Org.OData.Capabilities.V1): only what differs from
 * {@link defaultCapabilities}, because the set's annotations are applied to these like a PATCH. What clients are seen to
 * read (UI5, docs/odata.md) has the vocabulary's own default there, so that a client that reads only the set is right.
 */
export function capabilities(model: Model, set: EntitySet): JsonObject {
  const { etag, alternateKeys = [] } = set.entityType;
  // The parts of an alternate key are named like the properties.
  const keys = alternateKeys.map((parts) => ({ Key: parts.map((name) => ({ Name: name, Alias: name })) }));
  return {
    ...readRestrictions(set),
    '@Capabilities.IndexableByKey': isTransient(set.entityType) ? false : undefined,
    ...queryRestrictions(set.entityType, set.list),
    '@Capabilities.InsertRestrictions': unlessWithout(insertRestrictions(set)),
    '@Capabilities.UpdateRestrictions': unlessWithout(updateRestrictions(set)),
    '@Capabilities.DeleteRestrictions': unlessWithout(deleteRestrictions(set)),
    ...deepSupport(set),
    ...navigationRestrictions(model, set.name, set.entityType),
    '@Capabilities.ChangeTracking': changeTracking(set),
    '@Core.OptimisticConcurrency': etag === undefined ? undefined : [etag],
    '@Core.AlternateKeys': unlessEmpty(keys),
  };
}

export function singletonCapabilities(model: Model, singleton: Singleton): JsonObject {
  return {
    // The defaults of the container are those of collections, so a singleton has its own.
    '@Capabilities.UpdateRestrictions': { ...updateRestrictions(singleton), ...updateMethod(singleton) },
    ...expandRestrictions(singleton.entityType),
    ...navigationRestrictions(model, singleton.name, singleton.entityType),
  };
}

/** A record without members is not written. */
function unlessWithout(record: JsonObject): JsonObject | undefined {
  return Object.values(record).every((value) => value === undefined) ? undefined : record;
}

function insertRestrictions(set: EntitySet): JsonObject {
  const { entityType: type, insert } = set;
  if (insert === undefined) return { Insertable: false };
  const fixed = insert.fixed?.map(({ property }) => property) ?? [];
  const sent = insert.verbatim ? [] : requiredProperties(type, insert.sent);
  return {
    NonInsertableProperties: unlessEmpty(insert.nonInsertableProperties ?? []),
    RequiredProperties: unlessEmpty([...new Set([...fixed, ...sent])]),
    NonInsertableNavigationProperties: insert && unlessEmpty(insertedApart(set)),
    Description: type.stream && mediaInsertion(type.stream, insert),
  };
}

/** A link is removed by an update, so a set without updates and removals need not name the navigation properties. */
function deleteRestrictions(set: EntitySet): JsonObject {
  const fixed = namesWithout(set, removedLink);
  const isFixed = set.update === undefined && fixed?.length === set.entityType.navigationProperties.size;
  return {
    Deletable: set.delete === undefined ? false : undefined,
    NonDeletableNavigationProperties: isFixed ? undefined : fixed,
  };
}

/** A note on creating media entities: not all APIs accept their stream (Part 1, 11.4.8.1). */
function mediaInsertion({ put }: StreamOperations, { media }: InsertOperation): string {
  if (media?.only === true) return 'POST takes the stream of the new entity.';
  if (media !== undefined) return 'POST takes the stream of the new entity, or the entity as JSON.';
  const afterwards = put === undefined ? '' : ' PUT to its /$value takes the stream afterwards.';
  return `POST takes the new entity as JSON, not its stream.${afterwards}`;
}

/**
 * Properties that a create must contain although reads may return null; non-nullable ones are required by
 * default.
 */
function requiredProperties(type: EntityType, sent: SentType | undefined): readonly string[] {
  return [...takenProperties(type, sent).values()]
    .filter(({ required, nullable, collection }) => required && !nullable && !collection)
    .filter(({ name, defaultValue }) => defaultValue === undefined && !type.key.includes(name))
    .filter(({ name }) => type.structuralProperties.get(name)?.nullable)
    .map(({ name }) => name);
}

function updateRestrictions(place: EntitySet | Singleton): JsonObject {
  const { update } = place;
  if (update === undefined) return { Updatable: false };
  return {
    Upsertable: isUpsertable(update) || undefined,
    NonUpdatableProperties: unlessEmpty(update.nonUpdatableProperties ?? []),
    NonUpdatableNavigationProperties: namesWithout(place, addedLink),
  };
}

function isUpsertable({ inserts, replacing }: UpdateOperation): boolean {
  return inserts === true || replacing?.inserts === true;
}

function updateMethod({ update }: Singleton): JsonObject {
  return update === undefined ? {} : { UpdateMethod: UPDATE_METHOD };
}

/** Both methods for any update operation: the gateway implements each by the other. */
const UPDATE_METHOD = 'PATCH,PUT';

/** Clients can rely on tracked changes only for filters on these properties, and with these expanded. */
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

/** Empty if a set can be read as a whole and by key, which is the vocabulary's default. */
function readRestrictions({ list, read }: EntitySet): JsonObject {
  if (list !== undefined && read !== undefined) return {};
  const byKey = { Readable: read !== undefined };
  return {
    '@Capabilities.ReadRestrictions': { Readable: list !== undefined, ReadByKeyRestrictions: byKey },
  };
}

/** Properties that `$filter`, `$orderby` and `$expand` do not support. */
function queryRestrictions(type: EntityType, list: Pick<ListOperation, 'fixed' | 'over'> = {}): JsonObject {
  const { structuralProperties } = type;
  const properties = [...structuralProperties.values()].filter(({ aliasOf }) => aliasOf === undefined);
  const unfiltered = properties.filter((property) => !isReadable(property)).map(({ name }) => name);
  const unsorted = properties.filter((property) => !isSortable(property)).map(({ name }) => name);
  return {
    '@Capabilities.FilterRestrictions': filterRestrictions(unfiltered, requiredFilter(list)),
    '@Capabilities.SortRestrictions': unsorted.length === 0 ? undefined : { NonSortableProperties: unsorted },
    ...expandRestrictions(type),
  };
}

/**
 * Streams can be expanded for types with streams, including derived types; the vocabulary has no other way to
 * express this.
 */
function expandRestrictions(type: EntityType): JsonObject {
  const streams = withDerivedTypes(type).flatMap(({ stream, streams: others }) => [
    stream,
    ...(others?.values() ?? []),
  ]);
  const hasStreams = streams.some((stream) => stream?.get !== undefined);
  return { '@Capabilities.ExpandRestrictions': hasStreams ? { StreamsExpandable: true } : undefined };
}

/** A list with parameters that only a filter can fill requires a filter. */
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

/** Part 1, 11.2.6.2; complex properties are sorted by their members. */
function isSortable(property: StructuralProperty): boolean {
  const { type, collection } = property;
  if (!isReadable(property) || collection) return false;
  return type.kind !== 'primitive' || type.name === 'Edm.Untyped' || isComparable(type.name);
}

/**
 * The operations that a navigation property does not support although the set that it is bound to does, at every path
 * below a set or a singleton. An annotation of the target set is valid through the navigation property, too (see the
 * long description of NavigationRestrictions).
 */
function navigationRestrictions(model: Model, resource: string, type: EntityType): JsonObject {
  const own = [...type.navigationProperties.values()].filter(({ origin }) => origin.kind !== 'path');
  const properties = [
    ...own.flatMap((navigation) =>
      restrictedProperty(navigation.name, navigation, linkedChanges(type, navigation)),
    ),
    ...(pathPlaces(model).get(resource) ?? []).flatMap(({ navigation, place }) =>
      restrictedProperty(place.path.slice(resource.length + 1), navigation, place),
    ),
  ];
  if (properties.length === 0) return {};
  return { '@Capabilities.NavigationRestrictions': { RestrictedProperties: properties } };
}

interface NavigationAtPlace {
  readonly navigation: NavigationProperty;
  readonly place: NavigationPlace;
}

type NavigationsByRoot = ReadonlyMap<string, readonly NavigationAtPlace[]>;

const PATH_PLACES = new WeakMap<Model, NavigationsByRoot>();

/** The navigation properties with a path of their own, by the set or singleton at the start of the path. */
function pathPlaces(model: Model): NavigationsByRoot {
  return madeOnce(PATH_PLACES, model, (): NavigationsByRoot => {
    const places = [...model.entityTypes.values()]
      .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
      .flatMap((navigation) => changesBelow(navigation).map((place) => ({ navigation, place })));
    // A derived type shares the navigation properties of its base.
    const byPath = new Map(places.map((each) => [each.place.path, each]));
    return Map.groupBy(byPath.values(), ({ place }) => place.path.split('/', 1)[0] ?? '');
  });
}

/**
 * The supported changes behind a link: as in the related set; entities of a collection can also be created
 * and deleted.
 */
function linkedChanges(owner: EntityType, navigation: NavigationProperty): Partial<NavigationPlace> {
  const { origin, target, collection } = navigation;
  const set = isByKey(origin) ? target : undefined;
  const insert = linkedInsert(owner, navigation);
  return { insert, update: set?.update, delete: collection ? set?.delete : undefined };
}

/** The operations at the places of a navigation property; those of its set change entities that only a list below has. */
function changesBelow({ origin, target, collection }: NavigationProperty): readonly NavigationPlace[] {
  if (origin.kind !== 'path') return [];
  return origin.places.map((place) => {
    const isListed = collection && place.list !== undefined;
    const set = isListed ? target : undefined;
    return { ...place, update: place.update ?? set?.update, delete: place.delete ?? set?.delete };
  });
}

/** Nothing if all is as in the target set; without one, the default of the vocabulary is that all is supported. */
function restrictedProperty(
  path: string,
  { target, collection }: NavigationProperty,
  place: Partial<NavigationPlace>,
): readonly JsonObject[] {
  const differs = (change: 'insert' | 'update' | 'delete') => {
    const isSupported = place[change] !== undefined;
    const isDefault = target === undefined || target[change] !== undefined;
    return isSupported === isDefault ? undefined : isSupported;
  };
  // A POST to a single-valued navigation property is no insert (Part 1, 11.4.2).
  const insertable = collection ? differs('insert') : undefined;
  const [updatable, deletable] = [differs('update'), differs('delete')];
  const { update } = place;
  const restrictions = {
    InsertRestrictions: insertable === undefined ? undefined : { Insertable: insertable },
    UpdateRestrictions:
      updatable === undefined
        ? undefined
        : { Updatable: updatable, Upsertable: (update && isUpsertable(update)) || undefined },
    DeleteRestrictions: deletable === undefined ? undefined : { Deletable: deletable },
  };
  const found = unlessWithout(restrictions);
  return found === undefined ? [] : [{ NavigationProperty: path, ...found }];
}

/**
 * Support for creating and updating related entities in the same request; references by Content-ID are not
 * supported. The container denies it for all sets without an annotation of their own.
 */
function deepSupport(set: EntitySet): JsonObject {
  const navigations = [...set.entityType.navigationProperties.values()];
  return {
    '@Capabilities.DeepInsertSupport': navigations.some((each) => isInsertedDeep(set, each))
      ? deepSupported(true)
      : undefined,
    '@Capabilities.DeepUpdateSupport': navigations.some((each) => isUpdatedDeep(set, each))
      ? deepSupported(true)
      : undefined,
  };
}

function deepSupported(isSupported: boolean): JsonObject {
  return { Supported: isSupported, ContentIDSupported: false };
}

/** The navigation properties that do not support nested creates. */
function insertedApart(set: EntitySet): readonly string[] {
  const navigations = [...set.entityType.navigationProperties.values()];
  return navigations.filter((navigation) => !isInsertedDeep(set, navigation)).map(({ name }) => name);
}

/** The navigation properties whose links do not support the change; undefined if all do. */
function namesWithout(
  { entityType: type, update }: EntitySet | Singleton,
  changeOf: (place: LinkPlace) => unknown,
): readonly string[] | undefined {
  const fixed = [...type.navigationProperties.values()].filter(
    (navigation) => changeOf({ type, update, navigation }) === undefined,
  );
  return unlessEmpty(fixed.map(({ name }) => name));
}

/**
 * The capabilities of all sets (Capabilities.DefaultCapabilities), which their own annotations change: those of the
 * vocabulary, as far as there is a set with them.
 */
function defaultCapabilities(sets: readonly EntitySet[]): JsonObject {
  const has = (change: 'insert' | 'update' | 'delete') => sets.some((set) => set[change] !== undefined);
  return {
    IndexableByKey: true,
    TopSupported: true,
    SkipSupported: true,
    CountRestrictions: { Countable: true },
    InsertRestrictions: has('insert') ? { Insertable: true } : undefined,
    UpdateRestrictions: has('update') ? { Updatable: true, UpdateMethod: UPDATE_METHOD } : undefined,
    DeleteRestrictions: has('delete') ? { Deletable: true } : undefined,
    ReadRestrictions: { Readable: true },
  };
}

/** The supported features of the whole service. */
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
    ...(entitySets.size > 0 && {
      '@Capabilities.DefaultCapabilities': defaultCapabilities([...entitySets.values()]),
      '@Capabilities.DeepInsertSupport': deepSupported(false),
      '@Capabilities.DeepUpdateSupport': deepSupported(false),
    }),
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

/** Upstreams have no transactions, so this text describes the guarantees of change sets. */
const CHANGE_SET_PROMISE =
  'All members of a change set are checked before the first is carried out. There are no transactions: where ' +
  'one fails all the same, what others created, changed and deleted is put back where that is possible, and the ' +
  'error says what cannot be undone.';

/** The transformations of `$apply` that every collection supports (Data Aggregation 4.0, 3). */
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
