/** The vocabularies that annotations may be of, by the alias that `$metadata` gives them. */
export type VocabularyAlias = 'Core' | 'Capabilities' | 'Validation' | 'Aggregation';

/** A constant, a path, or a record or collection of them (CSDL 4.01, 14.3 and 14.4). */
export type AnnotationValue =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'decimal'; readonly value: number }
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'enumeration'; readonly type: string; readonly members: readonly string[] }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'navigationPath'; readonly path: string }
  | { readonly kind: 'collection'; readonly items: readonly AnnotationValue[] }
  | { readonly kind: 'record'; readonly properties: Readonly<Record<string, AnnotationValue>> };

/** An annotation of the model element it stands in, or of another annotation. */
export interface Annotation {
  readonly vocabulary: VocabularyAlias;
  readonly term: string;
  /** Tells several annotations by one term apart (CSDL 4.01, 14.2.1). */
  readonly qualifier?: string;
  readonly value: AnnotationValue;
  readonly annotations: readonly Annotation[];
}

/** The namespaces of the vocabularies. */
export const VOCABULARIES: Readonly<Record<VocabularyAlias, string>> = {
  Core: 'Org.OData.Core.V1',
  Capabilities: 'Org.OData.Capabilities.V1',
  Validation: 'Org.OData.Validation.V1',
  Aggregation: 'Org.OData.Aggregation.V1',
};

export function annotation(
  vocabulary: VocabularyAlias,
  term: string,
  value: AnnotationValue,
  annotations: readonly Annotation[] = [],
): Annotation {
  return { vocabulary, term, value, annotations };
}

export function qualified(qualifier: string, one: Annotation): Annotation {
  return { ...one, qualifier };
}

/** A path that leads to a property. */
export function propertyPath(path: string): AnnotationValue {
  return { kind: 'path', path };
}

/** A path that leads to a navigation property. */
export function navigationPath(path: string): AnnotationValue {
  return { kind: 'navigationPath', path };
}

export function text(value: string): AnnotationValue {
  return { kind: 'string', value };
}

export function bool(value: boolean): AnnotationValue {
  return { kind: 'bool', value };
}

export function decimal(value: number): AnnotationValue {
  return { kind: 'decimal', value };
}

/** A number: an integer where it is one. */
export function numeric(value: number): AnnotationValue {
  return Number.isSafeInteger(value) ? { kind: 'int', value } : decimal(value);
}

/** Paths of properties, relative to what is annotated. */
export function paths(names: readonly string[]): AnnotationValue {
  return { kind: 'collection', items: names.map((path) => ({ kind: 'path', path })) };
}

/** A member of an enumeration type such as `Core.RevisionKind`; several for one of flags. */
export function enumeration(type: string, members: readonly string[]): AnnotationValue {
  return { kind: 'enumeration', type, members };
}

export function record(properties: Readonly<Record<string, AnnotationValue>>): AnnotationValue {
  return { kind: 'record', properties };
}

/** Where the OASIS publishes its vocabularies. */
export const PUBLISHED_VOCABULARIES = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies';

/** The vocabulary's document below that URL; the OASIS and we name them alike. */
export function vocabularyUri(folder: string, namespace: string, form: 'xml' | 'json'): string {
  return `${folder}/${namespace}.${form}`;
}
