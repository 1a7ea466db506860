import type { StructuralProperty } from '../../model/structured-type.ts';
import type { Bound } from '../../model/type-use.ts';
import { type Annotation, annotation, bool, decimal, enumeration, record, text } from './csdl-annotation.ts';

/** Core.Description, where there is one. */
export function description(of: { readonly description: string | undefined }): readonly Annotation[] {
  return of.description === undefined ? [] : [annotation('Core', 'Description', text(of.description))];
}

/** What the vocabularies Core and Validation say of a property. */
export function propertyAnnotations(property: StructuralProperty): readonly Annotation[] {
  const { computed, immutable, writeOnly, deprecated, mediaType, facets } = property;
  return [
    ...description(property),
    ...(computed ? [annotation('Core', 'Computed', bool(true))] : []),
    ...(immutable ? [annotation('Core', 'Immutable', bool(true))] : []),
    ...(writeOnly ? [annotation('Core', 'Permissions', enumeration('Core.Permission/Write'))] : []),
    ...(deprecated ? [deprecation()] : []),
    ...(mediaType === undefined ? [] : [annotation('Core', 'MediaType', text(mediaType))]),
    ...(facets.pattern === undefined ? [] : [annotation('Validation', 'Pattern', text(facets.pattern))]),
    ...bound('Minimum', facets.minimum),
    ...bound('Maximum', facets.maximum),
    ...(facets.multipleOf === undefined
      ? []
      : [annotation('Validation', 'MultipleOf', decimal(facets.multipleOf))]),
  ];
}

function deprecation(): Annotation {
  const revision = record({
    Kind: enumeration('Core.RevisionKind/Deprecated'),
    Description: text('Deprecated'),
  });
  return annotation('Core', 'Revisions', { kind: 'collection', items: [revision] });
}

function bound(term: 'Minimum' | 'Maximum', limit: Bound | undefined): readonly Annotation[] {
  if (limit === undefined) return [];
  const exclusive = limit.exclusive ? [annotation('Validation', 'Exclusive', bool(true))] : [];
  return [annotation('Validation', term, decimal(limit.value), exclusive)];
}
