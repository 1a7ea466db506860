import {
  type Callable,
  type CallableParameter,
  type Documentation,
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
import { recordType } from './vocabulary-uri.ts';

/** Core.Description and Core.LongDescription. */
export function description(of: {
  readonly description: string | undefined;
  readonly longDescription?: string | undefined;
}): JsonObject {
  return { '@Core.Description': of.description, '@Core.LongDescription': of.longDescription };
}

/** Core.Links to the document's `externalDocs`. */
export function links({ documentation }: Documentation): JsonObject {
  return {
    '@Core.Links': documentation === undefined ? undefined : [{ rel: 'help', href: documentation }],
  };
}

/** Core.Example: the first without a qualifier, because there may be one for each qualifier. */
function exampleValues({ examples = [] }: Documentation): JsonObject {
  return Object.fromEntries(
    examples.map((value, index) => [
      index === 0 ? '@Core.Example' : `@Core.Example#Example${index + 1}`,
      { '@type': recordType('Core', 'PrimitiveExampleValue'), Value: value },
    ]),
  );
}

/** The annotations of a property from the vocabularies Core and Validation. */
export function propertyAnnotations(property: StructuralProperty): JsonObject {
  const { collection, computed, immutable, writeOnly, deprecated, mediaType, facets } = property;
  return {
    ...description(property),
    ...links(property),
    ...exampleValues(property),
    '@Core.Computed': computed || undefined,
    '@Core.Immutable': immutable || undefined,
    '@Core.Permissions': writeOnly ? 'Write' : undefined,
    ...deprecation(deprecated),
    '@Core.MediaType': mediaType,
    // JSON arrays are ordered, and items are addressed by index (Part 2, 4.10).
    '@Core.Ordered': collection || undefined,
    ...validation(facets),
  };
}

/** The annotations of a parameter. */
export function parameterAnnotations(parameter: CallableParameter): JsonObject {
  const { optional, defaultValue, facets } = parameter;
  return {
    ...description(parameter),
    '@Core.OptionalParameter': optional ? { DefaultValue: defaultValue } : undefined,
    ...validation(facets),
  };
}

export function callableAnnotations(callable: Callable): JsonObject {
  return { ...description(callable), ...links(callable), ...deprecation(callable.deprecated) };
}

/** The restrictions on values that the vocabulary Validation can express. */
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

export function deprecation(isDeprecated: boolean | undefined): JsonObject {
  return {
    '@Core.Revisions': isDeprecated ? [{ Kind: 'Deprecated', Description: 'Deprecated' }] : undefined,
  };
}

export const BINDING_PARAMETER = 'bindingParameter';

/**
 * The EntitySetPath (CSDL 4.01, 12.6) of a result with the type of the binding parameter, if that type is in
 * one set only: clients then treat the result as the entity's new state.
 */
export function entitySetPath(model: Model, { binding, returns }: Callable): string | undefined {
  if (returns?.type.kind !== 'entity' || returns.type !== binding?.entityType) return undefined;
  const sets = [...model.entitySets.values()].filter(
    ({ entityType }) => entityType.name === returns.type.name,
  );
  return sets.length === 1 ? BINDING_PARAMETER : undefined;
}

/** The name of the type, or of its type definition. */
export function typeOfUse({ type, definition }: TypeUse): string {
  return definition === undefined ? qualifiedTypeName(type) : `${definition.namespace}.${definition.name}`;
}

/** Facets of a type definition are not repeated where it is used (CSDL 4.01, 11.1). */
export function facetsOfUse({ definition, facets }: TypeUse): Facets {
  return definition === undefined ? facets : {};
}

export function qualifiedTypeName(type: ValueType): string {
  return type.kind === 'primitive' ? type.name : `${type.namespace}.${type.name}`;
}

/** The accepted media types of a stream, if documented. */
export function streamAnnotations(stream: StreamOperations | undefined): JsonObject {
  return { '@Core.AcceptableMediaTypes': unlessEmpty(stream?.mediaTypes ?? []) };
}

/** Aggregation.RecursiveHierarchy (Data Aggregation 4.0, 5.5.1) for each hierarchy of the type. */
export function hierarchyAnnotations(type: EntityType): JsonObject {
  return Object.fromEntries(
    recursiveHierarchies(type).map(({ qualifier, node }) => [
      `@Aggregation.RecursiveHierarchy#${qualifier}`,
      { NodeProperty: node, ParentNavigationProperty: qualifier },
    ]),
  );
}

/** Undefined for an empty list. */
export function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
