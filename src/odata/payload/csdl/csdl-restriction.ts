import type { UpdateOperation } from '../../../model/operation.ts';
import {
  type Annotation,
  type AnnotationValue,
  annotation,
  bool,
  enumeration,
  record,
} from './csdl-annotation.ts';

/** The properties of a record. */
export type Properties = Readonly<Record<string, AnnotationValue>>;

/** A term of the vocabulary Org.OData.Capabilities.V1 whose value is a record. */
export function restriction(term: string, properties: Properties): Annotation {
  return annotation('Capabilities', term, record(properties));
}

/** Both methods wherever there is an update: where the upstream has one of them, it serves the other. */
export function updateMethods(update: UpdateOperation | undefined): Properties {
  if (update === undefined) return { Updatable: bool(false) };
  return {
    Updatable: bool(true),
    ...(update.inserts === true || update.replacing?.inserts === true ? { Upsertable: bool(true) } : {}),
    UpdateMethod: enumeration('Capabilities.HttpMethod', ['PATCH', 'PUT']),
  };
}
