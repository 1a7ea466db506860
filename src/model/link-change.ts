import type { EntityType, NavigationProperty, StructuralProperty } from './edm.ts';
import type { ReferenceOperation, UpdateOperation } from './operation.ts';
import { type ReferentialConstraints, referentialConstraints } from './referential-constraints.ts';

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
