import {
  type EntitySet,
  type EntityType,
  isA,
  isComparable,
  isReadable,
  type NavigationPlace,
  type NavigationProperty,
  requiredFilter,
  type Singleton,
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
import {
  type Annotation,
  type AnnotationValue,
  annotation,
  bool,
  enumeration,
  paths,
  record,
  text,
} from './csdl-annotation.ts';

/** What can be done with an entity set (vocabulary Org.OData.Capabilities.V1), as the document has it. */
export function capabilities(model: Model, set: EntitySet): readonly Annotation[] {
  const { etag, alternateKeys = [] } = set.entityType;
  const isTracked = set.changes !== undefined && SERVICE_FEATURES.changeTracking;
  return [
    ...readRestrictions(set),
    ...queryRestrictions(model, set.entityType, set.list),
    restriction('InsertRestrictions', {
      ...insertRestrictions(set.entityType, set.insert),
      ...insertedApart(set),
    }),
    restriction('UpdateRestrictions', {
      ...updateRestrictions(set.update),
      ...unboundProperties(set),
    }),
    restriction('DeleteRestrictions', {
      Deletable: bool(set.delete !== undefined),
      ...unlinkedProperties(set),
    }),
    ...deepSupport(set),
    ...navigationRestrictions(model, set.name, set.entityType),
    ...(isTracked ? [restriction('ChangeTracking', { Supported: bool(true) })] : []),
    ...(etag === undefined ? [] : [annotation('Core', 'OptimisticConcurrency', paths([etag]))]),
    ...(alternateKeys.length === 0 ? [] : [alternateKeyAnnotation(alternateKeys)]),
  ];
}

/** Each part is named in a URL as the property is. */
function alternateKeyAnnotation(keys: readonly (readonly string[])[]): Annotation {
  const part = (name: string) => record({ Name: { kind: 'path', path: name }, Alias: text(name) });
  const items = keys.map((parts) => record({ Key: { kind: 'collection', items: parts.map(part) } }));
  return annotation('Core', 'AlternateKeys', { kind: 'collection', items });
}

export function singletonCapabilities(model: Model, singleton: Singleton): readonly Annotation[] {
  return [
    restriction('UpdateRestrictions', {
      ...updateRestrictions(singleton.update),
      ...unboundProperties(singleton),
    }),
    ...expandRestrictions(model, singleton.entityType),
    ...navigationRestrictions(model, singleton.name, singleton.entityType),
  ];
}

function insertRestrictions(type: EntityType, insert: InsertOperation | undefined): Properties {
  const unknown = insert?.nonInsertableProperties ?? [];
  const fixed = insert?.fixed?.map(({ property }) => property) ?? [];
  const sent = insert === undefined || insert.verbatim ? [] : requiredProperties(type, insert.sent);
  const required = [...new Set([...fixed, ...sent])];
  return {
    Insertable: bool(insert !== undefined),
    ...(unknown.length === 0 ? {} : { NonInsertableProperties: paths(unknown) }),
    ...(required.length === 0 ? {} : { RequiredProperties: paths(required) }),
  };
}

/** What must be said though reads may have null for it: what may not be null goes without saying. */
function requiredProperties(type: EntityType, sent: SentType | undefined): readonly string[] {
  return [...takenProperties(type, sent).values()]
    .filter(({ required, nullable, collection }) => required && !nullable && !collection)
    .filter(({ name, defaultValue }) => defaultValue === undefined && !type.key.includes(name))
    .filter(({ name }) => type.structuralProperties.get(name)?.nullable)
    .map(({ name }) => name);
}

function updateRestrictions(update: UpdateOperation | undefined): Properties {
  const unknown = update?.nonUpdatableProperties ?? [];
  return {
    ...updateMethods(update),
    ...(unknown.length === 0 ? {} : { NonUpdatableProperties: paths(unknown) }),
  };
}

/** Nothing where a set can be read as a whole and by key: that is what the vocabulary takes for granted. */
function readRestrictions({ list, read }: EntitySet): readonly Annotation[] {
  if (list !== undefined && read !== undefined) return [];
  const byKey = record({ Readable: bool(read !== undefined) });
  const properties = { Readable: bool(list !== undefined), ReadByKeyRestrictions: byKey };
  return [restriction('ReadRestrictions', properties)];
}

/** Which properties `$filter` and `$orderby` cannot take, and what `$expand` can. */
function queryRestrictions(
  model: Model,
  type: EntityType,
  list: Pick<ListOperation, 'fixed' | 'over'> = {},
): readonly Annotation[] {
  const { structuralProperties } = type;
  const properties = [...structuralProperties.values()].filter(({ aliasOf }) => aliasOf === undefined);
  const unfiltered = properties.filter((property) => !isReadable(property));
  const unsorted = properties.filter((property) => !isSortable(property));
  return [
    ...filterRestrictions(unfiltered, requiredFilter(list)),
    ...without('SortRestrictions', 'NonSortableProperties', unsorted),
    ...expandRestrictions(model, type),
  ];
}

/** Streams can be expanded where entities have them, those of derived types among them; there is no saying so else. */
function expandRestrictions(model: Model, type: EntityType): readonly Annotation[] {
  const types = [...model.entityTypes.values()].filter((other) => isA(other, type));
  const streams = types.flatMap(({ stream, streams: others }) => [stream, ...(others?.values() ?? [])]);
  const hasStreams = streams.some((stream) => stream?.get !== undefined);
  return hasStreams ? [restriction('ExpandRestrictions', { StreamsExpandable: bool(true) })] : [];
}

/** Where a list has parameters that only a filter can give, there is no read without one. */
function filterRestrictions(
  unfiltered: readonly StructuralProperty[],
  fixed: readonly OperationParameter[],
): readonly Annotation[] {
  if (fixed.length === 0) return without('FilterRestrictions', 'NonFilterableProperties', unfiltered);
  const names = unfiltered.map(({ name }) => name);
  return [
    restriction('FilterRestrictions', {
      RequiresFilter: bool(true),
      RequiredProperties: paths(fixed.map(({ property }) => property)),
      ...(names.length > 0 && { NonFilterableProperties: paths(names) }),
    }),
  ];
}

function without(
  term: string,
  list: string,
  properties: readonly StructuralProperty[],
): readonly Annotation[] {
  if (properties.length === 0) return [];
  return [restriction(term, { [list]: paths(properties.map(({ name }) => name)) })];
}

/** Part 1, 11.2.6.2; a complex property is sorted by what is in it. */
function isSortable(property: StructuralProperty): boolean {
  const { type, collection } = property;
  if (!isReadable(property) || collection) return false;
  return type.kind !== 'primitive' || type.name === 'Edm.Untyped' || isComparable(type.name);
}

/** What can be done by way of navigation properties, at every place below a set or a singleton. */
function navigationRestrictions(model: Model, resource: string, type: EntityType): readonly Annotation[] {
  const own = [...type.navigationProperties.values()].filter(({ origin }) => origin.kind !== 'path');
  const places = [...model.entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap(({ origin }) => (origin.kind === 'path' ? origin.places : []))
    .filter(({ path }) => path.startsWith(`${resource}/`));
  const restricted = new Map<string, Partial<NavigationPlace>>([
    ...own.map((property) => [property.name, linkedChanges(type, property)] as const),
    ...places.map((place) => [place.path.slice(resource.length + 1), place] as const),
  ]);
  if (restricted.size === 0) return [];
  const items = [...restricted].map(([path, place]) => restrictedProperty(path, place));
  return [restriction('NavigationRestrictions', { RestrictedProperties: { kind: 'collection', items } })];
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

function restrictedProperty(path: string, place: Partial<NavigationPlace>): AnnotationValue {
  return record({
    NavigationProperty: { kind: 'navigationPath', path },
    InsertRestrictions: record({ Insertable: bool(place.insert !== undefined) }),
    UpdateRestrictions: record(updateMethods(place.update)),
    DeleteRestrictions: record({ Deletable: bool(place.delete !== undefined) }),
  });
}

/** Whether related entities are created and changed together with one of the set; no request names them by Content-ID. */
function deepSupport(set: EntitySet): readonly Annotation[] {
  const navigations = [...set.entityType.navigationProperties.values()];
  if (navigations.length === 0) return [];
  const support = (isSupported: boolean): Properties => ({
    Supported: bool(isSupported),
    ContentIDSupported: bool(false),
  });
  const isInserted = navigations.some((navigation) => isInsertedDeep(set, navigation));
  const isUpdated = navigations.some((navigation) => isUpdatedDeep(set, navigation));
  return [
    restriction('DeepInsertSupport', support(isInserted)),
    restriction('DeepUpdateSupport', support(isUpdated)),
  ];
}

/** The navigation properties behind which nothing is created together with an entity. */
function insertedApart(set: EntitySet): Properties {
  if (set.insert === undefined) return {};
  const apart = [...set.entityType.navigationProperties.values()].filter(
    (navigation) => !isInsertedDeep(set, navigation),
  );
  return named(
    'NonInsertableNavigationProperties',
    apart.map(({ name }) => name),
  );
}

/** These navigation properties can be led to no other entity. */
function unboundProperties(place: EntitySet | Singleton): Properties {
  if (place.update === undefined) return {};
  const fixed = placesOf(place).filter((each) => addedLink(each) === undefined);
  return named('NonUpdatableNavigationProperties', namesOf(fixed));
}

/** The navigation properties whose links cannot be removed. */
function unlinkedProperties(set: EntitySet): Properties {
  const fixed = placesOf(set).filter((each) => removedLink(each) === undefined);
  return named('NonDeletableNavigationProperties', namesOf(fixed));
}

function placesOf({ entityType: type, update }: EntitySet | Singleton): readonly LinkPlace[] {
  return [...type.navigationProperties.values()].map((navigation) => ({ type, update, navigation }));
}

function namesOf(places: readonly LinkPlace[]): readonly string[] {
  return places.map(({ navigation }) => navigation.name);
}

function named(property: string, names: readonly string[]): Properties {
  if (names.length === 0) return {};
  return {
    [property]: { kind: 'collection', items: names.map((path) => ({ kind: 'navigationPath', path })) },
  };
}

/** The properties of a record. */
type Properties = Readonly<Record<string, AnnotationValue>>;

/** A term of the vocabulary Org.OData.Capabilities.V1 whose value is a record. */
function restriction(term: string, properties: Properties): Annotation {
  return annotation('Capabilities', term, record(properties));
}

/** Both methods wherever there is an update: where the upstream has one of them, it serves the other. */
function updateMethods(update: UpdateOperation | undefined): Properties {
  if (update === undefined) return { Updatable: bool(false) };
  return {
    Updatable: bool(true),
    ...(update.inserts === true || update.replacing?.inserts === true ? { Upsertable: bool(true) } : {}),
    UpdateMethod: enumeration('Capabilities.HttpMethod', ['PATCH', 'PUT']),
  };
}

/** What goes for the whole service. */
export function containerAnnotations({ entitySets }: Model): readonly Annotation[] {
  const { asynchronous, batch, keyAsSegment, versions } = SERVICE_FEATURES;
  const areAllReadByKey = [...entitySets.values()].every(({ read }) => read !== undefined);
  return [
    annotation('Core', 'ODataVersions', text(versions)),
    annotation('Core', 'ConventionalIDs', bool(true)),
    annotation('Core', 'DereferenceableIDs', bool(areAllReadByKey)),
    annotation('Capabilities', 'SupportedFormats', {
      kind: 'collection',
      items: LIST_MEDIA_TYPES.map(text),
    }),
    annotation('Capabilities', 'AsynchronousRequestsSupported', bool(asynchronous)),
    annotation('Capabilities', 'BatchSupported', bool(batch)),
    annotation('Capabilities', 'BatchContinueOnErrorSupported', bool(batch)),
    batchSupport(batch),
    annotation('Capabilities', 'KeyAsSegmentSupported', bool(keyAsSegment)),
    applySupport(),
  ];
}

/** What `$apply` can do with every collection (vocabulary Org.OData.Aggregation.V1). */
function applySupport(): Annotation {
  const items = SERVICE_FEATURES.transformations.map(text);
  const properties = {
    Transformations: { kind: 'collection', items },
    Rollup: enumeration('Aggregation.RollupType', ['MultipleHierarchies']),
    From: bool(true),
  } as const;
  return annotation('Aggregation', 'ApplySupportedDefaults', record(properties));
}

/** The upstream has no transactions: what a change set promises instead is said in words. */
function batchSupport(supported: boolean): Annotation {
  const properties = {
    Supported: bool(supported),
    ContinueOnErrorSupported: bool(supported),
    ReferencesInRequestBodiesSupported: bool(supported),
    ReferencesAcrossChangeSetsSupported: bool(supported),
    EtagReferencesSupported: bool(supported),
    RequestDependencyConditionsSupported: bool(supported),
    SupportedFormats: {
      kind: 'collection',
      items: ['multipart/mixed', 'application/json'].map(text),
    },
  } as const;
  const promise = annotation('Core', 'LongDescription', text(CHANGE_SET_PROMISE));
  return annotation('Capabilities', 'BatchSupport', record(properties), [promise]);
}

const CHANGE_SET_PROMISE =
  'All members of a change set are checked before the first is carried out. There are no transactions: where ' +
  'one fails all the same, what others created, changed and deleted is put back where that is possible, and the ' +
  'error says what cannot be undone.';

export function schemaAnnotations({ schemaVersion }: Model): readonly Annotation[] {
  return schemaVersion === undefined ? [] : [annotation('Core', 'SchemaVersion', text(schemaVersion))];
}

interface ServiceFeatures {
  /** The versions of OData that it speaks. */
  readonly versions: string;
  /** `Prefer: respond-async` (Part 1, 8.2.8.8). */
  readonly asynchronous: boolean;
  /** `$batch` (Part 1, 11.7). */
  readonly batch: boolean;
  /** `Post/1` (Part 2, 4.3.6). */
  readonly keyAsSegment: boolean;
  /** The transformations of `$apply` (Data Aggregation 4.0, 3). */
  readonly transformations: readonly string[];
  /** Delta links (Part 1, 11.3). */
  readonly changeTracking: boolean;
}

/**
 * What this service does with every model, for the annotations of `$metadata`: they must not claim more
 * than requests find.
 */
const SERVICE_FEATURES: ServiceFeatures = {
  versions: '4.0 4.01',
  asynchronous: true,
  batch: true,
  keyAsSegment: true,
  transformations: [
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
  ],
  changeTracking: true,
};
