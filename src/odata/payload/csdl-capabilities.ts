import type { EntitySet, EntityType, Model, Singleton } from '../../model/edm.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import type { NavigationPlace } from '../../model/structured-type.ts';
import {
  type Annotation,
  type AnnotationValue,
  annotation,
  bool,
  enumeration,
  record,
  text,
} from './csdl-annotation.ts';

/** What can be done with an entity set (vocabulary Org.OData.Capabilities.V1), as the document has it. */
export function capabilities(model: Model, set: EntitySet): readonly Annotation[] {
  const { etag } = set.entityType;
  return [
    ...readRestrictions(set),
    restriction('InsertRestrictions', { Insertable: bool(set.insert !== undefined) }),
    restriction('UpdateRestrictions', updateRestrictions(set.update)),
    restriction('DeleteRestrictions', { Deletable: bool(set.delete !== undefined) }),
    ...navigationRestrictions(model, set.name, set.entityType),
    ...(set.changes === undefined ? [] : [restriction('ChangeTracking', { Supported: bool(true) })]),
    ...(etag === undefined ? [] : [concurrency(etag)]),
  ];
}

export function singletonCapabilities(model: Model, singleton: Singleton): readonly Annotation[] {
  return [
    restriction('UpdateRestrictions', updateRestrictions(singleton.update)),
    ...navigationRestrictions(model, singleton.name, singleton.entityType),
  ];
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
    UpdateRestrictions: record(updateRestrictions(place.update)),
    DeleteRestrictions: record({ Deletable: bool(place.delete !== undefined) }),
  });
}

export function containerAnnotations({ schemaVersion }: Model): readonly Annotation[] {
  return schemaVersion === undefined ? [] : [annotation('Core', 'SchemaVersion', text(schemaVersion))];
}

/** The property whose value decides whether an entity has changed. */
function concurrency(property: string): Annotation {
  const path: AnnotationValue = { kind: 'path', path: property };
  return annotation('Core', 'OptimisticConcurrency', { kind: 'collection', items: [path] });
}

function restriction(term: string, properties: Readonly<Record<string, AnnotationValue>>): Annotation {
  return annotation('Capabilities', term, record(properties));
}

/** Nothing where a set can be read as a whole and by key: that is what the vocabulary takes for granted. */
function readRestrictions({ list, read }: EntitySet): readonly Annotation[] {
  if (list !== undefined && read !== undefined) return [];
  const byKey = record({ Readable: bool(read !== undefined) });
  const properties = { Readable: bool(list !== undefined), ReadByKeyRestrictions: byKey };
  return [restriction('ReadRestrictions', properties)];
}

function updateRestrictions(update: UpdateOperation | undefined): Readonly<Record<string, AnnotationValue>> {
  if (update === undefined) return { Updatable: bool(false) };
  return { Updatable: bool(true), UpdateMethod: enumeration(`Capabilities.HttpMethod/${update.method}`) };
}
