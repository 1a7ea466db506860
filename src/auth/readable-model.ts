import type { Principal } from '../contract/principal.ts';
import type { EntitySet, Model, Singleton } from '../model/edm.ts';
import type { StructuralProperty, StructuredType } from '../model/structured-type.ts';
import { type HeldResources, heldResources } from './held-resources.ts';
import { partsByRights } from './parts-by-rights.ts';

/**
 * The model as far as a principal may read what its values hold: properties that may hold entities which he may not
 * see, at places that the model does not know, can be written and are never read; undeclared ones are not there.
 *
 * It is the model itself for whoever may see all that is held so, which in most models is everybody.
 */
export function readableModels(model: Model): (principal: Principal) => Model {
  const held = heldResources(model);
  if (!holdsAnything(model)) return () => model;
  return partsByRights(model, (may) => readableModel(model, held, (resource) => may(resource, 'View')));
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
