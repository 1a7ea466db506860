import type { EntitySet, EntityType, NavigationPlace, NavigationProperty } from './edm.ts';
import type { InsertOperation, ReferenceOperation, UpdateOperation } from './operation.ts';
import { takenProperties } from './sent-type.ts';

/** A navigation property of an entity's type, at the path of the entity to change. */
export interface LinkPlace {
  readonly type: EntityType;
  readonly update: UpdateOperation | undefined;
  readonly navigation: NavigationProperty;
}

/** The upstream call that changes a link (Part 1, 11.4.6). */
export type LinkChange =
  /** A separate operation. */
  | { readonly kind: 'operation'; readonly operation: ReferenceOperation }
  /** An update of a foreign key in the entity that has the navigation property. */
  | {
      readonly kind: 'owner';
      readonly update: UpdateOperation;
      readonly keys: readonly ReferentialConstraints[];
    }
  /** An update of a foreign key in the related entity. */
  | {
      readonly kind: 'related';
      readonly update: UpdateOperation;
      readonly keys: readonly ReferentialConstraints[];
    };

type ForeignKeyChange = Exclude<LinkChange, { readonly kind: 'operation' }>;

/** The call that adds a link; undefined if the upstream has no operation for it. */
export function addedLink(link: LinkPlace): LinkChange | undefined {
  const { addReference } = link.navigation;
  if (addReference !== undefined) return { kind: 'operation', operation: addReference };
  return byForeignKey(link);
}

/** The call that removes a link; requires an operation or a nullable foreign key. */
export function removedLink(link: LinkPlace): LinkChange | undefined {
  const { removeReference } = link.navigation;
  if (removeReference !== undefined) return { kind: 'operation', operation: removeReference };
  const change = byForeignKey(link);
  if (change?.kind === 'owner') {
    const { structuralProperties } = link.type;
    return change.keys.every(({ own }) => structuralProperties.get(own)?.nullable) ? change : undefined;
  }
  const { structuralProperties } = link.navigation.entityType;
  const isFree = change?.keys.every((key) => structuralProperties.get(key.related)?.nullable);
  return isFree === true ? change : undefined;
}

/** Uses the constraints of the property, or of its partner (CSDL 4.01, 8.5). */
function byForeignKey(link: LinkPlace): ForeignKeyChange | undefined {
  const { type, update: ownerUpdate, navigation } = link;
  const related = navigation.entityType;
  const keys = referentialConstraints(type, navigation);
  if (keys.length === 0) return undefined;
  if (navigation.constraints.length > 0) {
    const update = ownerUpdate;
    const isWhole = related.key.every((name) => keys.some((key) => key.related === name));
    const isSettable = update && keys.every(({ own }) => isUpdatable(type, update, own));
    return isWhole && isSettable === true ? { kind: 'owner', update, keys } : undefined;
  }
  const update = navigation.target?.update;
  const isSettable = update && keys.every((key) => isUpdatable(related, update, key.related));
  return isSettable === true ? { kind: 'related', update, keys } : undefined;
}

export function isUpdatable(type: EntityType, operation: UpdateOperation, name: string): boolean {
  const declared = type.structuralProperties.get(name);
  // Whether the key of a related entity can be given, the body says.
  const property =
    declared?.aliasOf === undefined ? declared : takenProperties(type, operation.sent).get(name);
  return (
    property !== undefined &&
    !property.computed &&
    !property.immutable &&
    !type.key.includes(property.name) &&
    !operation.nonUpdatableProperties?.includes(name)
  );
}

/**
 * The operation that creates entities behind a link in their own set, if properties refer to the owner;
 * undefined if there is no such operation. Forwarded bytes and streams cannot be used, because the gateway
 * does not set properties in them.
 */
export function linkedInsert(owner: EntityType, navigation: NavigationProperty): InsertOperation | undefined {
  const { origin, collection, target, entityType: related } = navigation;
  const insert = target?.insert;
  if (!isByKey(origin) || !collection) return undefined;
  if (insert === undefined || insert.verbatim || insert.media?.only === true) return undefined;
  const keys = referentialConstraints(owner, navigation);
  const isGiven = keys.length > 0 && keys.every((key) => isInsertable(related, insert, key.related));
  return isGiven ? { ...insert, media: undefined } : undefined;
}

/** Whether equal properties of the owner and of the related entities make the relation. */
export function isByKey({ kind }: NavigationProperty['origin']): boolean {
  return kind === 'link' || kind === 'referring';
}

/** Whether a create may set the property, which excludes those assigned by the upstream. */
export function isInsertable(
  type: EntityType,
  { nonInsertableProperties = [], sent }: InsertOperation,
  name: string,
): boolean {
  return takenProperties(type, sent).get(name)?.computed === false && !nonInsertableProperties.includes(name);
}

/** Whether related entities can be created together with an entity of the set (Part 1, 11.4.2.2). */
export function isInsertedDeep(set: EntitySet, navigation: NavigationProperty): boolean {
  if (set.insert?.verbatim !== false) return false;
  return navigation.origin.kind === 'embedded' || isInsertedBehind(set, navigation);
}

/** Whether an update of an entity of the set can update related entities (Part 1, 11.4.3.1). */
export function isUpdatedDeep(set: EntitySet, navigation: NavigationProperty): boolean {
  const { entityType: type, update } = set;
  const { origin, collection } = navigation;
  if (update === undefined) return false;
  if (origin.kind === 'embedded' || addedLink({ type, update, navigation }) !== undefined) return true;
  const place = isByKey(origin) ? navigation.target : placeBelow(set, navigation);
  if (place?.update !== undefined) return true;
  return collection && (place?.delete !== undefined || isInsertedBehind(set, navigation));
}

/**
 * Whether entities are created behind a link: by an operation below the entity's path, or in their own set.
 */
function isInsertedBehind(set: EntitySet, navigation: NavigationProperty): boolean {
  if (placeBelow(set, navigation)?.insert?.verbatim === false) return true;
  return insertInSet(set.entityType, navigation) !== undefined;
}

/**
 * The operation that creates related entities in their own set, if a foreign key or a link refers to the
 * owner.
 */
export function insertInSet(owner: EntityType, navigation: NavigationProperty): InsertOperation | undefined {
  const isLinked =
    navigation.addReference !== undefined || referentialConstraints(owner, navigation).length > 0;
  const insert = navigation.target?.insert;
  return isLinked && insert?.verbatim === false ? insert : undefined;
}

function placeBelow({ name }: EntitySet, navigation: NavigationProperty): NavigationPlace | undefined {
  const places = navigation.origin.kind === 'path' ? navigation.origin.places : [];
  return places.find(({ path }) => path === `${name}/${navigation.name}`);
}

export interface ReferentialConstraints {
  readonly own: string;
  readonly related: string;
}

/**
 * The pairs of properties in the referential constraints (CSDL 4.01, 8.5) of the navigation property or its
 * partner.
 */
export function referentialConstraints(
  owner: EntityType,
  navigation: NavigationProperty,
): readonly ReferentialConstraints[] {
  const { constraints, partner } = navigation;
  if (constraints.length > 0) {
    return constraints.map(({ property, referencedProperty }) => ({
      own: property,
      related: referencedProperty,
    }));
  }
  if (partner?.entityType.name !== owner.name) return [];
  return partner.constraints.map(({ property, referencedProperty }) => ({
    own: referencedProperty,
    related: property,
  }));
}
