import type { Annotation, AnnotationValue } from './csdl-annotation.ts';

export type Json = string | number | boolean | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

/** Annotations as members; one of an annotation has the name of both. */
export function annotations(list: readonly Annotation[], prefix = ''): JsonObject {
  return Object.fromEntries(
    list.flatMap(({ vocabulary, term, qualifier, value, annotations: inner }) => {
      const name = `${prefix}@${vocabulary}.${term}${qualifier === undefined ? '' : `#${qualifier}`}`;
      return [[name, annotationJson(value)] as const, ...Object.entries(annotations(inner, name))];
    }),
  );
}

function annotationJson(value: AnnotationValue): Json {
  switch (value.kind) {
    case 'string':
    case 'bool':
    case 'decimal':
    case 'int':
      return value.value;
    case 'enumeration':
      return value.members.join();
    case 'path':
    case 'navigationPath':
      return value.path;
    case 'collection':
      return value.items.map(annotationJson);
    case 'record':
      return Object.fromEntries(
        Object.entries(value.properties).map(([name, inner]) => [name, annotationJson(inner)]),
      );
  }
}
