import type { Callable, CallableParameter, StructuralProperty } from '../../../model/edm.ts';
import type { Bound, Facets } from '../../../model/type-use.ts';
import {
  type Annotation,
  type AnnotationValue,
  annotation,
  bool,
  decimal,
  enumeration,
  numeric,
  record,
  text,
} from './csdl-annotation.ts';

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
