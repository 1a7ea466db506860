import {
  type Callable,
  type CallableParameter,
  type EntityType,
  recursiveHierarchies,
  type StreamOperations,
  type StructuralProperty,
  type TypeUse,
  type ValueType,
} from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { Facets } from '../../../model/type-use.ts';
import type { JsonObject } from './csdl-members.ts';

/** Core.Description, where there is one, and what there is to say beyond it. */
export function description(of: {
  readonly description: string | undefined;
  readonly longDescription?: string | undefined;
}): JsonObject {
  return { '@Core.Description': of.description, '@Core.LongDescription': of.longDescription };
}

/** What the vocabularies Core and Validation say of a property. */
export function propertyAnnotations(property: StructuralProperty): JsonObject {
  const { collection, computed, immutable, writeOnly, deprecated, mediaType, facets } = property;
  return {
    ...description(property),
    '@Core.Computed': computed || undefined,
    '@Core.Immutable': immutable || undefined,
    '@Core.Permissions': writeOnly ? 'Write' : undefined,
    ...deprecation(deprecated),
    '@Core.MediaType': mediaType,
    // An array of JSON has an order, and it is kept: items have their places in URLs by it (Part 2, 4.10).
    '@Core.Ordered': collection || undefined,
    ...validation(facets),
  };
}

/** What a client is told of a parameter. */
export function parameterAnnotations(parameter: CallableParameter): JsonObject {
  const { optional, defaultValue, facets } = parameter;
  return {
    ...description(parameter),
    '@Core.OptionalParameter': optional ? { DefaultValue: defaultValue } : undefined,
    ...validation(facets),
  };
}

export function callableAnnotations(callable: Callable): JsonObject {
  return { ...description(callable), ...deprecation(callable.deprecated) };
}

/** Which values there may be, as far as the vocabulary Validation has words for it. */
function validation({ pattern, minimum, maximum, multipleOf, allowedValues }: Facets): JsonObject {
  return {
    '@Validation.Pattern': pattern,
    '@Validation.Minimum': minimum?.value,
    '@Validation.Minimum@Validation.Exclusive': minimum?.exclusive || undefined,
    '@Validation.Maximum': maximum?.value,
    '@Validation.Maximum@Validation.Exclusive': maximum?.exclusive || undefined,
    '@Validation.MultipleOf': multipleOf,
    '@Validation.AllowedValues': allowedValues?.map((value) => ({ Value: value })),
  };
}

function deprecation(isDeprecated: boolean | undefined): JsonObject {
  return {
    '@Core.Revisions': isDeprecated ? [{ Kind: 'Deprecated', Description: 'Deprecated' }] : undefined,
  };
}

/** The name of the parameter that stands for what a function or action is bound to. */
export const BINDING_PARAMETER = 'bindingParameter';

/**
 * Says of a result of the type that the callable is bound to that it is of the binding parameter's set (CSDL
 * 4.01, 12.6), where that type has but one: clients then take it for the entity itself in its new state.
 */
export function entitySetPath(model: Model, { binding, returns }: Callable): string | undefined {
  if (returns?.type.kind !== 'entity' || returns.type !== binding?.entityType) return undefined;
  const sets = [...model.entitySets.values()].filter(
    ({ entityType }) => entityType.name === returns.type.name,
  );
  return sets.length === 1 ? BINDING_PARAMETER : undefined;
}

/** The name of the type, or of the type definition that stands for it. */
export function typeOfUse({ type, definition }: TypeUse): string {
  return definition === undefined ? qualifiedTypeName(type) : `${definition.namespace}.${definition.name}`;
}

/** A type definition's facets are not repeated where it is used (CSDL 4.01, 11.1). */
export function facetsOfUse({ definition, facets }: TypeUse): Facets {
  return definition === undefined ? facets : {};
}

/** The name of a type with its namespace. */
export function qualifiedTypeName(type: ValueType): string {
  return type.kind === 'primitive' ? type.name : `${type.namespace}.${type.name}`;
}

/** What may be put into a stream, where the document says it. */
export function streamAnnotations(stream: StreamOperations | undefined): JsonObject {
  return { '@Core.AcceptableMediaTypes': unlessEmpty(stream?.mediaTypes ?? []) };
}

/** Aggregation.RecursiveHierarchy (Data Aggregation 4.0, 5.5.1), once for each tree that entities of the type make. */
export function hierarchyAnnotations(type: EntityType): JsonObject {
  return Object.fromEntries(
    recursiveHierarchies(type).map(({ qualifier, node }) => [
      `@Aggregation.RecursiveHierarchy#${qualifier}`,
      { NodeProperty: node, ParentNavigationProperty: qualifier },
    ]),
  );
}

/** A list that is left out where there is nothing in it. */
export function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
