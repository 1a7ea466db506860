import type { EntitySet, Model, Singleton } from '../../model/edm.ts';
import type { UpdateOperation } from '../../model/operation.ts';
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
export function capabilities(set: EntitySet): readonly Annotation[] {
  const { etag } = set.entityType;
  return [
    ...readRestrictions(set),
    restriction('InsertRestrictions', { Insertable: bool(set.insert !== undefined) }),
    restriction('UpdateRestrictions', updateRestrictions(set.update)),
    restriction('DeleteRestrictions', { Deletable: bool(set.delete !== undefined) }),
    ...(set.changes === undefined ? [] : [restriction('ChangeTracking', { Supported: bool(true) })]),
    ...(etag === undefined ? [] : [concurrency(etag)]),
  ];
}

export function singletonCapabilities({ update }: Singleton): readonly Annotation[] {
  return [restriction('UpdateRestrictions', updateRestrictions(update))];
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
