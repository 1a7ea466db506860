import type {
  EntitySet,
  EntityType,
  NavigationPlace,
  NavigationProperty,
  StructuralProperty,
} from './edm.ts';
import type { InsertOperation, ReferenceOperation, UpdateOperation } from './operation.ts';
import { takenProperties } from './sent-type.ts';

/** A navigation property of an entity's type, at a place where the entity is changed so. */
export interface LinkPlace {
  readonly type: EntityType;
  readonly update: UpdateOperation | undefined;
  readonly navigation: NavigationProperty;
}

/** How the upstream is told of a link (Part 1, 11.4.6). */
export type LinkChange =
  /** By an operation of its own. */
  | { readonly kind: 'operation'; readonly operation: ReferenceOperation }
  /** The entity that the property is of says by properties to which entity it belongs. */
  | {
      readonly kind: 'owner';
      readonly update: UpdateOperation;
      readonly keys: readonly ReferentialConstraints[];
    }
  /** The related entity says so. */
  | {
      readonly kind: 'related';
      readonly update: UpdateOperation;
      readonly keys: readonly ReferentialConstraints[];
    };

type ForeignKeyChange = Exclude<LinkChange, { readonly kind: 'operation' }>;

/** How a link is made; undefined where the upstream has nothing for it. */
export function addedLink(link: LinkPlace): LinkChange | undefined {
  const { addReference } = link.navigation;
  if (addReference !== undefined) return { kind: 'operation', operation: addReference };
  return byForeignKey(link);
}

/** How a link is taken away: a foreign key must be able to be null for that. */
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

/** The constraints are the property's own, or those of the property that leads back (CSDL 4.01, 8.5). */
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

/** Whether an update may give the property a value. */
export function isUpdatable(type: EntityType, operation: UpdateOperation, name: string): boolean {
  const property = type.structuralProperties.get(name);
  return (
    property !== undefined &&
    isChangeable(property, type) &&
    !operation.nonUpdatableProperties?.includes(name)
  );
}

function isChangeable({ name, computed, immutable }: StructuralProperty, { key }: EntityType): boolean {
  return !computed && !immutable && !key.includes(name);
}

/**
 * What creates entities behind a link, in their own set, where properties of theirs say to whom they belong; undefined
 * where nothing does. Bytes that are forwarded as they are, a stream among them, say only what the client has put there.
 */
export function linkedInsert(owner: EntityType, navigation: NavigationProperty): InsertOperation | undefined {
  const { origin, collection, target, entityType: related } = navigation;
  const insert = target?.insert;
  if (origin.kind !== 'link' || !collection) return undefined;
  if (insert === undefined || insert.verbatim || insert.media?.only === true) return undefined;
  const keys = referentialConstraints(owner, navigation);
  const isGiven = keys.length > 0 && keys.every((key) => isInsertable(related, insert, key.related));
  return isGiven ? { ...insert, media: undefined } : undefined;
}

/** Whether a create may give the property a value: it may give whatever is not the upstream's to give. */
export function isInsertable(
  type: EntityType,
  { nonInsertableProperties = [], sent }: InsertOperation,
  name: string,
): boolean {
  return takenProperties(type, sent).get(name)?.computed === false && !nonInsertableProperties.includes(name);
}

/** Whether entities behind the navigation property can be created together with one of the set (Part 1, 11.4.2.2). */
export function isInsertedDeep(set: EntitySet, navigation: NavigationProperty): boolean {
  if (set.insert?.verbatim !== false) return false;
  return navigation.origin.kind === 'embedded' || isInsertedBehind(set, navigation);
}

/** Whether a change of one of the set can change what is behind the navigation property, too (Part 1, 11.4.3.1). */
export function isUpdatedDeep(set: EntitySet, navigation: NavigationProperty): boolean {
  const { entityType: type, update } = set;
  const { origin, collection } = navigation;
  if (update === undefined) return false;
  if (origin.kind === 'embedded' || addedLink({ type, update, navigation }) !== undefined) return true;
  const place = origin.kind === 'link' ? navigation.target : placeBelow(set, navigation);
  if (place?.update !== undefined) return true;
  return collection && (place?.delete !== undefined || isInsertedBehind(set, navigation));
}

/** Whether entities are created behind a link: by an operation below the entity's path, or in their own set. */
function isInsertedBehind(set: EntitySet, navigation: NavigationProperty): boolean {
  if (placeBelow(set, navigation)?.insert?.verbatim === false) return true;
  return insertInSet(set.entityType, navigation) !== undefined;
}

/** What creates related entities in their own set, where a foreign key or a link says whose they are. */
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

/** The property of an entity and the property of a related one that have the same value. */
export interface ReferentialConstraints {
  readonly own: string;
  readonly related: string;
}

/**
 * The pairs of properties that the referential constraints (CSDL 4.01, 8.5) of the navigation property or of its
 * partner name.
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
