import type { Row } from '../../contract/row.ts';
import {
  collectionOf,
  entityByKey,
  relatedResource,
  singletonResource,
} from '../../engine/resource/navigation-source.ts';
import type { CollectionResource, EntityResource, PlaceOperations } from '../../engine/resource/resource.ts';
import type { EntitySet, EntityType, StructuralProperty } from '../../model/edm.ts';
import { freeName, singularOf } from '../../model/names.ts';
import { grantingResource } from '../../model/resource-grants.ts';
import type { Input } from '../context/graphql-context.ts';
import { fieldName, typeName } from '../context/names.ts';
import type { ShownModel } from '../context/schema-names.ts';
import { keyNames, keyOf } from '../query/key.ts';

/** A path at which entities can be changed: a set, a singleton, or a contained collection or entity. */
export interface ChangePlace {
  /** The part of field names after `create` and so on. */
  readonly name: string;
  /** The names of the resource path, without keys. */
  readonly path: string;
  readonly resource: string;
  readonly type: EntityType;
  readonly operations: Partial<PlaceOperations>;
  /** True for contained entities. */
  readonly isContained: boolean;
  /** The arguments for the key properties of the entity and of its owners. */
  readonly ownKey: readonly KeyArgument[];
  readonly outerKeys: readonly KeyArgument[];
  collection(args: Input): CollectionResource | EntityResource;
  entity(args: Input): EntityResource;
}

export interface KeyArgument {
  readonly argument: string;
  readonly property: StructuralProperty;
}

/** All paths at which the model's entities can be changed. */
export function changePlaces(shown: ShownModel): readonly ChangePlace[] {
  // Sets over owners are changed through their owners.
  const own = [...shown.model.entitySets.values()].filter((set) => !shown.names.setOf(set).isOverOwners);
  const sets = own.map((set) => setPlace(shown, set));
  const singletons = [...shown.model.singletons.values()].map((singleton): ChangePlace => {
    const entity = () => singletonResource(singleton);
    return {
      name: typeName(singleton.name),
      path: singleton.name,
      resource: singleton.name,
      type: singleton.entityType,
      operations: { update: singleton.update },
      isContained: false,
      ownKey: [],
      outerKeys: [],
      collection: entity,
      entity,
    };
  });
  const roots = [...sets, ...singletons];
  return [...roots, ...roots.flatMap((root) => containedIn(shown, root, 0))];
}

function setPlace(shown: ShownModel, set: EntitySet): ChangePlace {
  const collection = collectionOf(set);
  return {
    name: shown.names.setOf(set).changed,
    path: set.name,
    resource: set.name,
    type: set.entityType,
    operations: set,
    isContained: false,
    ownKey: keyArguments(shown, set.entityType),
    outerKeys: [],
    collection: () => collection,
    entity: (args) => entityByKey(collection, keyOf(shown, set.entityType, args)),
  };
}

/** Maximum depth of nested containment. */
const DEEPEST = 4;

function containedIn(shown: ShownModel, outer: ChangePlace, depth: number): readonly ChangePlace[] {
  if (depth === DEEPEST) return [];
  return [...outer.type.navigationProperties.values()].flatMap((navigation) => {
    const { origin, collection, entityType, name } = navigation;
    if (origin.kind !== 'path') return [];
    const path = `${outer.path}/${name}`;
    const operations = origin.places.find((place) => place.path === path);
    if (operations === undefined) return [];
    const outerKeys = [...outer.outerKeys, ...outer.ownKey];
    const taken = new Set(outerKeys.map(({ argument }) => argument));
    const ownKey = collection ? keyArguments(shown, entityType, taken, fieldName(singularOf(name))) : [];
    const related = (args: Input) => relatedResource(shown.model, outer.entity(args), navigation);
    const place: ChangePlace = {
      path,
      resource: grantingResource(shown.model.description, path),
      name: `${outer.name}${typeName(collection ? singularOf(name) : name)}`,
      type: entityType,
      operations,
      isContained: navigation.containsTarget,
      ownKey,
      outerKeys,
      collection: related,
      entity(args) {
        const found = related(args);
        return found.kind === 'entity' ? found : entityByKey(found, keyIn(shown, entityType, ownKey, args));
      },
    };
    return [place, ...containedIn(shown, place, depth + 1)];
  });
}

/** Returns the collection at the place; throws if it is a single entity. */
export function severalAt(place: ChangePlace, args: Input): CollectionResource {
  const found = place.collection(args);
  if (found.kind === 'collection') return found;
  throw new Error(`${place.path} is one entity.`);
}

/** The key in the arguments of these names. */
export function keyIn(shown: ShownModel, type: EntityType, own: readonly KeyArgument[], args: Input): Row {
  const named = keyNames(shown, type).map(([field, property]) => {
    const given = own.find((each) => each.property.name === property.name);
    return [field, given && args[given.argument]] as const;
  });
  return keyOf(shown, type, Object.fromEntries(named));
}

/**
 * An argument is named like the field of the property; for a contained entity, with the name of its path in
 * front if needed.
 */
export function keyArguments(
  shown: ShownModel,
  type: EntityType,
  taken: ReadonlySet<string> = new Set(),
  prefix = '',
): readonly KeyArgument[] {
  return keyNames(shown, type).map(([field, property]) => {
    const wanted = taken.has(field) ? fieldName(`${prefix} ${field}`) : field;
    return { argument: freeName(wanted, taken), property };
  });
}
