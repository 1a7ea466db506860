import type { Principal } from '../../contract/principal.ts';
import type {
  DescribedComplexType,
  DescribedEntitySet,
  DescribedEntityType,
  DescribedModel,
  DescribedNavigationProperty,
  DescribedSingleton,
  DescribedStructuralProperty,
  DescribedStructuredType,
} from '../../model/description.ts';
import type { Model } from '../../model/model.ts';
import { describedResourceName } from '../../model/resource-grants.ts';
import { type HeldResources, heldResources, partsByRights } from './held-resources.ts';

/**
 * The model as far as a principal may read what its values hold: properties that may hold entities which he may not
 * see, at places that the model does not know, can be written and are never read; undeclared ones are not there.
 *
 * It is the model itself for whoever may see all that is held so, which in most models is everybody.
 */
export function readableModels(model: Model): (principal: Principal) => Model {
  const { description } = model;
  const held = heldResources(description);
  const inner = innerTypes(description);
  if (!holdsAnything(description, inner)) return () => model;
  return partsByRights(model, (may) =>
    readableModel(description, held, inner, (resource) => may(resource, 'View')),
  );
}

/** The types whose values stand within others: what they hold comes with those, whether it is asked for or not. */
type InnerTypes = ReadonlySet<string>;

function innerTypes({ entityTypes, complexTypes }: DescribedModel): InnerTypes {
  const types: readonly DescribedStructuredType[] = [...entityTypes.values(), ...complexTypes.values()];
  const held = types.flatMap(({ structuralProperties, navigationProperties }) => [
    ...[...structuralProperties.values()].map(({ type }) => type.name),
    ...[...navigationProperties.values()].filter(isEmbedded).map(({ entityType }) => entityType),
  ]);
  const inner = new Set(held);
  for (const { name, baseType } of entityTypes.values())
    if (baseType !== undefined && inner.has(baseType)) inner.add(name);
  return inner;
}

function isEmbedded({ origin }: DescribedNavigationProperty): boolean {
  return origin.kind === 'embedded';
}

function holdsAnything({ entityTypes, complexTypes }: DescribedModel, inner: InnerTypes): boolean {
  return [...entityTypes.values(), ...complexTypes.values()].some(
    ({ name, undeclaredEntities, structuralProperties, navigationProperties }) =>
      undeclaredEntities !== undefined ||
      [...structuralProperties.values()].some(({ heldEntities }) => heldEntities !== undefined) ||
      (inner.has(name) && [...navigationProperties.values()].some(isEmbedded)),
  );
}

type MayView = (resource: string) => boolean;

function readableModel(
  model: DescribedModel,
  held: HeldResources,
  inner: InnerTypes,
  mayView: MayView,
): DescribedModel {
  const readable = <Type extends DescribedEntityType | DescribedComplexType>(type: Type): Type => {
    const known = readableType(type, held, mayView);
    return inner.has(type.name) ? withoutInner(known, held, mayView) : known;
  };
  const entityTypes = mapValues(model.entityTypes, readable);
  const complexTypes = mapValues(model.complexTypes, readable);
  const isWhole = entityTypes === model.entityTypes && complexTypes === model.complexTypes;
  if (isWhole) return model;
  const typed = <Resource extends DescribedEntitySet | DescribedSingleton>(resource: Resource): Resource => ({
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
function readableType<Type extends DescribedStructuredType>(
  type: Type,
  held: HeldResources,
  mayView: MayView,
): Type {
  const isHidden = (property: DescribedStructuralProperty) => !held.ofUse(property).every(mayView);
  const structuralProperties = mapValues(type.structuralProperties, (property) =>
    !property.writeOnly && isHidden(property) ? { ...property, writeOnly: true } : property,
  );
  const open = type.open && held.ofUndeclared(type).every(mayView);
  const isWhole = open === type.open && structuralProperties === type.structuralProperties;
  return isWhole ? type : { ...type, open, structuralProperties };
}

/**
 * The type with those of its navigation properties marked as unreadable that lead, within the value, to entities which
 * may not be viewed. A complex type, which has no other ones, is without them.
 */
function withoutInner<Type extends DescribedEntityType | DescribedComplexType>(
  type: Type,
  held: HeldResources,
  mayView: MayView,
): Type {
  const isHidden = (property: DescribedNavigationProperty): boolean => {
    const resource = describedResourceName(property);
    const resources = 'key' in type ? [resource ?? []].flat() : held.ofEntity(property.entityType);
    return isEmbedded(property) && !resources.every(mayView);
  };
  const all = [...type.navigationProperties];
  if (!all.some(([, property]) => isHidden(property))) return type;
  const left = 'key' in type ? all : all.filter(([, property]) => !isHidden(property));
  const marked = left.map(
    ([name, property]) => [name, isHidden(property) ? { ...property, unreadable: true } : property] as const,
  );
  return { ...type, navigationProperties: new Map(marked) };
}

/** The map with its values changed; the map itself where no value is another one. */
function mapValues<Value>(
  values: ReadonlyMap<string, Value>,
  change: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  const changed = [...values].map(([name, value]) => [name, change(value)] as const);
  return changed.every(([name, value]) => values.get(name) === value) ? values : new Map(changed);
}
