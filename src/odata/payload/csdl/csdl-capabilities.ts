import type { EntitySet, Model, Singleton } from '../../../model/edm.ts';
import type { InsertOperation, UpdateOperation } from '../../../model/operation.ts';
import { SERVICE_FEATURES } from '../service-features.ts';
import { type Annotation, annotation, bool, paths, record, text } from './csdl-annotation.ts';
import {
  deepSupport,
  insertedApart,
  unboundProperties,
  unlinkedProperties,
} from './csdl-link-capabilities.ts';
import { navigationRestrictions } from './csdl-navigation-restrictions.ts';
import { queryRestrictions, readRestrictions } from './csdl-query-restrictions.ts';
import { type Properties, restriction, updateMethods } from './csdl-restriction.ts';

/** What can be done with an entity set (vocabulary Org.OData.Capabilities.V1), as the document has it. */
export function capabilities(model: Model, set: EntitySet): readonly Annotation[] {
  const { etag, alternateKeys = [] } = set.entityType;
  const isTracked = set.changes !== undefined && SERVICE_FEATURES.changeTracking;
  return [
    ...readRestrictions(set),
    ...queryRestrictions(set.entityType, set.list),
    restriction('InsertRestrictions', { ...insertRestrictions(set.insert), ...insertedApart(model, set) }),
    restriction('UpdateRestrictions', {
      ...updateRestrictions(set.update),
      ...unboundProperties(model, set),
    }),
    restriction('DeleteRestrictions', {
      Deletable: bool(set.delete !== undefined),
      ...unlinkedProperties(model, set),
    }),
    ...deepSupport(model, set),
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
      ...unboundProperties(model, singleton),
    }),
    ...navigationRestrictions(model, singleton.name, singleton.entityType),
  ];
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
    ...updateMethods(update),
    ...(unknown.length === 0 ? {} : { NonUpdatableProperties: paths(unknown) }),
  };
}
