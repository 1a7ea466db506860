import type { Principal } from '../../contract/principal.ts';
import {
  type DescribedComplexType,
  type DescribedEntityType,
  type DescribedModel,
  type DescribedNavigationProperty,
  type DescribedStructuralProperty,
  type DescribedStructuredType,
  retyped,
} from '../../model/description.ts';
import { byName } from '../../model/maps.ts';
import type { Model } from '../../model/model.ts';
import { describedResourceName } from '../../model/resource-grants.ts';
import { partsByRights } from './grants.ts';
import { type HeldResources, heldResources } from './held-resources.ts';

/**
 * The model with properties marked as unreadable that may contain entities which the principal may not see,
 * at places that the model does not declare: they can be written and never read. Undeclared properties are
 * removed.
 *
 * Returns the model itself if nothing is hidden, which is usual.
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

/** Types whose values are nested in others: their content is always returned with the outer value. */
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
  return {
    ...model,
    entityTypes,
    complexTypes,
    entitySets: byName(retyped([...model.entitySets.values()], entityTypes)),
    singletons: byName(retyped([...model.singletons.values()], entityTypes)),
  };
}

/**
 * The type with its unreadable properties marked as write-only; returns the type itself if there are no such
 * properties.
 */
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
 * Marks navigation properties of the type as unreadable if they lead, within the value, to entities that may
 * not be viewed. Complex types lose them, because they have no others.
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

/** Returns the map itself if no value changes. */
function mapValues<Value>(
  values: ReadonlyMap<string, Value>,
  change: (value: Value) => Value,
): ReadonlyMap<string, Value> {
  const changed = [...values].map(([name, value]) => [name, change(value)] as const);
  return changed.every(([name, value]) => values.get(name) === value) ? values : new Map(changed);
}
