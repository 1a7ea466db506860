import type { EntitySet, EntityType, Singleton } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { InsertOperation, SentType, UpdateOperation } from '../../../model/operation.ts';
import { takenProperties } from '../../../model/sent-type.ts';
import { type Annotation, annotation, bool, paths, record, text } from './csdl-annotation.ts';
import {
  deepSupport,
  insertedApart,
  unboundProperties,
  unlinkedProperties,
} from './csdl-link-capabilities.ts';
import { navigationRestrictions } from './csdl-navigation-restrictions.ts';
import { expandRestrictions, queryRestrictions, readRestrictions } from './csdl-query-restrictions.ts';
import { type Properties, restriction, updateMethods } from './csdl-restriction.ts';
import { SERVICE_FEATURES } from './service-features.ts';

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
