import { LRUCache } from 'lru-cache';
import type { Principal } from '../contract/principal.ts';
import type { EntitySet, Model, Singleton } from '../model/edm.ts';
import { grantedRoles, resourceGrants } from '../model/resource-grants.ts';
import type { StructuralProperty, StructuredType } from '../model/structured-type.ts';
import { type HeldResources, heldResources } from './held-resources.ts';

const MOST_SETS_OF_ROLES = 100;

/**
 * The model as far as a principal may read what its values hold: properties that may hold entities which he may not
 * see, at places that the model does not know, can be written and are never read; undeclared ones are not there.
 *
 * It is the model itself for whoever may see all that is held so, which in most models is everybody.
 */
export function readableModels(model: Model): (principal: Principal) => Model {
  const held = heldResources(model);
  if (!holdsAnything(model)) return () => model;
  const resources = resourceGrants(model);
  const known = grantedRoles(model);
  const models = new LRUCache<string, Model>({ max: MOST_SETS_OF_ROLES });
  return (principal) => {
    if (principal.kind === 'unrestricted') return model;
    const roles = principal.kind === 'user' ? known.filter((role) => principal.roles.includes(role)) : [];
    const key = JSON.stringify(roles);
    const made =
      models.get(key) ??
      readableModel(model, held, (resource) =>
        roles.some((role) => resources.get(resource)?.get(role)?.has('View') === true),
      );
    models.set(key, made);
    return made;
  };
}

function holdsAnything({ entityTypes, complexTypes }: Model): boolean {
  return [...entityTypes.values(), ...complexTypes.values()].some(
    ({ undeclaredEntities, structuralProperties }) =>
      undeclaredEntities !== undefined ||
      [...structuralProperties.values()].some(({ heldEntities }) => heldEntities !== undefined),
  );
}

type MayView = (resource: string) => boolean;

function readableModel(model: Model, held: HeldResources, mayView: MayView): Model {
  const readable = <Type extends StructuredType>(type: Type): Type => readableType(type, held, mayView);
  const entityTypes = mapValues(model.entityTypes, readable);
  const complexTypes = mapValues(model.complexTypes, readable);
  const isWhole = entityTypes === model.entityTypes && complexTypes === model.complexTypes;
  if (isWhole) return model;
  const typed = <Resource extends EntitySet | Singleton>(resource: Resource): Resource => ({
    ...resource,
    entityType: entityTypes.get(resource.entityType.name) ?? resource.entityType,
  });
  return {
    ...model,
    entityTypes,
    complexTypes,
    entitySets: mapValues(model.entitySets, typed),
    singletons: mapValues(model.singletons, typed),
  };
}

/** The type with what may not be read of it marked as write-only; the type itself where all of it may be read. */
function readableType<Type extends StructuredType>(type: Type, held: HeldResources, mayView: MayView): Type {
  const isHidden = (property: StructuralProperty) => !held.ofUse(property).every(mayView);
  const structuralProperties = mapValues(type.structuralProperties, (property) =>
    !property.writeOnly && isHidden(property) ? { ...property, writeOnly: true } : property,
  );
  const open = type.open && held.ofUndeclared(type).every(mayView);
  const isWhole = open === type.open && structuralProperties === type.structuralProperties;
  return isWhole ? type : { ...type, open, structuralProperties };
}

/** The map with its values changed; the map itself where no value is another one. */
function mapValues<Value>(
  values: ReadonlyMap<string, Value>,
  change: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  const changed = [...values].map(([name, value]) => [name, change(value)] as const);
  return changed.every(([name, value]) => values.get(name) === value) ? values : new Map(changed);
}
