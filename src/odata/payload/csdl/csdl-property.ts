import {
  type Callable,
  type CallableParameter,
  type ComplexType,
  type EntityType,
  recursiveHierarchies,
  type StreamOperations,
  type StructuralProperty,
  type TypeUse,
  type ValueType,
} from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { Bound, Facets } from '../../../model/type-use.ts';
import {
  type Annotation,
  type AnnotationValue,
  annotation,
  bool,
  decimal,
  enumeration,
  navigationPath,
  numeric,
  propertyPath,
  qualified,
  record,
  text,
} from './csdl-annotation.ts';
import { annotationElement, element, type XmlElement } from './csdl-element.ts';

/** Core.Description, where there is one, and what there is to say beyond it. */
export function description(of: {
  readonly description: string | undefined;
  readonly longDescription?: string | undefined;
}): readonly Annotation[] {
  const { description: short, longDescription: long } = of;
  return [
    ...(short === undefined ? [] : [annotation('Core', 'Description', text(short))]),
    ...(long === undefined ? [] : [annotation('Core', 'LongDescription', text(long))]),
  ];
}

/** What the vocabularies Core and Validation say of a property. */
export function propertyAnnotations(property: StructuralProperty): readonly Annotation[] {
  const { collection, computed, immutable, writeOnly, deprecated, mediaType, facets } = property;
  return [
    ...description(property),
    ...(computed ? [annotation('Core', 'Computed', bool(true))] : []),
    ...(immutable ? [annotation('Core', 'Immutable', bool(true))] : []),
    ...(writeOnly ? [annotation('Core', 'Permissions', enumeration('Core.Permission', ['Write']))] : []),
    ...(deprecated ? [deprecation()] : []),
    ...(mediaType === undefined ? [] : [annotation('Core', 'MediaType', text(mediaType))]),
    // An array of JSON has an order, and it is kept: items have their places in URLs by it (Part 2, 4.10).
    ...(collection ? [annotation('Core', 'Ordered', bool(true))] : []),
    ...validation(facets),
  ];
}

/** What a client is told of a parameter. */
export function parameterAnnotations(parameter: CallableParameter): readonly Annotation[] {
  const { optional, defaultValue, facets } = parameter;
  const settings = defaultValue === undefined ? {} : { DefaultValue: text(defaultValue) };
  return [
    ...description(parameter),
    ...(optional ? [annotation('Core', 'OptionalParameter', record(settings))] : []),
    ...validation(facets),
  ];
}

export function callableAnnotations(callable: Callable): readonly Annotation[] {
  return [...description(callable), ...(callable.deprecated ? [deprecation()] : [])];
}

/** Which values there may be, as far as the vocabulary Validation has words for it. */
function validation({ pattern, minimum, maximum, multipleOf, allowedValues }: Facets): readonly Annotation[] {
  return [
    ...(pattern === undefined ? [] : [annotation('Validation', 'Pattern', text(pattern))]),
    ...bound('Minimum', minimum),
    ...bound('Maximum', maximum),
    ...(multipleOf === undefined ? [] : [annotation('Validation', 'MultipleOf', decimal(multipleOf))]),
    ...(allowedValues === undefined ? [] : [allowed(allowedValues)]),
  ];
}

function allowed(values: readonly (string | number | boolean)[]): Annotation {
  const items = values.map((value) => record({ Value: constant(value) }));
  return annotation('Validation', 'AllowedValues', { kind: 'collection', items });
}

function constant(value: string | number | boolean): AnnotationValue {
  if (typeof value === 'string') return text(value);
  return typeof value === 'number' ? numeric(value) : bool(value);
}

function deprecation(): Annotation {
  const revision = record({
    Kind: enumeration('Core.RevisionKind', ['Deprecated']),
    Description: text('Deprecated'),
  });
  return annotation('Core', 'Revisions', { kind: 'collection', items: [revision] });
}

function bound(term: 'Minimum' | 'Maximum', limit: Bound | undefined): readonly Annotation[] {
  if (limit === undefined) return [];
  const exclusive = limit.exclusive ? [annotation('Validation', 'Exclusive', bool(true))] : [];
  return [annotation('Validation', term, decimal(limit.value), exclusive)];
}

/** The name of the parameter that stands for what a function or action is bound to. */
export const BINDING_PARAMETER = 'bindingParameter';

/** An overload of a function or an action (CSDL XML 4.01, 12): the binding parameter first, the result last. */
export function callableElement(model: Model, callable: Callable): XmlElement {
  const { kind, name, binding, parameters, returns } = callable;
  const attributes = {
    Name: name,
    IsBound: binding === undefined ? undefined : true,
    EntitySetPath: entitySetPath(model, callable),
  };
  return element(kind === 'function' ? 'Function' : 'Action', attributes, [
    bindingElement(callable),
    ...parameters.map((parameter) => parameterElement(parameter)),
    returns && element('ReturnType', typeAttributes(returns)),
    ...callableAnnotations(callable).map(annotationElement),
  ]);
}

/**
 * Says of a result of the type that the callable is bound to that it is of the binding parameter's set (CSDL
 * XML 4.01, 12.6), where that type has but one: clients then take it for the entity itself in its new state.
 */
export function entitySetPath(model: Model, { binding, returns }: Callable): string | undefined {
  if (returns?.type.kind !== 'entity' || returns.type !== binding?.entityType) return undefined;
  const sets = [...model.entitySets.values()].filter(
    ({ entityType }) => entityType.name === returns.type.name,
  );
  return sets.length === 1 ? BINDING_PARAMETER : undefined;
}

function bindingElement({ binding }: Callable): XmlElement | undefined {
  if (binding === undefined) return undefined;
  const name = qualifiedTypeName(binding.entityType);
  return element('Parameter', {
    Name: BINDING_PARAMETER,
    Type: binding.collection ? `Collection(${name})` : name,
    Nullable: false,
  });
}

function parameterElement(parameter: CallableParameter): XmlElement {
  const attributes = { Name: parameter.name, ...typeAttributes(parameter) };
  return element('Parameter', attributes, parameterAnnotations(parameter).map(annotationElement));
}

/** The attributes that say of what type a property, a parameter or a result is (CSDL XML 4.01, 7.1 and 7.2). */
export function typeAttributes(use: TypeUse): XmlElement['attributes'] {
  const name = typeOfUse(use);
  return {
    Type: use.collection ? `Collection(${name})` : name,
    // Of the items of a collection nothing goes without saying (CSDL XML 4.01, 7.2.1).
    Nullable: use.nullable ? use.collection || undefined : false,
    ...facetAttributes(facetsOfUse(use)),
  };
}

export function facetAttributes({ maxLength, precision, scale }: Facets): XmlElement['attributes'] {
  return { MaxLength: maxLength, Precision: precision, Scale: scale };
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

/** What may be put into a stream (Core.AcceptableMediaTypes), where the document says it. */
function acceptableMediaTypes(stream: StreamOperations | undefined): readonly Annotation[] {
  const types = stream?.mediaTypes ?? [];
  if (types.length === 0) return [];
  return [annotation('Core', 'AcceptableMediaTypes', { kind: 'collection', items: types.map(text) })];
}

/** The annotations of a media entity's own stream. */
export function ownStreamAnnotations(type: EntityType | ComplexType): readonly Annotation[] {
  return 'stream' in type ? acceptableMediaTypes(type.stream) : [];
}

/** The annotations of a stream property. */
export function streamPropertyAnnotations(
  type: EntityType | ComplexType,
  property: string,
): readonly Annotation[] {
  return 'streams' in type ? acceptableMediaTypes(type.streams?.get(property)) : [];
}

/** Aggregation.RecursiveHierarchy (Data Aggregation 4.0, 5.5.1), once for each tree that entities of the type make. */
export function hierarchyAnnotations(type: EntityType): readonly Annotation[] {
  return recursiveHierarchies(type).map(({ qualifier, node }) => {
    const properties = {
      NodeProperty: propertyPath(node),
      ParentNavigationProperty: navigationPath(qualifier),
    };
    return qualified(qualifier, annotation('Aggregation', 'RecursiveHierarchy', record(properties)));
  });
}
