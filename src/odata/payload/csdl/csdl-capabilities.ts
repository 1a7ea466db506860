import type { EntitySet, EntityType, Model, Singleton } from '../../../model/edm.ts';
import type { InsertOperation, UpdateOperation } from '../../../model/operation.ts';
import { isReadable } from '../../../model/readable-property.ts';
import type { NavigationPlace, StructuralProperty } from '../../../model/structured-type.ts';
import { isComparable } from '../../../model/type-use.ts';
import { SERVICE_FEATURES } from '../service-features.ts';
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
import { insertedApart, unboundProperties, unlinkedProperties } from './csdl-link-capabilities.ts';

/** What can be done with an entity set (vocabulary Org.OData.Capabilities.V1), as the document has it. */
export function capabilities(model: Model, set: EntitySet): readonly Annotation[] {
  const { etag, alternateKeys = [] } = set.entityType;
  const isTracked = set.changes !== undefined && SERVICE_FEATURES.changeTracking;
  return [
    ...readRestrictions(set),
    ...queryRestrictions(set.entityType),
    restriction('InsertRestrictions', { ...insertRestrictions(set.insert), ...insertedApart(model, set) }),
    restriction('UpdateRestrictions', {
      ...updateRestrictions(set.update),
      ...unboundProperties(model, set),
    }),
    restriction('DeleteRestrictions', {
      Deletable: bool(set.delete !== undefined),
      ...unlinkedProperties(model, set),
    }),
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
  const { etag } = singleton.entityType;
  return [
    restriction('UpdateRestrictions', {
      ...updateRestrictions(singleton.update),
      ...unboundProperties(model, singleton),
    }),
    ...navigationRestrictions(model, singleton.name, singleton.entityType),
    ...(etag === undefined ? [] : [annotation('Core', 'OptimisticConcurrency', paths([etag]))]),
  ];
}

/** What goes for the whole service. */
export function containerAnnotations({ entitySets }: Model): readonly Annotation[] {
  const { asynchronous, batch, keyAsSegment, versions } = SERVICE_FEATURES;
  const areAllReadByKey = [...entitySets.values()].every(({ read }) => read !== undefined);
  return [
    annotation('Core', 'ODataVersions', text(versions)),
    annotation('Core', 'ConventionalIDs', bool(true)),
    annotation('Core', 'DereferenceableIDs', bool(areAllReadByKey)),
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
    Rollup: enumeration('Aggregation.RollupType/MultipleHierarchies'),
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
    SupportedFormats: { kind: 'collection', items: ['multipart/mixed', 'application/json'].map(text) },
  } as const;
  const promise = annotation('Core', 'LongDescription', text(CHANGE_SET_PROMISE));
  return annotation('Capabilities', 'BatchSupport', record(properties), [promise]);
}

const CHANGE_SET_PROMISE =
  'All members of a change set are checked before the first is carried out. There are no transactions: where ' +
  'one fails all the same, what others created is deleted again where that is possible, and the error says ' +
  'what cannot be undone.';

export function schemaAnnotations({ schemaVersion }: Model): readonly Annotation[] {
  return schemaVersion === undefined ? [] : [annotation('Core', 'SchemaVersion', text(schemaVersion))];
}

/** What can be done by way of navigation properties, at every place below a set or a singleton. */
function navigationRestrictions(model: Model, resource: string, type: EntityType): readonly Annotation[] {
  const own = [...type.navigationProperties.values()].filter(({ origin }) => origin.kind !== 'path');
  const places = [...model.entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap(({ origin }) => (origin.kind === 'path' ? origin.places : []))
    .filter(({ path }) => path.startsWith(`${resource}/`));
  const restricted = new Map<string, Partial<NavigationPlace>>([
    ...own.map(({ name }) => [name, {}] as const),
    ...places.map((place) => [place.path.slice(resource.length + 1), place] as const),
  ]);
  if (restricted.size === 0) return [];
  const items = [...restricted].map(([path, place]) => restrictedProperty(path, place));
  return [restriction('NavigationRestrictions', { RestrictedProperties: { kind: 'collection', items } })];
}

function restrictedProperty(path: string, place: Partial<NavigationPlace>): AnnotationValue {
  return record({
    NavigationProperty: { kind: 'navigationPath', path },
    InsertRestrictions: record({ Insertable: bool(place.insert !== undefined) }),
    UpdateRestrictions: record(updateMethod(place.update)),
    DeleteRestrictions: record({ Deletable: bool(place.delete !== undefined) }),
  });
}

type Properties = Readonly<Record<string, AnnotationValue>>;

function restriction(term: string, properties: Properties): Annotation {
  return annotation('Capabilities', term, record(properties));
}

/** Nothing where a set can be read as a whole and by key: that is what the vocabulary takes for granted. */
function readRestrictions({ list, read }: EntitySet): readonly Annotation[] {
  if (list !== undefined && read !== undefined) return [];
  const byKey = record({ Readable: bool(read !== undefined) });
  const properties = { Readable: bool(list !== undefined), ReadByKeyRestrictions: byKey };
  return [restriction('ReadRestrictions', properties)];
}

/** Which properties `$filter` and `$orderby` cannot take, and that there is no `$expand`. */
function queryRestrictions({
  structuralProperties,
  navigationProperties,
}: EntityType): readonly Annotation[] {
  const properties = [...structuralProperties.values()];
  const unfiltered = properties.filter((property) => !isReadable(property));
  const unsorted = properties.filter((property) => !isSortable(property));
  const isExpandable = SERVICE_FEATURES.expand || navigationProperties.size === 0;
  return [
    ...without('FilterRestrictions', 'NonFilterableProperties', unfiltered),
    ...without('SortRestrictions', 'NonSortableProperties', unsorted),
    ...(isExpandable ? [] : [restriction('ExpandRestrictions', { Expandable: bool(false) })]),
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

function insertRestrictions(insert: InsertOperation | undefined): Properties {
  const unknown = insert?.nonInsertableProperties ?? [];
  return {
    Insertable: bool(insert !== undefined),
    ...(unknown.length === 0 ? {} : { NonInsertableProperties: paths(unknown) }),
  };
}

function updateRestrictions(update: UpdateOperation | undefined): Properties {
  const unknown = update?.nonUpdatableProperties ?? [];
  return {
    ...updateMethod(update),
    ...(unknown.length === 0 ? {} : { NonUpdatableProperties: paths(unknown) }),
  };
}

function updateMethod(update: UpdateOperation | undefined): Properties {
  if (update === undefined) return { Updatable: bool(false) };
  return { Updatable: bool(true), UpdateMethod: enumeration(`Capabilities.HttpMethod/${update.method}`) };
}
